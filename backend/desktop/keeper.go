package desktop

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Frame is a window on its screen. Its methods may take until the desktop answers.
type Frame interface {
	Screens() ([]Screen, error)
	Sight() Sight
	Resize(width, height int)
	// Move moves the window, now or soon. Its place counts from the corner of the screen the window is on, which need not be where the
	// places of Sight count from.
	Move(Place)
}

// Keeper puts a window where it was the last time, and remembers where it is.
type Keeper struct {
	Memory *Memory
	Frame  Frame
	Placed bool // the window knows where it stands and can be moved
	Log    *slog.Logger

	tending atomic.Bool
	looking sync.Mutex  // held while the window is looked at
	leaving atomic.Bool // the window is about to go: it is not looked at any more
}

// lookEvery is how often a window is looked at: nothing tells of a move, and a program that is killed is to have remembered too.
const lookEvery = time.Second

// Tend restores the window and looks at it until ctx is done.
func (k *Keeper) Tend(ctx context.Context) {
	k.restore()
	k.tending.Store(true)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			k.look()
		}
	}
}

// Leave looks at the window for the last time, if it was tended and nobody looks just now.
func (k *Keeper) Leave() {
	if k.tending.Load() {
		k.look()
	}
	k.leaving.Store(true)
}

// restore gives the window its size and place on the screens there are now.
func (k *Keeper) restore() {
	kept := k.Memory.Window()
	if kept.Maximised {
		return // it was opened so, and moved it would not be any more
	}
	screens, err := k.Frame.Screens()
	if err != nil {
		k.Log.Error("look at the screens", "error", err)
	}
	fits := kept.Within(screens)
	if fits.Width != kept.Width || fits.Height != kept.Height {
		k.Frame.Resize(fits.Width, fits.Height)
	}
	if fits.Place != nil && k.Placed {
		k.place(fits)
	}
}

func (k *Keeper) look() {
	if k.leaving.Load() || !k.looking.TryLock() {
		return
	}
	defer k.looking.Unlock()
	seen := k.Frame.Sight()
	if !k.Placed {
		seen.Place = nil
	}
	if err := k.Memory.See(seen); err != nil {
		k.Log.Error("the next window will not be as this one", "error", err)
	}
}
