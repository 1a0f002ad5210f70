package browser

import "sync"

// asides are goroutines that answer a browser while others read on.
type asides struct {
	mu      sync.Mutex
	stopped bool
	running sync.WaitGroup
}

// start runs a function unless stop was called.
func (a *asides) start(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.stopped {
		a.running.Go(do)
	}
}

// stop starts no more.
func (a *asides) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = true
}

// wait returns when those that were started have ended.
func (a *asides) wait() { a.running.Wait() }
