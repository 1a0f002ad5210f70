package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The size of a page's view, in CSS pixels.
const (
	viewWidth  = 1280
	viewHeight = 800
)

// maxNote is how much of what a page says is passed on.
const maxNote = 300

// page is one page and what happened in it.
type page struct {
	ctx      context.Context // ends with the page
	end      context.CancelFunc
	frame    string // its outermost
	proxy    *proxy
	patience time.Duration // for a page to load before what there is of it is used
	users    int           // guarded by the browser's mu
	used     time.Time

	mu     sync.Mutex // held while a call uses it
	asides asides

	noting sync.Mutex
	notes  []string
	at     place // as it was after the last call
}

func (p *page) close() {
	p.asides.stop()
	p.end()
	p.asides.wait()
}

// hear answers what would keep a page waiting for a person, and takes a note of it. It must not wait itself.
func (p *page) hear(event any) {
	switch e := event.(type) {
	case *cdpage.EventJavascriptDialogOpening:
		leave := e.Type == cdpage.DialogTypeBeforeunload
		if !leave {
			p.note(fmt.Sprintf("The page showed a dialog (%s), which was dismissed: %q.", e.Type, clip(e.Message)))
		}
		p.asides.start(func() {
			// It fails only when the page went away.
			_, _ = chromedp.Call(p.ctx, cdpage.HandleJavaScriptDialog, cdpage.HandleJavaScriptDialogParams{Accept: leave})
		})
	case *cdpage.EventWindowOpen:
		p.note(fmt.Sprintf("The page opened another window, which is not followed: %s. Open that address to see it.", clip(e.URL)))
	}
}

func (p *page) note(text string) {
	const most = 5
	p.noting.Lock()
	defer p.noting.Unlock()
	if len(p.notes) < most {
		p.notes = append(p.notes, text)
	}
}

// takeNotes returns what happened since it was called last.
func (p *page) takeNotes(more ...string) string {
	p.noting.Lock()
	defer p.noting.Unlock()
	all := slices.DeleteFunc(append(more, p.notes...), func(note string) bool { return note == "" })
	p.notes = nil
	return strings.Join(all, " ")
}

// errStuck says that a page cannot be used any more.
var errStuck = errors.New("the page did not answer, and was closed: open it again")

// rouse stops a script of the page that does not end: nothing could be asked of the page as long as it runs.
func (p *page) rouse(ctx context.Context, wake time.Duration) error {
	if p.awake(ctx, wake) {
		return ctx.Err()
	}
	stopping, cancel := context.WithTimeout(ctx, wake)
	defer cancel()
	// Whether it worked is seen next.
	_, _ = chromedp.Call(stopping, runtime.TerminateExecution, cdp.Empty{})
	if !p.awake(ctx, wake) {
		return errStuck
	}
	p.note("A script of the page that did not end was stopped.")
	return ctx.Err()
}

// awake reports whether a page answers in time; one that need not, since the call is over, counts.
func (p *page) awake(ctx context.Context, wake time.Duration) bool {
	asking, cancel := context.WithTimeout(ctx, wake)
	defer cancel()
	_, err := chromedp.Call(asking, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
	return err == nil || asking.Err() == nil || ctx.Err() != nil
}

// place is where a page is.
type place struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

// where asks a page where it is. A page that could not be loaded is an error.
func (p *page) where(ctx context.Context) (place, error) {
	history, err := chromedp.Call(ctx, cdpage.GetNavigationHistory, cdp.Empty{})
	for tries := 0; isBetween(err) && tries < 50 && sleep(ctx, 20*time.Millisecond); tries++ {
		history, err = chromedp.Call(ctx, cdpage.GetNavigationHistory, cdp.Empty{})
	}
	if err != nil {
		return place{}, fmt.Errorf("ask where the page is: %w", err)
	}
	var at place
	if i := int(history.CurrentIndex); i >= 0 && i < len(history.Entries) {
		at = place{URL: history.Entries[i].URL, Title: history.Entries[i].Title}
	}
	p.noting.Lock()
	p.at = at
	p.noting.Unlock()
	if fault := p.proxy.fault(at.URL); fault != nil {
		return at, fmt.Errorf("open %s: %w", at.URL, fault)
	}
	return at, nil
}

// isBetween says whether a page is, at that moment, leaving one process for another.
func isBetween(err error) bool {
	var refusal *cdproto.Error
	return errors.As(err, &refusal) && strings.Contains(refusal.Message, "Not attached to an active page")
}

// last is where the page was after the last call.
func (p *page) last() place {
	p.noting.Lock()
	defer p.noting.Unlock()
	return p.at
}

//go:embed page.js
var script string

// ask calls a function of page.js in a world of its own, which the page's scripts do not see.
func ask[T any](ctx context.Context, function string, argument any) (answer T, err error) {
	encoded, err := json.Marshal(argument)
	if err != nil {
		return answer, fmt.Errorf("ask the page: %w", err)
	}
	frame, err := chromedp.Call(ctx, cdpage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return answer, fmt.Errorf("ask the page: %w", err)
	}
	world, err := chromedp.Call(ctx, cdpage.CreateIsolatedWorld, cdpage.CreateIsolatedWorldParams{
		FrameID: frame.FrameTree.Frame.ID, WorldName: "callboard",
	})
	if err != nil {
		return answer, fmt.Errorf("ask the page: %w", err)
	}
	byValue := true
	result, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression: fmt.Sprintf("JSON.stringify((%s)().%s(%s))", script, function, encoded), ContextID: world.ExecutionContextID,
		ReturnByValue: &byValue,
	})
	if err != nil {
		return answer, fmt.Errorf("ask the page: %w", err)
	}
	if result.ExceptionDetails != nil {
		return answer, fmt.Errorf("ask the page: %w", &chromedp.ExceptionError{ExceptionDetails: result.ExceptionDetails})
	}
	var text string
	if err := json.Unmarshal(result.Result.Value, &text); err != nil {
		return answer, fmt.Errorf("read the page's answer: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return answer, fmt.Errorf("read the page's answer: %w", err)
	}
	return answer, nil
}

// settle waits until a page that was acted on has loaded what that led to. It returns a note when that takes too long.
func (p *page) settle(ctx context.Context) string {
	const first, pause = 150 * time.Millisecond, 50 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	for wait := first; sleep(ctx, wait); wait = pause {
		state, err := ask[string](ctx, "state", nil)
		if err == nil && state == "complete" {
			return ""
		}
		if err != nil && isGone(err) {
			return ""
		}
	}
	return "The page is still loading."
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// loadFault words why a page could not be loaded.
func loadFault(address string, err error) error {
	var load *chromedp.LoadError
	if !errors.As(err, &load) {
		return fmt.Errorf("open %s: %w", address, err)
	}
	if load.ErrorText == "net::ERR_ABORTED" {
		return fmt.Errorf("open %s: it is no page but a file to download, or the server sent nothing (%w)", address, err)
	}
	if load.ErrorText == "net::ERR_INVALID_AUTH_CREDENTIALS" {
		return fmt.Errorf("open %s: it asks for a name and a password, which the browser has not (%w)", address, err)
	}
	return fmt.Errorf("open %s: the browser could not load it: %s", address, strings.TrimPrefix(load.ErrorText, "net::"))
}

func clip(text string) string {
	if runes := []rune(text); len(runes) > maxNote {
		return string(runes[:maxNote]) + "…"
	}
	return text
}
