package desktop

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// monitor is a screen of a fake desktop: where it begins, and how large it is.
type monitor struct{ x, y, width, height int }

var hd = monitor{width: 1920, height: 1080}

// fakeFrame is a window on a fake desktop, which moves it as Wails does: from the corner of the screen it is on.
type fakeFrame struct {
	mu       sync.Mutex
	monitors []monitor
	now      Sight
	fixed    bool // the desktop moves no windows
}

// current returns the monitor that has most of the window, or is the nearest.
func (f *fakeFrame) current() (at int) {
	best, found := 0, false
	for i, m := range f.monitors {
		seen := Screen{Width: m.width, Height: m.height}.overlap(*f.now.Place, Place{m.x, m.y}, Window{Width: f.now.Width, Height: f.now.Height})
		worth := max(seen.Width, 0) * max(seen.Height, 0)
		if worth == 0 {
			worth = min(seen.Width, 0) + min(seen.Height, 0) // how far away it is
		}
		if !found || worth > best {
			best, found, at = worth, true, i
		}
	}
	return at
}

func (f *fakeFrame) Screens() (screens []Screen, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, m := range f.monitors {
		screens = append(screens, Screen{Width: m.width, Height: m.height, Current: f.now.Place != nil && i == f.current()})
	}
	return screens, nil
}

func (f *fakeFrame) Sight() Sight {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := f.now
	if p := f.now.Place; p != nil {
		seen.Place = at(p.X, p.Y)
	}
	return seen
}

func (f *fakeFrame) Resize(width, height int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.Width, f.now.Height = width, height
}

func (f *fakeFrame) Move(to Place) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fixed || f.now.Place == nil {
		return
	}
	m := f.monitors[f.current()]
	f.now.Place = at(m.x+to.X, m.y+to.Y)
}

func TestKeeperRestoresTheWindow(t *testing.T) {
	var (
		one   = []monitor{hd}
		right = []monitor{hd, {x: 1920, width: 2560, height: 1440}}
		left  = []monitor{{x: 1600, width: 1920, height: 1080}, {width: 1600, height: 1200}}
		over  = []monitor{{width: 1400, height: 900}, {x: 1400, y: -900, width: 1400, height: 900}}
		small = Window{Width: 900, Height: 600}
	)
	placed := func(x, y int) Window { return Window{Width: small.Width, Height: small.Height, Place: at(x, y)} }
	stands := func(x, y int) Sight { return Sight{Width: small.Width, Height: small.Height, Place: at(x, y)} }
	for _, c := range []struct {
		name     string
		kept     Window
		monitors []monitor
		opened   Place // where the desktop opens it
		want     Sight
	}{
		{"where it was", placed(10, 20), one, Place{500, 240}, stands(10, 20)},
		{"from off the screen", placed(9999, 20), one, Place{500, 240}, stands(1020, 20)},
		{"from over the screen's edges", placed(-40, -30), one, Place{500, 240}, stands(0, 0)},
		{"where it was on a screen that begins under a bar", placed(10, 80), []monitor{{y: 48, width: 1920, height: 1032}}, Place{500, 240}, stands(10, 80)},
		{"smaller on a smaller screen", Window{Width: 3000, Height: 600, Place: at(0, 20)}, one, Place{0, 240}, Sight{Width: 1920, Height: 600, Place: at(0, 20)}},
		{"wherever the desktop put it when it was remembered without a place", small, one, Place{500, 240}, stands(500, 240)},
		{"as it opened when it was maximised", Window{Width: 900, Height: 600, Place: at(10, 20), Maximised: true}, one, Place{500, 240}, stands(500, 240)},
		{"on the second screen", placed(2100, 700), right, Place{500, 240}, stands(2100, 700)},
		{"on the second screen, opened there", placed(2100, 700), right, Place{2500, 400}, stands(2100, 700)},
		{"exactly where it opened on the second screen", placed(2100, 700), right, Place{2100, 700}, stands(2100, 700)},
		{"on the first screen, opened on the second", placed(30, 40), right, Place{2500, 400}, stands(30, 40)},
		{"across two screens", placed(1500, 100), right, Place{500, 240}, stands(1500, 100)},
		{"on a screen to the left of the first", placed(100, 300), left, Place{2000, 240}, stands(100, 300)},
		{"from a screen that is gone to the nearest", placed(4800, 700), right, Place{500, 240}, stands(3580, 700)},
		{"from a place between screens that is on none of them", placed(100, -700), over, Place{200, 100}, stands(100, 0)},
		{"from above a screen, with a rim of it on the screen", placed(1500, -1450), over, Place{200, 100}, stands(1500, -900)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				frame := &fakeFrame{monitors: c.monitors, now: Sight{Width: c.kept.Width, Height: c.kept.Height, Place: &c.opened}}
				if got := restored(t, frame, c.kept, true); cmp.Diff(c.want, got) != "" {
					t.Error(cmp.Diff(c.want, got))
				}
			})
		})
	}
	t.Run("not where a desktop tells no places", func(t *testing.T) {
		frame := &fakeFrame{monitors: one, now: stands(500, 240)}
		if diff := cmp.Diff(stands(500, 240), restored(t, frame, placed(10, 20), false)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("not where a desktop moves no windows", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			frame := &fakeFrame{monitors: right, now: stands(500, 240), fixed: true}
			if diff := cmp.Diff(stands(500, 240), restored(t, frame, placed(2100, 20), true)); diff != "" {
				t.Error(diff)
			}
		})
	})
}

// restored returns the window after a keeper restored it that remembers it as kept.
func restored(t *testing.T, frame *fakeFrame, kept Window, placed bool) Sight {
	t.Helper()
	kept.Zoom = firstZoom
	memory := Remember(t.TempDir())
	if err := memory.keep(kept); err != nil {
		t.Fatal(err)
	}
	k := &Keeper{Memory: memory, Frame: frame, Placed: placed, Log: slog.New(slog.DiscardHandler)}
	k.restore()
	return frame.Sight()
}

func TestKeeperRemembersWhileTheWindowIsOpenAndAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		frame := &fakeFrame{monitors: []monitor{hd}, now: Sight{Width: 1280, Height: 800, Place: at(1, 1)}}
		k := &Keeper{Memory: Remember(dir), Frame: frame, Placed: true, Log: slog.New(slog.DiscardHandler)}
		k.Leave()
		if got := k.Memory.Window().Place; got != nil {
			t.Errorf("got %v of a window that was never tended, want nothing", *got)
		}
		k.leaving.Store(false)

		ctx, end := context.WithCancel(t.Context())
		var tended sync.WaitGroup
		tended.Go(func() { k.Tend(ctx) })
		synctest.Wait()
		frame.Move(Place{30, 40})
		place := func() Place {
			if p := Remember(dir).Window().Place; p != nil {
				return *p
			}
			return Place{}
		}
		time.Sleep(lookEvery) // of the test's own clock
		synctest.Wait()
		if got := place(); got != (Place{30, 40}) {
			t.Errorf("got %v after a look, want 30, 40", got)
		}
		frame.Move(Place{50, 60})
		k.Leave()
		if got := place(); got != (Place{50, 60}) {
			t.Errorf("got %v once it closed, want 50, 60", got)
		}
		frame.Move(Place{70, 80})
		time.Sleep(lookEvery)
		synctest.Wait()
		if got := place(); got != (Place{50, 60}) {
			t.Errorf("got %v after it had gone, want it left at 50, 60", got)
		}
		end()
		tended.Wait()
	})
}
