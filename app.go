//go:build dev || production || bindings

package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/pkg/browser"
	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/menu/keys"
	wailsoptions "github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	wailsruntime "github.com/wailsapp/wails/v2/pkg/runtime"

	"callboard/backend/commandline"
	"callboard/backend/desktop"
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
	// One window for each data folder: a second start hands over what it was asked to open, also to a window that has not opened the
	// folder yet.
	if desktop.HandOver(ctx, o.Config.Dir, o.Open) == nil {
		say(stderr, "the window that is open on %s comes to the front", o.Config.Dir)
		return exitOK
	}
	if err := studio.InUse(o.Config.Dir); err != nil {
		say(stderr, "%v", err)
	}
	memory := desktop.Remember(o.Config.Dir)
	kept := memory.Window()
	app := &App{started: make(chan struct{}), memory: memory, data: o.Config.Dir}
	app.openings.Add(o.Open)
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	life := &desktop.Life{
		Open:   func() (*studio.Studio, error) { return open(background, o, log) },
		Keeper: desktop.Keeper{Memory: memory, Frame: frame{app}, Placed: o.Placed, Log: log},
		Emit:   app.emit, Quit: app.Close, Until: background, Log: log,
	}
	app.life = life
	defer context.AfterFunc(ctx, life.Interrupt)()
	door, err := desktop.OpenDoor(ctx, o.Config.Dir, func(text string) {
		select {
		case <-app.started:
			app.open(text)
		case <-background.Done(): // the window did not open
		}
	})
	if err != nil {
		log.Warn("a second start cannot hand over to this window", "error", err)
	}

	err = show(&wailsoptions.App{
		Title:            "Callboard",
		Width:            kept.Width,
		Height:           kept.Height,
		MinWidth:         desktop.MinWidth,
		MinHeight:        desktop.MinHeight,
		WindowStartState: startState(kept),
		BackgroundColour: wailsoptions.NewRGB(0xfa, 0xfa, 0xfb),
		AssetServer:      &assetserver.Options{Handler: life},
		OnStartup:        app.start,
		OnBeforeClose:    life.BeforeClose,
		Bind:             []any{app},
		Menu:             firstMenu(),
		// Where text is written or marked, the page lets the system show its menu to cut, copy and paste.
		EnableDefaultContextMenu: true,
		Linux: &linux.Options{
			Icon:             icon,
			ProgramName:      "callboard",
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
		// WebKitGTK gives a page no files that are dropped on it; the other systems do.
		DragAndDrop: &wailsoptions.DragAndDrop{EnableFileDrop: runtime.GOOS == "linux"},
		Mac:         &mac.Options{OnFileOpen: app.open, OnUrlOpen: app.open},
		SingleInstanceLock: &wailsoptions.SingleInstanceLock{
			UniqueId: fmt.Sprintf("callboard-%x", sha256.Sum256([]byte(o.Config.Dir))),
			OnSecondInstanceLaunch: func(second wailsoptions.SecondInstanceData) {
				app.open(commandline.Asked(second.Args, second.WorkingDirectory))
			},
		},
	})
	stop()
	door.Close()
	if err = errors.Join(err, life.End(func(s *studio.Studio) error { return shut(ctx, s) })); err != nil {
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

// frame is the window's frame on the screen.
type frame struct{ *App }

func (f frame) Screens() ([]desktop.Screen, error) {
	found, err := wailsruntime.ScreenGetAll(f.context())
	var screens []desktop.Screen
	for _, s := range found {
		screens = append(screens, desktop.Screen{Width: s.Size.Width, Height: s.Size.Height, Current: s.IsCurrent})
	}
	return screens, err
}

func (f frame) Resize(width, height int) { wailsruntime.WindowSetSize(f.context(), width, height) }

func (f frame) Move(to desktop.Place) {
	to = to.Scaled(f.scale())
	wailsruntime.WindowSetPosition(f.context(), to.X, to.Y)
}

// scale is how many units of a place one of a size has: on Windows places are in the screen's own pixels.
func (f frame) scale() float64 {
	if runtime.GOOS != "windows" {
		return 1
	}
	found, err := wailsruntime.ScreenGetAll(f.context())
	if err != nil {
		return 1 // Screens says why
	}
	for _, s := range found {
		if s.IsCurrent && s.Size.Width > 0 {
			return float64(s.PhysicalSize.Width) / float64(s.Size.Width)
		}
	}
	return 1
}

func (f frame) Sight() desktop.Sight {
	ctx := f.context()
	width, height := wailsruntime.WindowGetSize(ctx)
	x, y := wailsruntime.WindowGetPosition(ctx)
	place := desktop.Place{X: x, Y: y}.Scaled(1 / f.scale())
	return desktop.Sight{
		Width: width, Height: height, Place: &place,
		Maximised: wailsruntime.WindowIsMaximised(ctx),
		Passing:   wailsruntime.WindowIsMinimised(ctx) || wailsruntime.WindowIsFullscreen(ctx),
	}
}

// App is what the page may ask of the wailsruntime.
type App struct {
	started chan struct{}
	ctx     context.Context // the window's, once started
	life    *desktop.Life
	memory  *desktop.Memory
	data    string // the data folder

	openings desktop.Openings

	notifying sync.Once
	notifyErr error // why there are no notifications here
}

func (a *App) start(ctx context.Context) {
	a.ctx = ctx
	close(a.started)
	wailsruntime.OnFileDrop(ctx, func(_, _ int, paths []string) {
		for _, path := range paths {
			a.open(path)
		}
	})
}

func (a *App) context() context.Context {
	<-a.started
	return a.ctx
}

func (a *App) emit(event string, payload ...any) {
	wailsruntime.EventsEmit(a.context(), event, payload...)
}

func (a *App) raise() {
	wailsruntime.WindowUnminimise(a.context())
	wailsruntime.Show(a.context())
}

// open brings the window to the front, and the page to show a link or a file.
func (a *App) open(text string) {
	a.openings.Add(text)
	a.raise()
	a.emit("opening")
}

// Openings gives what the page is to show of links and files that were opened, each once. The event "opening" says that there may be
// more.
func (a *App) Openings() []desktop.Opening {
	return a.openings.Take(func(path string) (string, error) { return a.life.ReadThread(a.context(), path) })
}

// Zoom gives how large the page was the last time, in percent.
func (a *App) Zoom() int { return a.memory.Window().Zoom }

// SetZoom remembers how large the page is, in percent.
func (a *App) SetZoom(percent int) error { return a.memory.Zoom(percent) }

// SetMenu shows the page's menus in the menu bar of a Mac. Which entry was chosen comes as the event "menu" with its id.
func (a *App) SetMenu(menus []desktop.Menu) {
	bar := menuBar(menus, func(id string) { a.emit("menu", id) })
	wailsruntime.MenuSetApplicationMenu(a.context(), bar)
}

// firstMenu is the menu until the page has shown its own.
func firstMenu() *menu.Menu {
	if runtime.GOOS != "darwin" {
		return nil // elsewhere it would be a bar in the window, which has a menu of its own
	}
	return menuBar(nil, nil)
}

// menuBar puts the page's menus between those every program of a Mac has. Without its menu Edit the keys to cut, copy and paste do
// nothing there.
func menuBar(menus []desktop.Menu, chosen func(id string)) *menu.Menu {
	bar := menu.NewMenuFromItems(menu.AppMenu())
	for i, m := range menus {
		shown := bar.AddSubmenu(m.Name)
		for j, part := range m.Parts {
			if j > 0 {
				shown.AddSeparator()
			}
			for _, e := range part {
				shown.Append(menuItem(e, chosen))
			}
		}
		if i == 0 {
			bar.Append(menu.EditMenu())
		}
	}
	bar.Append(menu.WindowMenu())
	return bar
}

func menuItem(e desktop.MenuEntry, chosen func(id string)) *menu.MenuItem {
	item := menu.Text(e.Name, nil, func(*menu.CallbackData) { chosen(e.ID) })
	if e.Checked != nil {
		item.Type, item.Checked = menu.CheckboxType, *e.Checked
	}
	item.Disabled = !e.Enabled
	if modifiers, key := e.Keys(); key != "" {
		item.Accelerator = &keys.Accelerator{Key: key}
		for _, m := range modifiers {
			item.Accelerator.Modifiers = append(item.Accelerator.Modifiers, keys.Modifier(m))
		}
	}
	return item
}

// Close closes the window, which asks before it stops live runs.
func (a *App) Close() { wailsruntime.Quit(a.context()) }

// Asking says that the page shows the question the event "closing" asked for.
func (a *App) Asking() { a.life.Asking() }

// Quit closes the window and stops live runs.
func (a *App) Quit() { a.life.Interrupt() }

// PickFolder asks for a folder, and begins in start where that is one; empty when none was chosen.
func (a *App) PickFolder(start string) (string, error) {
	if info, err := os.Stat(start); err != nil || !info.IsDir() {
		start = "" // which Wails would refuse
	}
	folder, err := wailsruntime.OpenDirectoryDialog(a.context(), wailsruntime.OpenDialogOptions{
		Title:                "Choose a folder to work in",
		DefaultDirectory:     start,
		CanCreateDirectories: true,
	})
	if err != nil {
		return "", fmt.Errorf("choose a folder: %w", err)
	}
	return folder, nil
}

// SaveFile asks where to save a file and writes it; false when no place was chosen.
func (a *App) SaveFile(name, base64Content string) (saved bool, err error) {
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
	return true, desktop.Save(path, base64Content)
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

// OpenDataFolder shows the data folder in the desktop's file manager.
func (a *App) OpenDataFolder() error {
	// Wails opens no file: addresses; this is what it opens the others with.
	if err := browser.OpenURL(desktop.FileAddress(a.data)); err != nil {
		return fmt.Errorf("open %s in a file manager: %w", a.data, err)
	}
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
	a.emit("notification", result.Response.ID)
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
