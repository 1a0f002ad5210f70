package tool

import (
	"context"
	"sync"
)

// gate passes a call's updates on, one at a time and in order, until it is closed or the call's context is done.
type gate struct {
	ctx      context.Context
	observer func(Update)
	toolName string

	mu     sync.Mutex
	closed bool
}

func (g *gate) send(u Update) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.ctx.Err() != nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			logPanic("observer of updates panicked", g.toolName, p)
		}
	}()
	u.Details = named(u.Details)
	g.observer(u)
}

// close waits for an update that is being heard: none may follow the result.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}
