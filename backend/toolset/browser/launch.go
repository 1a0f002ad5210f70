package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

const (
	startTime = 30 * time.Second // a browser may take to start
	closeTime = 3 * time.Second  // a browser may take to close before it is made to
)

// names are what browsers are called where programs are found by name, places where they are not.
var (
	names  = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge"}
	places = map[string][]string{
		"darwin": {
			"/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
		},
		"windows": {
			`${ProgramFiles}\Google\Chrome\Application\chrome.exe`,
			`${ProgramFiles(x86)}\Google\Chrome\Application\chrome.exe`,
			`${LocalAppData}\Google\Chrome\Application\chrome.exe`,
			`${ProgramFiles(x86)}\Microsoft\Edge\Application\msedge.exe`,
		},
	}
)

// Find returns the path of a Chromium or Chrome, or ErrNoBrowser.
func Find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	for _, place := range places[runtime.GOOS] {
		path := os.Expand(place, os.Getenv)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: install one (on Debian: apt install chromium), or say where it is", ErrNoBrowser)
}

// window is a browser that runs.
type window struct {
	ctx   context.Context // ends with the browser
	end   context.CancelFunc
	proxy *proxy
	pages map[string]*page
	pid   int
	// frames are the pages by their outermost frame.
	frames sync.Map

	asides asides
}

// launch starts a browser behind a proxy of its own.
func launch(o Options) (*window, error) {
	path := o.Path
	if path == "" {
		var err error
		if path, err = Find(); err != nil {
			return nil, err
		}
	}
	proxy, err := newProxy(o.Allow)
	if err != nil {
		return nil, fmt.Errorf("start the browser: %w", err)
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), flags(path, proxy.address())...)
	ctx, cancel := chromedp.NewContext(allocator)
	w := &window{ctx: ctx, proxy: proxy, pages: map[string]*page{}, end: func() { cancel(); end() }}
	slow := time.AfterFunc(startTime, cancel)
	err = chromedp.Do(ctx)
	if err == nil && !slow.Stop() {
		err = fmt.Errorf("it did not start within %s", startTime)
	}
	if err != nil {
		slow.Stop()
		w.end()
		return nil, errors.Join(fmt.Errorf("start the browser %s: %w", path, err), proxy.close())
	}
	w.pid = chromedp.FromContext(ctx).Browser.Process().Pid
	if err := chromedp.ListenBrowser(ctx, w.hear); err != nil {
		w.close()
		return nil, fmt.Errorf("start the browser %s: %w", path, err)
	}
	return w, nil
}

// hear closes windows that pages open: what happens in them would be seen by nobody, and a dialog there stops the page. Of a download
// it takes a note. It must not wait itself.
func (w *window) hear(event any) {
	switch e := event.(type) {
	case *target.EventTargetCreated:
		if e.TargetInfo.OpenerID == "" {
			return
		}
		w.asides.start(func() {
			// It fails only when the window went away.
			_, _ = chromedp.CallBrowser(w.ctx, target.CloseTarget, target.CloseTargetParams{TargetID: e.TargetInfo.TargetID})
		})
	case *browser.EventDownloadWillBegin:
		if p, ok := w.frames.Load(string(e.FrameID)); ok {
			p.(*page).note(fmt.Sprintf("The page wanted to download a file, which is not done: %s.", clip(e.SuggestedFilename)))
		}
	}
}

// flags are the command line of a browser that reaches nothing but the proxy.
func flags(path, proxy string) []chromedp.ExecAllocatorOption {
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	return append(
		options,
		chromedp.ExecPath(path), chromedp.NoInheritEnv, chromedp.Env(environment()...), chromedp.ModifyCmdFunc(inGroup),
		chromedp.ProxyServer("http://"+proxy),
		chromedp.Flag("proxy-bypass-list", "<-loopback>"), // or this machine would be reached past the proxy
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-popup-blocking", false),
		chromedp.Flag("deny-permission-prompts", true),
		chromedp.Flag("mute-audio", true),
	)
}

// environment is the process's own without keys of models.
func environment() []string {
	var kept []string
	for _, one := range os.Environ() {
		if name, _, _ := strings.Cut(one, "="); !strings.HasSuffix(strings.ToUpper(name), "_API_KEY") {
			kept = append(kept, one)
		}
	}
	return kept
}

// newPage opens a page with cookies of its own.
func (w *window) newPage(patience time.Duration) (*page, error) {
	p := &page{proxy: w.proxy, patience: patience, used: time.Now()}
	p.ctx, p.end = chromedp.NewContext(w.ctx, chromedp.WithNewBrowserContext(withDisposal), chromedp.WithListener(p.hear))
	err := chromedp.Do(p.ctx, chromedp.EmulateViewport(viewWidth, viewHeight))
	if err == nil {
		at, tell := chromedp.FromContext(p.ctx), true
		p.frame = string(at.Target.TargetID)
		w.frames.Store(p.frame, p)
		_, err = chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: at.BrowserContextID, EventsEnabled: &tell,
		})
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("open a page in the browser: %w", err)
	}
	return p, nil
}

// withDisposal lets the browser forget a page's cookies even if this process does not say so.
func withDisposal(p *target.CreateBrowserContextParams) {
	yes := true
	p.DisposeOnDetach = &yes
}

func (w *window) closePage(key string) {
	w.frames.Delete(w.pages[key].frame)
	w.pages[key].close()
	delete(w.pages, key)
}

// close ends the browser and all its processes.
func (w *window) close() {
	w.asides.stop()
	for _, p := range w.pages {
		p.asides.stop()
	}
	if w.ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(w.ctx, closeTime)
		_ = chromedp.Cancel(ctx) // what did not close is ended below
		cancel()
	}
	w.end()
	killGroup(w.pid)
	for _, p := range w.pages {
		p.close()
	}
	w.asides.wait()
	_ = w.proxy.close() // its connections ended with the browser
}
