package desktop

import (
	"slices"
	"time"
)

// So long a window may take until it stands where it was moved to, and so often it is looked at meanwhile.
const (
	settleTimeout = 300 * time.Millisecond
	settleEvery   = 10 * time.Millisecond
)

// grip is how much of a window has to be on a screen, each way and in the desktop's pixels, for a person to see and move it.
const grip = 120

// place moves the window to where it was, or where nobody would see it there, onto the nearest screen. Nothing tells how screens
// stand to each other: where one begins is found by moving the window on it and looking where it is then.
func (k *Keeper) place(w Window) {
	want := *w.Place
	if now, known := k.where(); !known || now == want {
		return // it cannot be moved, or the desktop put it there
	}
	before, _ := k.current()
	origin := k.move(want, Place{})
	if origin != (Place{}) {
		k.move(want, origin)
	}
	now, screens := k.current()
	if now < 0 {
		return
	}
	screen := screens[now]
	if now != before { // it came to another screen than it opened on
		origin = k.move(Place{X: max(0, screen.Width-w.Width) / 2, Y: max(0, screen.Height-w.Height) / 2}, Place{})
		k.move(want, origin)
	}
	if seen := screen.overlap(want, origin, w); len(screens) == 1 || seen.Width < grip || seen.Height < grip {
		fits := Place{
			X: origin.X + clamp(want.X-origin.X, screen.Width-w.Width),
			Y: origin.Y + clamp(want.Y-origin.Y, screen.Height-w.Height),
		}
		if fits != want {
			k.move(fits, origin)
		}
	}
}

// move moves the window on a screen that begins at origin, and returns where the screen really begins.
func (k *Keeper) move(to, origin Place) Place {
	asked := Place{X: to.X - origin.X, Y: to.Y - origin.Y}
	before, _ := k.where()
	k.Frame.Move(asked)
	now := before
	for end := time.Now().Add(settleTimeout); now == before && time.Now().Before(end); now, _ = k.where() {
		time.Sleep(settleEvery)
	}
	return Place{X: now.X - asked.X, Y: now.Y - asked.Y}
}

// where returns the window's place, where it is known.
func (k *Keeper) where() (Place, bool) {
	if p := k.Frame.Sight().Place; p != nil {
		return *p, true
	}
	return Place{}, false
}

// current returns which of the screens the window is on; -1 when that is not known.
func (k *Keeper) current() (int, []Screen) {
	screens, err := k.Frame.Screens()
	if err != nil {
		k.Log.Error("look at the screens", "error", err)
		return -1, nil
	}
	return slices.IndexFunc(screens, func(s Screen) bool { return s.Current }), screens
}

// overlap returns how much of a window that stands at a place is on the screen that begins at origin; not positive when nothing is.
func (s Screen) overlap(at, origin Place, w Window) Screen {
	return Screen{
		Width:  min(at.X+w.Width, origin.X+s.Width) - max(at.X, origin.X),
		Height: min(at.Y+w.Height, origin.Y+s.Height) - max(at.Y, origin.Y),
	}
}
