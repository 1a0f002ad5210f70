package browser

import (
	"context"
	"net/http"
	"testing"
	"time"
)

func TestAPageWhoseScriptDoesNotEndIsRoused(t *testing.T) {
	b := New(Options{Allow: admitted.has, Unasked: true})
	b.wake = 4 * time.Second
	t.Cleanup(b.Close)
	s := newSeat(t, b)
	looping := make(chan struct{}, 1)
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/loop": // the script waits for an answer, and then for nothing
			put(w, `<title>Loop</title>before it<script>setTimeout(() => {
				const ask = new XMLHttpRequest(); ask.open("GET", "/begun", false); ask.send(); while (true) {}
			}, 50)</script>`)
		case "/begun":
			looping <- struct{}{}
		case "/two":
			put(w, "<title>Two</title>the next page")
		}
	}))
	const stopped = "A script of the page that did not end was stopped."
	for range 2 {
		s.do("browser_open", args{"url": web.URL + "/loop"})
		<-looping
		s.holds(s.do("browser_open", args{"url": web.URL + "/two"}), `"Two"`, stopped)
		s.holds(s.do("browser_read", nil), "the next page")
	}
	s.do("browser_open", args{"url": web.URL + "/loop"})
	<-looping
	s.holds(s.do("browser_read", nil), "before it", stopped)
}

func TestAPageThatIsStoppedWhileItLoadsDoesNotComeLater(t *testing.T) {
	s := newSeat(t, shared)
	asked := make(chan struct{})
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/hang" {
			close(asked)
			<-r.Context().Done()
			return
		}
		put(w, "<title>First</title>the first page")
	}))
	s.do("browser_open", args{"url": web.URL + "/"})
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-asked; stop() }()
	if r := s.callWith(ctx, "browser_open", args{"url": web.URL + "/hang"}); r.Err == nil {
		t.Errorf("it opened: %s", r.Content)
	}
	s.holds(s.do("browser_read", nil), "the first page", web.URL+"/")
}

func TestWhatIsNoPageIsSaid(t *testing.T) {
	s := newSeat(t, shared)
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/file":
			w.Header().Set("Content-Disposition", "attachment; filename=numbers.bin")
			put(w, "123")
		case "/pdf":
			w.Header().Set("Content-Type", "application/pdf")
			put(w, "%%PDF-1.4")
		case "/auth":
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.Header().Set("Content-Type", "text/html")
			put(w, `<a href="/file">Get it</a>`)
		}
	}))
	s.do("browser_open", args{"url": web.URL})
	s.holds(s.do("browser_click", args{"text": "Get it"}), "which is not done: numbers.bin")
	s.holds(s.do("browser_open", args{"url": web.URL + "/pdf"}), "It is a PDF")
	s.fails("browser_open", args{"url": web.URL + "/auth"}, "asks for a name and a password")
}
