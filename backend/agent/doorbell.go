package agent

import (
	"cmp"
	"sync"
)

// Doorbell tells listeners that a run has more events. It keeps, for each listener, only the newest ring of each run and thread, so a slow
// listener costs nothing and loses nothing: the events are in the store. The zero value works.
type Doorbell struct {
	mu        sync.Mutex
	listeners map[*Listener]struct{}
}

// Listener hears a Doorbell. C holds one value while there are rings to Take.
type Listener struct {
	C     <-chan struct{}
	c     chan struct{}
	bell  *Doorbell
	runID string
	order []string
	rings map[string]Ring
}

// Listen hears one run, or with an empty runID all of them, until Close.
func (b *Doorbell) Listen(runID string) *Listener {
	c := make(chan struct{}, 1)
	l := &Listener{C: c, c: c, bell: b, runID: runID, rings: map[string]Ring{}}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners == nil {
		b.listeners = map[*Listener]struct{}{}
	}
	b.listeners[l] = struct{}{}
	return l
}

// Ring tells everyone who listens.
func (b *Doorbell) Ring(r Ring) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for l := range b.listeners {
		if l.runID != "" && l.runID != r.RunID {
			continue
		}
		of := cmp.Or(r.RunID, r.ThreadID)
		if _, known := l.rings[of]; !known {
			l.order = append(l.order, of)
		}
		l.rings[of] = r
		select {
		case l.c <- struct{}{}:
		default:
		}
	}
}

// Take returns the rings since the last Take, one for each run and for each thread that was deleted.
func (l *Listener) Take() []Ring {
	l.bell.mu.Lock()
	defer l.bell.mu.Unlock()
	rings := make([]Ring, 0, len(l.order))
	for _, id := range l.order {
		rings = append(rings, l.rings[id])
	}
	l.order = l.order[:0]
	clear(l.rings)
	return rings
}

// Close stops listening.
func (l *Listener) Close() {
	l.bell.mu.Lock()
	defer l.bell.mu.Unlock()
	delete(l.bell.listeners, l)
}
