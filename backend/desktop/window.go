package desktop

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
)

// The least and the first size of a window, in the desktop's pixels.
const (
	MinWidth, MinHeight     = 720, 480
	firstWidth, firstHeight = 1280, 800
)

// maxSide limits a side and a place, in the desktop's pixels: no screen is that large.
const maxSide = 1 << 15

// Percentages a page is scaled to.
const (
	minZoom, maxZoom = 50, 200
	firstZoom        = 100
)

// Window is what is remembered of a window. Its size and place are those it has when it is not maximised, in the desktop's pixels.
type Window struct {
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Place     *Place `json:"place,omitempty"` // nil: wherever the desktop puts it
	Maximised bool   `json:"maximised"`
	Zoom      int    `json:"zoom"` // percent
}

// Place is a window's upper left corner.
type Place struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Scaled returns the place in units of which a pixel has so many.
func (p Place) Scaled(by float64) Place {
	return Place{X: int(math.Round(float64(p.X) * by)), Y: int(math.Round(float64(p.Y) * by))}
}

// Screen is a screen's size, and whether the window is on it, or nearer to it than to any other.
type Screen struct {
	Width, Height int
	Current       bool
}

// Sight is a window as it is now.
type Sight struct {
	Width, Height int
	Place         *Place // nil where a window does not know
	Maximised     bool
	Passing       bool // it is minimised or fills the screen: nobody wants it so the next time
}

// After returns what is remembered once a window was seen.
func (w Window) After(s Sight) Window {
	if s.Passing || s.Width <= 0 || s.Height <= 0 {
		return w
	}
	w.Maximised = s.Maximised
	if !s.Maximised {
		w.Width, w.Height, w.Place = s.Width, s.Height, s.Place
	}
	return w.sound()
}

// Within returns the window no larger than the largest of the screens. Its place is kept: see place.
func (w Window) Within(screens []Screen) Window {
	var largest Screen
	for _, s := range screens {
		largest.Width, largest.Height = max(largest.Width, s.Width), max(largest.Height, s.Height)
	}
	if len(screens) == 0 {
		return w
	}
	w.Width = min(w.Width, max(largest.Width, MinWidth))
	w.Height = min(w.Height, max(largest.Height, MinHeight))
	return w
}

// clamp keeps n between 0 and most, and at 0 where there is no room.
func clamp(n, most int) int { return max(0, min(n, most)) }

// sound replaces what no window has.
func (w Window) sound() Window {
	if w.Width < MinWidth || w.Height < MinHeight || w.Width > maxSide || w.Height > maxSide {
		w.Width, w.Height = firstWidth, firstHeight
	}
	if p := w.Place; p != nil && (p.X < -maxSide || p.X > maxSide || p.Y < -maxSide || p.Y > maxSide) {
		w.Place = nil
	}
	if w.Zoom < minZoom || w.Zoom > maxZoom {
		w.Zoom = firstZoom
	}
	return w
}

// Memory keeps a window in window.json of the data folder. Its methods may be called at once.
type Memory struct {
	path string

	mu     sync.Mutex
	window Window // as it was last written, or read
}

// Remember reads what is remembered in a data folder. Without a file, or with one that cannot be read, it is a first window.
func Remember(dir string) *Memory {
	m := &Memory{path: filepath.Join(dir, "window.json")}
	if content, err := os.ReadFile(m.path); err != nil || json.Unmarshal(content, &m.window) != nil {
		m.window = Window{}
	}
	m.window = m.window.sound()
	return m
}

// Window returns what is remembered.
func (m *Memory) Window() Window {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.window
}

// See remembers a window as it is now. It writes only what changed.
func (m *Memory) See(s Sight) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.keep(m.window.After(s))
}

// Zoom remembers how large the page is, in percent.
func (m *Memory) Zoom(percent int) error {
	if percent < minZoom || percent > maxZoom {
		return fmt.Errorf("zoom to %d %%: it is between %d and %d", percent, minZoom, maxZoom)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.window
	w.Zoom = percent
	return m.keep(w)
}

func (m *Memory) keep(w Window) error {
	if same(w, m.window) {
		return nil
	}
	content, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("remember the window: %w", err)
	}
	// A program that is killed in the middle leaves the file of before.
	next := m.path + ".new"
	if err := os.WriteFile(next, append(content, '\n'), 0o600); err != nil {
		return fmt.Errorf("remember the window: %w", err)
	}
	if err := os.Rename(next, m.path); err != nil {
		return errors.Join(fmt.Errorf("remember the window: %w", err), os.Remove(next))
	}
	m.window = w
	return nil
}

func same(a, b Window) bool {
	if (a.Place == nil) != (b.Place == nil) || a.Place != nil && *a.Place != *b.Place {
		return false
	}
	a.Place, b.Place = nil, nil
	return a == b
}
