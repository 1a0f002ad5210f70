//go:build dev || production || bindings

package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/wailsapp/wails/v2"
	wailsoptions "github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	wailsruntime "github.com/wailsapp/wails/v2/pkg/runtime"

	"callboard/backend/agent"
	"callboard/backend/commandline"
	"callboard/backend/desktop"
	"callboard/backend/protocol"
	"callboard/backend/studio"
)

//go:embed build/appicon.png
var icon []byte

// window opens the window and returns once it is closed.
func window(ctx context.Context, o commandline.Options, stderr io.Writer) int {
	if !o.Display {
		say(stderr, "there is no display to open a window on; `callboard serve` opens the same studio in a browser")
		return exitFailed
	}
	log := logger(stderr, slog.LevelWarn)
	// One window for each data folder: a second start hands over what it was asked to open.
	id := fmt.Sprintf("callboard-%x", sha256.Sum256([]byte(o.Config.Dir)))
	if err := studio.InUse(o.Config.Dir); err != nil {
		if desktop.HandOver(ctx, id, o.Open) == nil {
			say(stderr, "the window that is open on %s comes to the front", o.Config.Dir)
			return exitOK
		}
		say(stderr, "%v; a window it has comes to the front", err)
	}
	memory := desktop.Remember(o.Config.Dir)
	kept := memory.Window()
	app := &App{started: make(chan struct{}), memory: memory}
	app.openings.Add(o.Open)
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	l := &life{app: app, log: log, background: background, keeper: desktop.Keeper{Memory: memory, Frame: frame{app}, Placed: o.Placed, Log: log}}
	l.open = func() (*studio.Studio, error) { return open(background, o, log) }
	app.quit, app.studio = l.interrupt, func() *studio.Studio { return l.studio }
	defer context.AfterFunc(ctx, l.interrupt)()

	err := show(&wailsoptions.App{
		Title:            "Callboard",
		Width:            kept.Width,
		Height:           kept.Height,
		MinWidth:         desktop.MinWidth,
		MinHeight:        desktop.MinHeight,
		WindowStartState: startState(kept),
		BackgroundColour: wailsoptions.NewRGB(0xfa, 0xfa, 0xfb),
		AssetServer:      &assetserver.Options{Handler: l},
		OnStartup:        app.start,
		OnBeforeClose:    l.beforeClose,
		Bind:             []any{app},
		// Where text is written or marked, the page lets the system show its menu to cut, copy and paste.
		EnableDefaultContextMenu: true,
		Linux: &linux.Options{
			Icon:             icon,
			ProgramName:      "callboard",
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
		Mac: &mac.Options{OnFileOpen: app.open, OnUrlOpen: app.open},
		SingleInstanceLock: &wailsoptions.SingleInstanceLock{
			UniqueId: id,
			OnSecondInstanceLaunch: func(second wailsoptions.SecondInstanceData) {
				app.open(commandline.Asked(second.Args, second.WorkingDirectory))
			},
		},
	})
	stop()
	if err = errors.Join(err, l.end(ctx)); err != nil {
		if !errors.Is(err, studio.ErrInUse) { // that was said at the beginning
			say(stderr, "%v", err)
		}
		return exitFailed
	}
	return exitOK
}

func startState(kept desktop.Window) wailsoptions.WindowStartState {
	if kept.Maximised {
		return wailsoptions.Maximised
	}
	return wailsoptions.Normal
}

// show runs the window. GTK panics on a display it cannot use.
func show(app *wailsoptions.App) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("open the window: %v", p)
		}
	}()
	return wails.Run(app)
}

// life is the window's life: it opens the studio, serves the page, rings its doorbell and asks before it stops runs.
type life struct {
	app        *App
	log        *slog.Logger
	background context.Context // ends with the window
	open       func() (*studio.Studio, error)

	once    sync.Once
	studio  *studio.Studio
	handler http.Handler
	err     error

	ringing  sync.WaitGroup
	quitting atomic.Bool // nobody is asked any more

	keeper desktop.Keeper
}

// load opens the studio at the first request of the page. By then it is certain that no other window has this data folder.
func (l *life) load() error {
	l.once.Do(func() {
		if l.studio, l.err = l.open(); l.err != nil {
			return
		}
		l.handler = l.studio.Handler()
		l.ringing.Go(func() { l.ring(l.studio.Runner().Bell().Listen("")) })
		go l.keeper.Tend(l.background) // it is not waited for: what is asked of a window that has gone may never be answered
	})
	return l.err
}

// ServeHTTP answers the window's requests.
func (l *life) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := l.load(); err != nil {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprintf(w, failurePage, html.EscapeString(err.Error()))
		return
	}
	l.handler.ServeHTTP(w, r)
}

const failurePage = `<!doctype html><meta charset="utf-8"><title>Callboard</title>
<body style="color-scheme: light dark; font: 14px/1.6 sans-serif; margin: 48px; max-width: 72ch">
<h1 style="font-size: 18px">Callboard cannot start</h1><p>%s</p><p>Nothing was changed. Close this window and try again.</p>`

// ring tells the page which runs have more events, and nothing else: the page reads them itself.
func (l *life) ring(bell *agent.Listener) {
	defer bell.Close()
	for {
		select {
		case <-l.background.Done():
			return
		case <-bell.C:
			for _, ring := range bell.Take() {
				wailsruntime.EventsEmit(l.app.context(), "doorbell", ring)
			}
		}
	}
}

// beforeClose says whether the window stays, because the page asks first.
func (l *life) beforeClose(ctx context.Context) (keep bool) {
	if l.asks(ctx) {
		return true
	}
	l.keeper.Leave()
	return false
}

// asks has the page ask whether live runs are to be stopped. A page that did not take the last question is not asked again: the
// window closes.
func (l *life) asks(ctx context.Context) bool {
	if l.quitting.Load() || l.load() != nil {
		return false
	}
	live, err := l.studio.Runner().Store.Runs(ctx, agent.RunQuery{Statuses: []protocol.Status{protocol.StatusRunning}, Bare: true})
	if err != nil {
		l.log.Error("count the live runs", "error", err)
	}
	if len(live) == 0 {
		return false
	}
	if !l.app.asked.CompareAndSwap(false, true) {
		return false
	}
	wailsruntime.EventsEmit(ctx, "closing", len(live))
	return true
}

// interrupt closes the window without a question: a signal asked for it, or a person who was asked.
func (l *life) interrupt() {
	l.quitting.Store(true)
	wailsruntime.Quit(l.app.context())
}

// end closes the studio once the window is gone.
func (l *life) end(ctx context.Context) error {
	l.once.Do(func() {})
	l.ringing.Wait()
	if l.studio == nil {
		return l.err
	}
	return shut(ctx, l.studio)
}

// frame is the window's frame on the screen.
type frame struct{ *App }

func (f frame) Screens() ([]desktop.Screen, error) {
	found, err := wailsruntime.ScreenGetAll(f.context())
	var screens []desktop.Screen
	for _, s := range found {
		screens = append(screens, desktop.Screen{Width: s.Size.Width, Height: s.Size.Height})
	}
	return screens, err
}

func (f frame) Resize(width, height int) { wailsruntime.WindowSetSize(f.context(), width, height) }

func (f frame) Move(to desktop.Place) { wailsruntime.WindowSetPosition(f.context(), to.X, to.Y) }

func (f frame) Sight() desktop.Sight {
	ctx := f.context()
	width, height := wailsruntime.WindowGetSize(ctx)
	x, y := wailsruntime.WindowGetPosition(ctx)
	return desktop.Sight{
		Width: width, Height: height, Place: &desktop.Place{X: x, Y: y},
		Maximised: wailsruntime.WindowIsMaximised(ctx),
		Passing:   wailsruntime.WindowIsMinimised(ctx) || wailsruntime.WindowIsFullscreen(ctx),
	}
}

// App is what the page may ask of the wailsruntime.
type App struct {
	started chan struct{}
	ctx     context.Context // the window's, once started
	quit    func()
	studio  func() *studio.Studio // open once the page was served
	memory  *desktop.Memory

	openings desktop.Openings
	asked    atomic.Bool // the page is asked whether the window may close, and has not said yet that it shows the question

	notifying sync.Once
	notifyErr error // why there are no notifications here
}

func (a *App) start(ctx context.Context) {
	a.ctx = ctx
	close(a.started)
}

func (a *App) context() context.Context {
	<-a.started
	return a.ctx
}

func (a *App) raise() {
	wailsruntime.WindowUnminimise(a.context())
	wailsruntime.Show(a.context())
}

// open brings the window to the front, and the page to show a link or a file.
func (a *App) open(text string) {
	a.openings.Add(text)
	a.raise()
	wailsruntime.EventsEmit(a.context(), "opening")
}

// Openings gives what the page is to show of links and files that were opened, each once. The event "opening" says that there may be
// more.
func (a *App) Openings() []desktop.Opening {
	return a.openings.Take(func(path string) (string, error) {
		return "", fmt.Errorf("%s: this program reads no file of a thread", path)
	})
}

// Zoom gives how large the page was the last time, in percent.
func (a *App) Zoom() int { return a.memory.Window().Zoom }

// SetZoom remembers how large the page is, in percent.
func (a *App) SetZoom(percent int) error { return a.memory.Zoom(percent) }

// Close closes the window, which asks before it stops live runs.
func (a *App) Close() { wailsruntime.Quit(a.context()) }

// Asking says that the page shows the question the event "closing" asked for.
func (a *App) Asking() { a.asked.Store(false) }

// Quit closes the window and stops live runs.
func (a *App) Quit() { a.quit() }

// PickFolder asks for a folder; empty when none was chosen.
func (a *App) PickFolder() (string, error) {
	folder, err := wailsruntime.OpenDirectoryDialog(a.context(), wailsruntime.OpenDialogOptions{
		Title:                "Choose a folder to work in",
		CanCreateDirectories: true,
	})
	if err != nil {
		return "", fmt.Errorf("choose a folder: %w", err)
	}
	return folder, nil
}

// SaveFile asks where to save a file and writes it; false when no place was chosen.
func (a *App) SaveFile(name, base64Content string) (saved bool, err error) {
	content, err := base64.StdEncoding.DecodeString(base64Content)
	if err != nil {
		return false, fmt.Errorf("save %s: %w", name, err)
	}
	path, err := wailsruntime.SaveFileDialog(a.context(), wailsruntime.SaveDialogOptions{
		Title:                "Save",
		DefaultFilename:      filepath.Base(name),
		CanCreateDirectories: true,
	})
	if err != nil {
		return false, fmt.Errorf("choose where to save %s: %w", name, err)
	}
	if path == "" {
		return false, nil
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return false, fmt.Errorf("save %s: %w", name, err)
	}
	return true, nil
}

// OpenExternal opens a web address in the browser; other kinds of address are refused.
func (a *App) OpenExternal(address string) error {
	u, err := desktop.WebAddress(address)
	if err != nil {
		return fmt.Errorf("open %q: %w", address, err)
	}
	wailsruntime.BrowserOpenURL(a.context(), u)
	return nil
}

// Notify shows a notification of the desktop and gives its id. A click on it brings the window to the front and tells the page, as
// the event "notification" with that id. Where there are no notifications it says so, and the window goes on without.
func (a *App) Notify(title, body string) (string, error) {
	ctx := a.context()
	a.notifying.Do(func() {
		if a.notifyErr = wailsruntime.InitializeNotifications(ctx); a.notifyErr != nil {
			return
		}
		wailsruntime.OnNotificationResponse(ctx, a.notificationClicked)
		_, a.notifyErr = wailsruntime.RequestNotificationAuthorization(ctx)
	})
	if a.notifyErr != nil {
		return "", fmt.Errorf("set up notifications: %w", a.notifyErr)
	}
	id := rand.Text()
	if err := wailsruntime.SendNotification(ctx, wailsruntime.NotificationOptions{ID: id, Title: title, Body: body}); err != nil {
		return "", fmt.Errorf("show a notification: %w", err)
	}
	return id, nil
}

func (a *App) notificationClicked(result wailsruntime.NotificationResult) {
	if result.Error != nil {
		return // it was closed, or the desktop lost it
	}
	a.raise()
	wailsruntime.EventsEmit(a.context(), "notification", result.Response.ID)
}

// SetTheme makes the window's own surface follow the page: "light", "dark", or "system".
func (a *App) SetTheme(theme string) {
	switch theme {
	case "light":
		wailsruntime.WindowSetLightTheme(a.context())
		wailsruntime.WindowSetBackgroundColour(a.context(), 0xfa, 0xfa, 0xfb, 0xff)
	case "dark":
		wailsruntime.WindowSetDarkTheme(a.context())
		wailsruntime.WindowSetBackgroundColour(a.context(), 0x0c, 0x0d, 0x10, 0xff)
	default:
		wailsruntime.WindowSetSystemDefaultTheme(a.context())
	}
}
