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

// fakeFrame is a window without a desktop.
type fakeFrame struct {
	mu      sync.Mutex
	screens []Screen
	now     Sight
}

func (f *fakeFrame) Screens() ([]Screen, error) { return f.screens, nil }

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
	f.now.Place = &to
}

func TestKeeperRestoresTheWindow(t *testing.T) {
	for _, c := range []struct {
		name   string
		kept   Window
		placed bool
		want   Sight
	}{
		{"where it was", Window{Width: 900, Height: 600, Place: at(10, 20), Zoom: 100}, true, Sight{Width: 900, Height: 600, Place: at(10, 20)}},
		{"from off the screen", Window{Width: 900, Height: 600, Place: at(9999, 20), Zoom: 100}, true, Sight{Width: 900, Height: 600, Place: at(1020, 20)}},
		{"smaller on a smaller screen", Window{Width: 3000, Height: 600, Place: at(0, 20), Zoom: 100}, true, Sight{Width: 1920, Height: 600, Place: at(0, 20)}},
		{"wherever a desktop puts it that tells no places", Window{Width: 900, Height: 600, Place: at(10, 20), Zoom: 100}, false, Sight{Width: 900, Height: 600, Place: at(500, 240)}},
		{"as it opened when it was maximised", Window{Width: 900, Height: 600, Place: at(10, 20), Maximised: true, Zoom: 100}, true, Sight{Width: 900, Height: 600, Place: at(500, 240)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame := &fakeFrame{screens: []Screen{{1920, 1080}}, now: Sight{Width: c.kept.Width, Height: c.kept.Height, Place: at(500, 240)}}
			memory := Remember(t.TempDir())
			if err := memory.keep(c.kept); err != nil {
				t.Fatal(err)
			}
			k := &Keeper{Memory: memory, Frame: frame, Placed: c.placed, Log: slog.New(slog.DiscardHandler)}
			k.restore()
			if diff := cmp.Diff(c.want, frame.Sight()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKeeperRemembersWhileTheWindowIsOpenAndAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		frame := &fakeFrame{screens: []Screen{{1920, 1080}}, now: Sight{Width: 1280, Height: 800, Place: at(1, 1)}}
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
