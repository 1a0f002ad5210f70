// Package browser is the tools that use web pages in a headless Chromium: browser_open, browser_click, browser_type, browser_read
// and browser_screenshot. It knows nothing of agents or models, and nothing of a person's own browser: it starts one of its own,
// with an empty profile and no extensions, and ends it.
//
// Each thread has one page, with cookies of its own, which is closed when it was not used for a while; the browser ends with its last
// page. All its connections go through a proxy in this process, which refuses addresses that are not public (this machine, its
// network, and names that lead there) unless Options.Allow admits the host; file: and other schemes are not opened at all.
// What a page may do is limited to that page: it downloads nothing, dialogs are dismissed, and text inside its frames is neither
// read nor clicked.
//
// browser_open, browser_click and browser_type act on other people's services, and an address can carry what an agent knows away:
// they wait for a person unless Options.Unasked is set. A rule can allow the addresses one trusts.
package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"

	"callboard/backend/tool"
)

// Options says which browser is used, and what it may reach.
type Options struct {
	Path string // of Chromium or Chrome; empty looks for one (Find)
	// Allow admits a host, as "name:port", that is not on the public net; nil admits none. Hosts makes one.
	Allow   func(hostPort string) bool
	Unasked bool          // nothing waits for a person
	Idle    time.Duration // after which a page that was not used is closed; 0 is five minutes
}

// Hosts admits the hosts of a list, each a name or an address, with a port or without for every port.
func Hosts(list ...string) func(hostPort string) bool {
	return func(hostPort string) bool {
		host, _, err := net.SplitHostPort(hostPort)
		return slices.ContainsFunc(list, func(one string) bool {
			return strings.EqualFold(one, hostPort) || err == nil && strings.EqualFold(strings.Trim(one, "[]"), host)
		})
	}
}

const (
	defaultIdle = 5 * time.Minute
	callTimeout = time.Minute
	// loadTime is how long a page may load before what there is of it is used.
	loadTime = 20 * time.Second
	// wakeTime is how long a page may be at work with a script of its own before that is stopped for a call.
	wakeTime = 5 * time.Second
	// maxPages is how many pages there are at a time. One more takes the place of the one that was not used longest.
	maxPages = 8
)

// What callers compare.
var (
	// ErrNoBrowser is returned where no browser is installed.
	ErrNoBrowser = errors.New("no Chromium or Chrome was found")
	// ErrNoPage is returned by calls that need an open page.
	ErrNoPage = errors.New("no page is open: open one first")
	// ErrClosed is returned once Close was called.
	ErrClosed = errors.New("the browser is closed")
)

// Browser is the tools and the browser they share. It is started by the first page that is opened.
type Browser struct {
	options  Options
	patience time.Duration
	wake     time.Duration

	mu     sync.Mutex
	closed bool
	window *window // nil while no browser runs
	timer  *time.Timer
	ending sync.WaitGroup // of the timer
}

// New makes the tools' browser, which does not run yet.
func New(o Options) *Browser {
	if o.Idle <= 0 {
		o.Idle = defaultIdle
	}
	if o.Allow == nil {
		o.Allow = Hosts()
	}
	return &Browser{options: o, patience: loadTime, wake: wakeTime}
}

// Tools makes the five tools.
func (b *Browser) Tools() ([]*tool.Tool, error) {
	tools := make([]*tool.Tool, 0, 5)
	for _, define := range []func() (*tool.Tool, error){b.openTool, b.clickTool, b.typeTool, b.readTool, b.screenshotTool} {
		t, err := define()
		if err != nil {
			return nil, fmt.Errorf("make the browser's tools: %w", err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// Close ends the browser with all its pages. Later calls return ErrClosed.
func (b *Browser) Close() {
	b.mu.Lock()
	b.closed = true
	if b.timer != nil && b.timer.Stop() {
		b.ending.Done()
	}
	b.quit()
	b.mu.Unlock()
	b.ending.Wait()
}

// quit ends the browser; mu is held.
func (b *Browser) quit() {
	if b.window != nil {
		b.window.close()
		b.window = nil
	}
}

// with runs a function on a thread's page, which is opened if need be and if open is set. Calls on one page come one after the other.
func (b *Browser) with(ctx tool.Context, open bool, do func(ctx context.Context, p *page) error) error {
	p, err := b.take(key(ctx), open)
	if err != nil {
		return err
	}
	defer b.release(p)
	p.mu.Lock()
	defer p.mu.Unlock()
	during, cancel := context.WithCancel(p.ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	if err = p.rouse(during, b.wake); err == nil {
		err = do(during, p)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errStuck):
		b.discard(key(ctx), p)
	case p.ctx.Err() != nil:
		return fmt.Errorf("the browser ended, and the page with it: open it again (%w)", err)
	}
	return err
}

// key is whose page a call uses: its thread's, else its run's.
func key(ctx tool.Context) string {
	if ctx.ThreadID != "" {
		return "thread " + ctx.ThreadID
	}
	return "run " + ctx.RunID
}

func (b *Browser) take(key string, open bool) (*page, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, ErrClosed
	}
	if b.window != nil && b.window.ctx.Err() != nil { // it crashed, or someone ended it
		b.quit()
	}
	if b.window == nil {
		if !open {
			return nil, ErrNoPage
		}
		w, err := launch(b.options)
		if err != nil {
			return nil, err
		}
		b.window = w
	}
	p := b.window.pages[key]
	if p == nil {
		if !open {
			return nil, ErrNoPage
		}
		if len(b.window.pages) >= maxPages {
			b.closeOldest()
		}
		var err error
		if p, err = b.window.newPage(b.patience); err != nil {
			return nil, err
		}
		b.window.pages[key] = p
	}
	p.users++
	return p, nil
}

// discard closes a page that cannot be used any more, unless that was done.
func (b *Browser) discard(key string, p *page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.window != nil && b.window.pages[key] == p {
		b.window.closePage(key)
	}
}

// release arms the timer that closes pages nobody uses.
func (b *Browser) release(p *page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.users--
	p.used = time.Now()
	b.arm()
}

func (b *Browser) arm() {
	if b.closed || b.timer != nil {
		return
	}
	b.ending.Add(1)
	b.timer = time.AfterFunc(b.options.Idle, func() {
		defer b.ending.Done()
		b.sweep()
	})
}

// sweep closes the pages that were not used for a while, and the browser after the last.
func (b *Browser) sweep() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = nil
	if b.window == nil {
		return
	}
	for key, p := range b.window.pages {
		if p.users == 0 && time.Since(p.used) >= b.options.Idle {
			b.window.closePage(key)
		}
	}
	if len(b.window.pages) == 0 {
		b.quit()
		return
	}
	b.arm()
}

func (b *Browser) closeOldest() {
	oldest := ""
	for key, p := range b.window.pages {
		if p.users == 0 && (oldest == "" || p.used.Before(b.window.pages[oldest].used)) {
			oldest = key
		}
	}
	if oldest != "" {
		b.window.closePage(oldest)
	}
}

func (b *Browser) asking() tool.Approval {
	if b.options.Unasked {
		return tool.Approval{}
	}
	return tool.Always
}

// Running says whether a browser process runs at this moment.
func (b *Browser) Running() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.window != nil && b.window.ctx.Err() == nil
}

// isGone says whether an error is only that the browser went away under a command.
func isGone(err error) bool {
	return errors.Is(err, chromedp.ErrTargetDetached) || errors.Is(err, chromedp.ErrChannelClosed)
}

// about presents one call among those of its tool.
func about(calls tool.Presentation, detail, summary string) *tool.Presentation {
	calls.Detail, calls.Summary = detail, summary
	return &calls
}
