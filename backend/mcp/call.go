package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"callboard/backend/tool"
)

// call runs a tool on the server.
func (s *Source) call(ctx tool.Context, name string, arguments json.RawMessage, shown tool.Presentation) (any, error) {
	r, err := s.ask(ctx, name, arguments)
	if err != nil {
		return nil, err
	}
	return r.output(shown)
}

// callStructured runs a tool that promised structured content.
func (s *Source) callStructured(ctx tool.Context, name string, arguments json.RawMessage, shown tool.Presentation) (any, error) {
	r, err := s.ask(ctx, name, arguments)
	if err != nil {
		return nil, err
	}
	if !r.IsError && !r.isStructured() {
		g := r.gather()
		return tool.Output[any]{Details: g.shown()}, fmt.Errorf("the tool promises structured content, and sent none; it said: %s", g.said())
	}
	return r.output(shown)
}

// ask sends a call and waits for its result.
func (s *Source) ask(ctx tool.Context, name string, arguments json.RawMessage) (*result, error) {
	l, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	r, err := s.send(ctx, l, name, arguments)
	if errors.Is(err, sdk.ErrSessionMissing) && ctx.Err() == nil { // the server forgot the session: it did not look at the call
		if err = s.gone(ctx, l); ctx.Err() == nil {
			if l, err = s.connect(ctx); err == nil {
				r, err = s.send(ctx, l, name, arguments)
			}
		}
	}
	if err == nil || ctx.Err() != nil {
		return r, err
	}
	var answer *jsonrpc.Error
	switch {
	case errors.As(err, &answer):
		return nil, &explained{fmt.Sprintf("the MCP server %q refused the call: %s", s.Name, s.mask(answer.Message)), err}
	case l != nil && (l.process != nil || isBroken(err)):
		return nil, s.gone(ctx, l)
	default:
		return nil, s.explain("did not answer the call", err)
	}
}

func (s *Source) send(ctx tool.Context, l *link, name string, arguments json.RawMessage) (*result, error) {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.life, func() { cancel(ErrClosed) })()
	within, caught := withSlot(within)

	params := &sdk.CallToolParams{Name: name, Arguments: arguments}
	if ctx.OnUpdate != nil {
		token, forget := s.tokens.take(ctx)
		defer forget()
		params.SetProgressToken(token)
	}
	decoded, err := l.session.CallTool(within, params)
	if err != nil && (ctx.Err() != nil || !caught.caught()) {
		return nil, err
	}
	l.works.Store(true)
	text, failure := caught.or(decoded)
	if failure != nil {
		return nil, fmt.Errorf("read the result: %w", failure)
	}
	var r result
	if failure := json.Unmarshal(text, &r); failure != nil {
		return nil, fmt.Errorf("read the result: %w", failure)
	}
	if err != nil && r.ResultType == "input_required" {
		return nil, errors.New("the tool asks for input during its call, which is not offered here")
	}
	return &r, nil
}

// tokens are the calls whose progress is heard, by what the server names them.
type tokens struct {
	mu    sync.Mutex
	last  int
	calls map[string]*progress
}

func (t *tokens) take(ctx tool.Context) (token string, forget func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	token = "call-" + strconv.Itoa(t.last)
	if t.calls == nil {
		t.calls = map[string]*progress{}
	}
	t.calls[token] = &progress{ctx: ctx}
	return token, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.calls, token)
	}
}

func (t *tokens) hear(_ context.Context, n *sdk.ProgressNotificationClientRequest) {
	token, _ := n.Params.ProgressToken.(string)
	t.mu.Lock()
	p := t.calls[token]
	t.mu.Unlock()
	if p != nil {
		p.note(n.Params)
	}
}

// progress is how far one call has come.
type progress struct {
	ctx tool.Context

	mu   sync.Mutex
	any  bool
	done float64
}

// note tells an update. The protocol has progress grow: a note that goes back is a stray one.
func (p *progress) note(n *sdk.ProgressNotificationParams) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.any && n.Progress < p.done {
		return
	}
	p.any, p.done = true, n.Progress
	u := tool.Update{Details: tool.Progress{Done: n.Progress}}
	if n.Total > 0 {
		u.Details = tool.Progress{Done: min(n.Progress, n.Total), Total: n.Total}
	}
	if n.Message != "" {
		u.Content = n.Message
	}
	p.ctx.Update(u)
}
