package tool_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/backend/tool"
)

func TestAToolThatOutlivesItsTimeoutFails(t *testing.T) {
	const want = `Tool "probe" timed out after 50ms`
	for name, work := range map[string]func(tool.Context) error{
		"though it heeds its context":              func(ctx tool.Context) error { <-ctx.Done(); return ctx.Err() },
		"though it then says it is done":           func(ctx tool.Context) error { <-ctx.Done(); return nil },
		"though it then fails with another code":   func(ctx tool.Context) error { <-ctx.Done(); return &tool.Error{Code: "OTHER", Message: "other"} },
		"and is given up on if it does not listen": func(tool.Context) error { time.Sleep(time.Hour); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := define(t, tool.Config[none, string]{Timeout: 50 * time.Millisecond, Run: func(ctx tool.Context, _ none) (string, error) {
					return "", work(ctx)
				}})
				got := run(t, p, ``)
				var coded *tool.Error
				if !errors.As(got.Err, &coded) || coded.Code != tool.CodeTimeout || coded.Message != want {
					t.Errorf("got %#v, want %s %q", got.Err, tool.CodeTimeout, want)
				}
				if !errors.Is(got.Err, context.DeadlineExceeded) {
					t.Errorf("got %v, want it to wrap context.DeadlineExceeded", got.Err)
				}
				if got.Duration != 50*time.Millisecond {
					t.Errorf("got %s, want 50ms", got.Duration)
				}
				if got.Left != nil {
					<-got.Left // closed once the tool returns
				}
			})
		})
	}
}

func TestATimeoutOfACallAroundItCancelsACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := define(t, tool.Config[none, string]{Name: "inner", Timeout: time.Minute, Run: func(ctx tool.Context, _ none) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}})
		got := make(chan error, 1)
		outer := define(t, tool.Config[none, string]{Name: "outer", Timeout: time.Second, Run: func(ctx tool.Context, _ none) (string, error) {
			got <- mustPrepare(t, inner, ``).Run(ctx).Err
			return "", nil
		}})
		run(t, outer, ``)
		var coded *tool.Error
		if err := <-got; !errors.As(err, &coded) || coded.Code != tool.CodeCancelled || !strings.Contains(coded.Message, `Tool "outer" timed out after 1000ms`) {
			t.Errorf("got %v, want %s for the outer call's timeout", err, tool.CodeCancelled)
		}
	})
}

func TestAToolInTimeKnowsNothingOfItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var after context.Context
		p := define(t, tool.Config[none, string]{Timeout: time.Minute, Run: func(ctx tool.Context, _ none) (string, error) {
			after = ctx
			time.Sleep(59 * time.Second)
			return "in time", ctx.Err()
		}})
		got := run(t, p, ``)
		if string(got.Content) != `"in time"` || got.Err != nil || got.Left != nil {
			t.Errorf("got %s, %v, want the content", got.Content, got.Err)
		}
		if after.Err() == nil {
			t.Error("got a live context after the call, want what the tool left behind told to stop")
		}
	})
}

func TestACancelledCall(t *testing.T) {
	byPerson := errors.New("cancelled by user")
	for name, tc := range map[string]struct {
		work  func(tool.Context) (string, error)
		cause error
		code  string // empty for a result
		want  string
		took  time.Duration
		left  bool
	}{
		"ends when the tool does":               {func(ctx tool.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }, nil, tool.CodeCancelled, `Tool "probe" was cancelled`, time.Second, false},
		"says what it was cancelled for":        {func(ctx tool.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }, byPerson, tool.CodeCancelled, `Tool "probe" was cancelled: cancelled by user`, time.Second, false},
		"is cancelled, whatever it says":        {func(ctx tool.Context) (string, error) { <-ctx.Done(); return "", errors.New("broken pipe") }, nil, tool.CodeCancelled, `Tool "probe" was cancelled`, time.Second, false},
		"keeps a result that came all the same": {func(ctx tool.Context) (string, error) { <-ctx.Done(); time.Sleep(time.Second); return "written", nil }, nil, "", `"written"`, 2 * time.Second, false},
		"is given up on after the grace":        {func(tool.Context) (string, error) { time.Sleep(time.Hour); return "", nil }, nil, tool.CodeCancelled, `Tool "probe" was cancelled`, 3 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := define(t, tool.Config[none, string]{Run: func(ctx tool.Context, _ none) (string, error) { return tc.work(ctx) }})
				c := mustPrepare(t, p, ``)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				time.AfterFunc(time.Second, func() { cancel(tc.cause) })
				got := c.Run(tool.Context{Context: ctx})
				var coded *tool.Error
				switch {
				case tc.code == "" && (got.Err != nil || string(got.Content) != tc.want):
					t.Errorf("got %s, %v, want %s", got.Content, got.Err, tc.want)
				case tc.code != "" && (!errors.As(got.Err, &coded) || coded.Code != tc.code || coded.Message != tc.want):
					t.Errorf("got %v, want %s %q", got.Err, tc.code, tc.want)
				}
				if got.Duration != tc.took {
					t.Errorf("got %s, want %s", got.Duration, tc.took)
				}
				if (got.Left != nil) != tc.left {
					t.Errorf("got left %v, want %v", got.Left != nil, tc.left)
				}
				if got.Left != nil {
					select {
					case <-got.Left:
						t.Error("got left closed, want it open while the tool runs")
					default:
					}
					<-got.Left
				}
			})
		})
	}
}

func TestACallCancelledBeforeItBeganDoesNotRun(t *testing.T) {
	ran := false
	p := define(t, tool.Config[none, string]{Run: func(tool.Context, none) (string, error) { ran = true; return "", nil }})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := mustPrepare(t, p, ``).Run(tool.Context{Context: ctx})
	var coded *tool.Error
	if !errors.As(got.Err, &coded) || coded.Code != tool.CodeCancelled || ran {
		t.Errorf("got %v, ran %v; want %s and not run", got.Err, ran, tool.CodeCancelled)
	}
}
