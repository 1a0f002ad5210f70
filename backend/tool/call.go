package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Grace is how long a call may still work after its context is done, before it is given up on.
const Grace = 2 * time.Second

// Call is a checked call, ready to run.
type Call struct {
	Tool *Tool

	bound     invocation
	arguments json.RawMessage // checked, with defaults; nil without a sandbox
	unread    []string        // names of arguments the tool does not read
	presented sync.Once
	shown     *Presentation
}

// declaration is a Config without its type parameters.
type declaration interface {
	decode(text []byte) (invocation, error)
}

// invocation is a declaration with decoded arguments.
type invocation interface {
	validate() error
	timeout() time.Duration
	present() *Presentation
	preview(Context) (any, bool, error)
	run(Context) (output, error)
}

type typed[In, Out any] struct {
	config Config[In, Out]
	loose  bool // In holds an any: its numbers are kept as text
}

type bound[In, Out any] struct {
	config *Config[In, Out]
	in     In
}

func (d *typed[In, Out]) decode(text []byte) (invocation, error) {
	b := &bound[In, Out]{config: &d.config}
	if !d.loose {
		return b, json.Unmarshal(text, &b.in)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return b, dec.Decode(&b.in)
}

func (b *bound[In, Out]) validate() error {
	if v, ok := any(&b.in).(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

func (b *bound[In, Out]) timeout() time.Duration {
	if limited, ok := any(&b.in).(interface{ Timeout() time.Duration }); ok {
		return limited.Timeout()
	}
	return 0
}

func (b *bound[In, Out]) present() *Presentation {
	if b.config.Present != nil {
		if p := b.config.Present(b.in); p != nil {
			return p
		}
	}
	return b.config.Presentation
}

func (b *bound[In, Out]) preview(ctx Context) (any, bool, error) {
	if b.config.Preview == nil {
		return nil, false, nil
	}
	details, err := b.config.Preview(ctx, b.in)
	return details, true, err
}

func (b *bound[In, Out]) run(ctx Context) (output, error) {
	if b.config.Run == nil {
		return output{}, &Error{Code: CodeSandboxUnavailable, Message: fmt.Sprintf("Tool %q runs in its sandbox alone", b.config.Name)}
	}
	out, err := b.config.Run(ctx, b.in)
	return splitOutput(out), err
}

// Presentation is the tool's for these arguments; nil when it declares none or its function panicked.
func (c *Call) Presentation() *Presentation {
	c.presented.Do(func() {
		defer func() {
			if p := recover(); p != nil {
				logPanic("presentation panicked", c.Tool.Name, p)
			}
		}()
		c.shown = c.bound.present()
	})
	return clone(c.shown)
}

// Preview is the call's effect-free preview as details, with the arguments its tool does not read: who decides must not take them for
// something that works. nil when the tool declares none and reads them all.
func (c *Call) Preview(ctx Context) (json.RawMessage, error) {
	details, err := c.preview(ctx)
	if err != nil || len(c.unread) == 0 {
		return details, err
	}
	blocks := []any{map[string]string{"text": "Not read by the tool: " + strings.Join(c.unread, ", ") + "."}}
	if details != nil {
		blocks = append(blocks, details)
	}
	return encodeDetails(blocks), nil
}

// unread are the members of arguments that the schema does not have, at its top. A schema that names none, or says what others are,
// has them all.
func (t *Tool) unread(arguments any) []string {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Others     json.RawMessage            `json:"additionalProperties"`
	}
	given, isObject := arguments.(map[string]any)
	if !isObject || len(given) == 0 || json.Unmarshal(t.parameters, &schema) != nil || len(schema.Properties) == 0 || schema.Others != nil && string(schema.Others) != "false" {
		return nil
	}
	var names []string
	for name := range given {
		if schema.Properties[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (c *Call) preview(ctx Context) (details json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			logPanic("preview panicked", c.Tool.Name, p)
			details, err = nil, fmt.Errorf("preview of tool %q panicked: %v", c.Tool.Name, p)
		}
	}()
	if ctx.Context == nil {
		ctx.Context = context.Background()
	}
	ctx.OnUpdate = nil
	v, ok, err := c.bound.preview(ctx)
	if err != nil {
		return nil, fmt.Errorf("preview of tool %q: %w", c.Tool.Name, err)
	}
	if !ok {
		return nil, nil
	}
	return encodeDetails(v), nil
}

// outcome is what a tool's goroutine hands over.
type outcome struct {
	content      json.RawMessage
	details      json.RawMessage
	presentation *Presentation
	err          error
	cause        error // of the context's end, as it stood when the tool returned
}

// timedOut is the cause of a context that ended with the timeout of one call; a call inside that call is cancelled by it.
type timedOut struct{ call *Call }

func (t *timedOut) Error() string {
	return fmt.Sprintf("Tool %q timed out after %dms", t.call.Tool.Name, t.call.Tool.Timeout.Milliseconds())
}

func (c *Call) isTimeout(cause error) bool {
	var t *timedOut
	return errors.As(cause, &t) && t.call == c
}

// Run runs the call and splits what it gives. It never panics, and returns at the latest when the tool's timeout is over, or
// Grace after ctx is done; then Result.Left is set until the tool returns. A result a tool still gives within the grace counts;
// an error is then CodeCancelled.
func (c *Call) Run(ctx Context) Result { return c.RunIn(ctx, nil) }

// RunIn is Run with the tool's own Run replaced by an executor, when the tool declares a sandbox. There are then no updates, and after
// the timeout too the executor has Grace, for what there is of the call's output.
func (c *Call) RunIn(ctx Context, executor Executor) Result {
	start := time.Now()
	if ctx.Context == nil {
		ctx.Context = context.Background()
	}
	if ctx.Err() != nil {
		return c.failed(outcome{cause: context.Cause(ctx)}, start)
	}
	c.Presentation() // now, while nothing else touches the arguments
	var cancel context.CancelFunc
	if c.Tool.Timeout > 0 {
		ctx.Context, cancel = context.WithTimeoutCause(ctx.Context, c.Tool.Timeout, &timedOut{call: c})
	} else {
		ctx.Context, cancel = context.WithCancel(ctx.Context)
	}
	defer cancel()
	isSandboxed := executor != nil && c.Tool.Sandbox != nil
	if isSandboxed {
		ctx.OnUpdate = nil
	}
	updates := gate{ctx: ctx.Context, observer: ctx.OnUpdate, toolName: c.Tool.Name}
	if ctx.OnUpdate != nil {
		ctx.OnUpdate = updates.send
		defer updates.close()
	}

	left := make(chan struct{})
	done := make(chan outcome, 1)
	go func() {
		defer close(left)
		var o outcome
		defer func() { done <- o }() // deferred: a tool may end its goroutine
		c.work(ctx, executor, &o)
	}()

	select {
	case o := <-done:
		return c.result(o, start)
	case <-ctx.Done():
	}
	if cause := context.Cause(ctx); c.isTimeout(cause) && !isSandboxed {
		r := c.failed(outcome{cause: cause}, start)
		r.Left = left
		return r
	}
	grace := time.NewTimer(Grace)
	defer grace.Stop()
	select {
	case o := <-done:
		return c.result(o, start)
	case <-grace.C:
		r := c.failed(outcome{cause: context.Cause(ctx)}, start)
		r.Left = left
		return r
	}
}

// work runs the tool and encodes what it gives: here, so that a MarshalJSON that panics or hangs is caught like the tool itself.
func (c *Call) work(ctx Context, executor Executor, o *outcome) {
	returned := false
	defer func() {
		if p := recover(); p != nil {
			logPanic("tool panicked", c.Tool.Name, p)
			*o = outcome{err: fmt.Errorf("tool %q panicked: %v", c.Tool.Name, p), cause: o.cause}
		} else if !returned {
			o.err = fmt.Errorf("tool %q ended its goroutine", c.Tool.Name)
		}
	}()
	out, err := c.run(ctx, executor)
	o.cause = context.Cause(ctx)
	o.details, o.presentation = encodeDetails(out.details), out.presentation
	if err == nil {
		o.content, err = c.Tool.encodeContent(out.content)
	}
	o.err = err
	returned = true
}

func (c *Call) result(o outcome, start time.Time) Result {
	if o.err != nil || c.isTimeout(o.cause) {
		return c.failed(o, start)
	}
	return Result{
		Content:      o.content,
		Details:      o.details,
		Presentation: c.presentationOf(o),
		Duration:     time.Since(start),
	}
}

func (c *Call) failed(o outcome, start time.Time) Result {
	return Result{
		Details:      o.details,
		Presentation: c.presentationOf(o),
		Err:          c.failure(o),
		Duration:     time.Since(start),
	}
}

func (c *Call) presentationOf(o outcome) *Presentation {
	if o.presentation != nil {
		return o.presentation
	}
	return c.Presentation()
}

// failure gives the error of a call its code. The reason a call was stopped for counts more than what it said while stopping.
func (c *Call) failure(o outcome) *Error {
	var own *Error
	switch {
	case c.isTimeout(o.cause):
		return &Error{Code: CodeTimeout, Message: o.cause.Error(), Err: errors.Join(context.DeadlineExceeded, o.err)}
	case o.cause != nil:
		message := fmt.Sprintf("Tool %q was cancelled", c.Tool.Name)
		if !errors.Is(o.cause, context.Canceled) {
			message += ": " + o.cause.Error()
		}
		return &Error{Code: CodeCancelled, Message: message, Err: errors.Join(o.cause, o.err)}
	case errors.As(o.err, &own) && own.Code != "":
		return &Error{Code: own.Code, Message: o.err.Error(), Err: o.err}
	default:
		message := o.err.Error()
		if strings.TrimSpace(message) == "" {
			message = fmt.Sprintf("Tool %q failed without saying why", c.Tool.Name)
		}
		return &Error{Code: CodeExecutionFailed, Message: message, Err: o.err}
	}
}
