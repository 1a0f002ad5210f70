package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"net/http"
	"strings"
	"testing"
	"time"

	"callboard/backend/tool"
)

const shop = `<!doctype html><title>Shop</title><h1>Tea  shop</h1><p hidden>secret</p>
<p>Green tea, <b>black</b> tea</p>
<a href="/about" target="_blank">About us</a>
<form action="/order" target="_blank"><label>Name <input name="name" value="nobody"></label>
<label for="kind">Kind</label><select id="kind" name="kind"><option value="g">Green</option><option value="b">Black</option></select>
<label>Day <input type="date" name="day"></label><input type="password" placeholder="Word" name="word">
<label><input type="checkbox" name="gift"> As a gift</label>
<button>Order</button></form>`

func TestAPageIsOpenedReadFilledInAndClicked(t *testing.T) {
	s := newSeat(t, shared)
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			put(w, "%s", shop)
		case "/about":
			put(w, "<title>About</title>Since 1899")
		case "/order":
			q := r.URL.Query()
			put(w, "<title>Thanks</title>%s gets %s on %s, word %s, gift %s", q.Get("name"), q.Get("kind"), q.Get("day"), q.Get("word"), q.Get("gift"))
		}
	}))
	r := s.callWith(t.Context(), "browser_open", args{"url": web.URL})
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	if got, want := string(r.Content), fmt.Sprintf(`{"url":"%s/","title":"Shop","status":200}`, web.URL); got != want {
		t.Errorf("opened: got %s, want %s", got, want)
	}
	if got := r.Presentation; got.Label != "Open page" || got.Detail != web.URL+"/" || got.Summary != "Shop" {
		t.Errorf("presentation: got %+v", got)
	}

	text := s.do("browser_read", nil)
	s.holds(text, `Tea shop\n\nGreen tea, black tea`, `link \"About us\" → `+web.URL+"/about", `field \"Name\" = \"nobody\"`,
		`choice \"Kind\" = \"Green\"`, `field \"Word\"`, `checkbox \"As a gift\"`, `button \"Order\"`)
	if strings.Contains(text, "secret") {
		t.Errorf("got %s, want nothing hidden in it", text)
	}

	s.do("browser_type", args{"field": "name", "text": "Ada “Ö” 茶"})
	s.do("browser_type", args{"field": "Kind", "text": "black"})
	s.do("browser_type", args{"field": "Day", "text": "2026-03-29"})
	s.do("browser_type", args{"selector": "[name=word]", "text": "hush"})
	s.do("browser_click", args{"text": "As a gift"})
	text = s.do("browser_read", nil)
	s.holds(text, `checkbox \"As a gift\" (checked)`, `field \"Word\" (filled)`)
	if strings.Contains(text, "hush") {
		t.Errorf("got %s, want no password in it", text)
	}
	s.holds(s.do("browser_click", args{"text": "Order"}), `"title":"Thanks"`, `"changed":true`)
	s.holds(s.do("browser_read", nil), "Ada “Ö” 茶 gets b on 2026-03-29, word hush, gift on")

	s.do("browser_open", args{"url": web.URL})
	s.holds(s.do("browser_click", args{"text": "about"}), `"title":"About"`)
	s.do("browser_open", args{"url": web.URL})
	s.do("browser_type", args{"field": "Name", "text": ""})
	s.holds(s.do("browser_type", args{"field": "Word", "text": "x", "submit": true}), `"title":"Thanks"`)
	s.holds(s.do("browser_read", nil), `"text":"gets g on`)
}

func TestAScreenshotIsAnImage(t *testing.T) {
	s := newSeat(t, shared)
	web := site(t, map[string]string{
		"/":     `<body style="margin:0;background:#00f">`,
		"/high": `<body style="margin:0"><div style="height:3000px">`,
		"/very": `<body style="margin:0"><div style="height:90000px">`,
		"/loud": `<canvas id=c width=1280 height=800></canvas><script>const x = c.getContext("2d"), d = x.createImageData(1280, 800);
			for (let i = 0; i < d.data.length; i++) d.data[i] = Math.random() * 256; x.putImageData(d, 0, 0)</script>`,
	})
	for path, c := range map[string]struct {
		arguments     args
		width, height int
		note, format  string
	}{
		"/":          {args{}, 1280, 800, "", "png"},
		"/high":      {args{"fullPage": true}, 1280, 3000, "", "png"},
		"/very":      {args{"fullPage": true}, 1280, maxHeight, "90000 pixels high", "png"},
		"/loud":      {args{}, 1280, 800, "", "jpeg"},
		"/high?view": {args{}, 1280, 800, "", "png"},
	} {
		s.do("browser_open", args{"url": web.URL + path})
		r := s.callWith(t.Context(), "browser_screenshot", c.arguments)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		split := tool.SplitContent(r.Content)
		if len(split.Images) != 1 {
			t.Fatalf("%s: got %d images of %.200s, want one", path, len(split.Images), r.Content)
		}
		got := split.Images[0]
		if got.Width != c.width || got.Height != c.height || got.MediaType != "image/"+c.format {
			t.Errorf("%s: got %s of %d × %d, want %s of %d × %d", path, got.MediaType, got.Width, got.Height, c.format, c.width, c.height)
		}
		var size struct {
			Width, Height int
			Note          string
		}
		if err := json.Unmarshal(r.Content, &size); err != nil || size.Width != c.width || size.Height != c.height || !strings.Contains(size.Note, c.note) {
			t.Errorf("%s: got %+v, %v", path, size, err)
		}
		if want := fmt.Sprintf(`{"image":{"src":"%s","mediaType":"image/%s"`, got.Hash, c.format); !strings.HasPrefix(string(r.Details), want) {
			t.Errorf("%s: details: got %s, want %s", path, r.Details, want)
		}
		if path == "/" {
			picture, _, err := image.Decode(bytes.NewReader(got.Bytes))
			if err != nil {
				t.Fatal(err)
			}
			if r, g, b, _ := picture.At(640, 400).RGBA(); r != 0 || g != 0 || b != 0xffff {
				t.Errorf("its colour: got %x %x %x, want blue", r, g, b)
			}
		}
	}
}

func TestALongPageIsReadInPieces(t *testing.T) {
	s := newSeat(t, shared)
	web := site(t, map[string]string{
		"/": "<p>" + strings.Repeat("🎈", maxRead) + "the end</p><main>" + strings.Repeat(`<button>b</button>`, maxControls+5) + "</main><iframe></iframe>",
	})
	s.do("browser_open", args{"url": web.URL})
	s.holds(s.do("browser_read", args{"selector": "p"}), fmt.Sprintf("there are %d characters. Read on with offset %d", maxRead+7, maxRead))
	s.holds(s.do("browser_read", args{"selector": "p", "offset": maxRead}), `"text":"the end"`)
	s.holds(s.do("browser_read", nil), "5 more controls are not listed", "The text of 1 frames is not in it")
	s.fails("browser_read", args{"selector": "article"}, `nothing fits the selector "article"`)
	s.fails("browser_read", args{"selector": "a["}, "is no CSS selector")
}

func TestAnElementThatIsNotMeantIsNotTouched(t *testing.T) {
	s := newSeat(t, shared)
	web := site(t, map[string]string{"/": `<title>t</title>
		<button>Save</button><button onclick="document.title = 'second'">Save</button><button disabled>Send</button>
		<div style="position:relative"><button id="under">Under</button><div style="position:absolute;inset:0;background:red">Over</div></div>
		<button style="display:none">Gone</button><input aria-label="Fixed" readonly value="x"><input type="date" aria-label="When">
		<select aria-label="Pick"><option>One</option></select><a href="#x"><span>Deep <b>link</b></span></a>
		<div style="height:5000px"></div><button onclick="document.title = 'far'">Far away</button>
		<my-part></my-part><script>customElements.define("my-part", class extends HTMLElement { connectedCallback() {
			this.attachShadow({mode: "open"}).innerHTML = "<button onclick=\"document.title = 'shadow'\">Inner</button>" } })</script>`})
	s.do("browser_open", args{"url": web.URL})
	s.fails("browser_click", args{"text": "save"}, `fits 2 elements (<button> "Save", <button> "Save"): say which by index`)
	s.fails("browser_click", args{"text": "save", "index": 3}, "there are 2 such elements, not 3")
	s.fails("browser_click", args{"text": "Send"}, `<button> "Send" is disabled`)
	s.fails("browser_click", args{"text": "Under"}, `<button> "Under" is covered by <div> "Over"`)
	s.fails("browser_click", args{"text": "Gone"}, `nothing visible fits "Gone"; there are "Save", "Send"`)
	s.fails("browser_click", args{"selector": "button[style]"}, "is not visible")
	s.fails("browser_click", args{"selector": "a["}, "is no CSS selector")
	s.fails("browser_click", args{}, "give text or selector, one of them")
	s.fails("browser_click", args{"text": "a", "selector": "b"}, "give text or selector, one of them")
	s.fails("browser_type", args{"field": "Fixed", "text": "y"}, "cannot be changed")
	s.fails("browser_type", args{"field": "When", "text": "tomorrow"}, `is a date and does not take "tomorrow"`)
	s.fails("browser_type", args{"field": "Pick", "text": "Two"}, `offers "One"`)
	s.fails("browser_type", args{"selector": "#under", "text": "Two"}, "takes no text")
	s.holds(s.do("browser_click", args{"text": "Save", "index": 2}), `"title":"second"`)
	s.holds(s.do("browser_click", args{"text": "Far away"}), `"title":"far"`)
	s.holds(s.do("browser_click", args{"text": "Inner"}), `"title":"shadow"`)
	s.holds(s.do("browser_click", args{"text": "deep link"}), "#x")
}

func TestAPageDoesNotWaitForAPerson(t *testing.T) {
	s := newSeat(t, shared)
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", "attachment; filename=x.bin")
			put(w, "bytes")
			return
		}
		w.Header().Set("Content-Type", "text/html")
		put(w, `<title>t</title><button onclick="document.title = confirm('Really?') ? 'yes' : 'no'">Ask</button>
			<button onclick="window.open('/other')">Pop</button><a href="/file">File</a>
			<script>alert("hello"); addEventListener("beforeunload", (e) => e.preventDefault())</script>`)
	}))
	s.holds(s.do("browser_open", args{"url": web.URL}), `The page showed a dialog (alert), which was dismissed: \"hello\".`)
	s.holds(s.do("browser_click", args{"text": "Ask"}), `"title":"no"`, `(confirm)`, `\"Really?\"`)
	s.holds(s.do("browser_click", args{"text": "Pop"}), "opened another window, which is not followed: "+web.URL+"/other")
	s.holds(s.do("browser_click", args{"text": "File"}), `"changed":false`)
	s.fails("browser_open", args{"url": web.URL + "/file"}, "a file to download")
	s.holds(s.do("browser_open", args{"url": web.URL + "/again"}), `"status":200`)
}

func TestEachThreadHasAPageAndCookiesOfItsOwn(t *testing.T) {
	s := newSeat(t, shared)
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie("seen")
		if err != nil {
			cookie = &http.Cookie{Value: "never"}
		}
		if r.URL.Path == "/favicon.ico" {
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: strings.Trim(r.URL.Path, "/")})
		put(w, "seen %s", cookie.Value)
	}))
	other := &seat{t, shared, t.Name() + " other"}
	other.fails("browser_read", nil, "no page is open: open one first")
	s.do("browser_open", args{"url": web.URL + "/first"})
	s.do("browser_open", args{"url": web.URL + "/second"})
	other.do("browser_open", args{"url": web.URL + "/third"})
	s.holds(s.do("browser_read", nil), "seen first")
	other.holds(other.do("browser_read", nil), "seen never")
}

func TestASlowPageIsUsedAsFarAsItCame(t *testing.T) {
	s := newSeat(t, shared)
	be := func(patience time.Duration) { // a call that was given up on may still look at it
		shared.mu.Lock()
		defer shared.mu.Unlock()
		shared.patience = patience
	}
	be(2 * time.Second)
	t.Cleanup(func() { be(loadTime) })
	release := make(chan struct{})
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/never" {
			select {
			case <-release:
			case <-r.Context().Done():
			}
			return
		}
		put(w, `<title>slow</title>Already here<img src="/never">`)
	}))
	t.Cleanup(func() { close(release) })
	s.holds(s.do("browser_open", args{"url": web.URL}), `"title":"slow"`, "did not finish loading")
	s.holds(s.do("browser_read", nil), "Already here")

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	be(loadTime)
	began := time.Now()
	slow := &seat{t, shared, t.Name() + " cancelled"}
	if r := slow.callWith(ctx, "browser_open", args{"url": web.URL + "/never"}); r.Err == nil || time.Since(began) > 30*time.Second {
		t.Errorf("a call that was cancelled: got %v after %s, want an error at once", r.Err, time.Since(began))
	}
}

func TestWhoIsAskedAndWhatIsShown(t *testing.T) {
	for unasked, want := range map[bool]map[string]bool{
		false: {"browser_open": true, "browser_click": true, "browser_type": true, "browser_read": false, "browser_screenshot": false},
		true:  {"browser_open": false, "browser_click": false, "browser_type": false, "browser_read": false, "browser_screenshot": false},
	} {
		tools, err := New(Options{Unasked: unasked}).Tools()
		if err != nil {
			t.Fatal(err)
		}
		for _, made := range tools {
			if got := made.NeedsApproval("{}"); got != want[made.Name] {
				t.Errorf("%s, unasked %t: asks %t, want %t", made.Name, unasked, got, want[made.Name])
			}
		}
	}
	s := newSeat(t, shared)
	web := site(t, map[string]string{"/": "<title>Shop</title><button>Buy</button>"})
	preview := func() string {
		call, err := s.prepare("browser_click", `{"text":"Buy"}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := call.Presentation(); got.Label != "Click" || got.Detail != "“Buy”" {
			t.Errorf("presentation: got %+v", got)
		}
		details, err := call.Preview(tool.Context{Context: t.Context(), ThreadID: s.thread})
		if err != nil {
			t.Fatal(err)
		}
		return string(details)
	}
	if got, want := preview(), `{"text":"No page is open."}`; got != want {
		t.Errorf("preview: got %s, want %s", got, want)
	}
	s.do("browser_open", args{"url": web.URL})
	if got, want := preview(), fmt.Sprintf(`{"text":"Shop\n%s/"}`, web.URL); got != want {
		t.Errorf("preview: got %s, want %s", got, want)
	}
}
