package tool_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"callboard/backend/tool"
)

func TestUpdatesComeInOrderAndNoneAfterTheResult(t *testing.T) {
	late := make(chan struct{})
	gone := make(chan struct{})
	p := define(t, tool.Config[none, string]{Run: func(ctx tool.Context, _ none) (string, error) {
		for i := range 100 {
			ctx.Update(tool.Update{Content: i})
		}
		go func() {
			defer close(gone)
			<-late
			ctx.Update(tool.Update{Content: "late"})
		}()
		return "", nil
	}})
	var got []any
	mustPrepare(t, p, ``).Run(tool.Context{Context: t.Context(), OnUpdate: func(u tool.Update) { got = append(got, u.Content) }})
	close(late)
	<-gone
	want := make([]any, 100)
	for i := range want {
		want[i] = i
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want 0 to 99 and nothing after", got)
	}
}

func TestUpdatesAfterACancelAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := define(t, tool.Config[none, string]{Run: func(ctx tool.Context, _ none) (string, error) {
			ctx.Update(tool.Update{Content: "before"})
			<-ctx.Done()
			ctx.Update(tool.Update{Content: "after"})
			return "", ctx.Err()
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var got []any
		mustPrepare(t, p, ``).Run(tool.Context{Context: ctx, OnUpdate: func(u tool.Update) { got = append(got, u.Content) }})
		if want := []any{"before"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestUpdatesOfManyGoroutinesAreHeardOneAtATime(t *testing.T) {
	p := define(t, tool.Config[none, string]{Run: func(ctx tool.Context, _ none) (string, error) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 200 {
					ctx.Update(tool.Update{})
				}
			})
		}
		wg.Wait()
		return "", nil
	}})
	var inside, overlaps, heard atomic.Int32
	mustPrepare(t, p, ``).Run(tool.Context{Context: t.Context(), OnUpdate: func(tool.Update) {
		if inside.Add(1) > 1 {
			overlaps.Add(1)
		}
		heard.Add(1)
		inside.Add(-1)
	}})
	if heard.Load() != 1600 || overlaps.Load() != 0 {
		t.Errorf("got %d heard and %d overlaps, want 1600 and 0", heard.Load(), overlaps.Load())
	}
}

func TestAnObserverThatPanicsHarmsNothing(t *testing.T) {
	p := define(t, tool.Config[none, string]{Run: func(ctx tool.Context, _ none) (string, error) {
		ctx.Update(tool.Update{Content: 1})
		ctx.Update(tool.Update{Content: 2})
		return "fine", nil
	}})
	heard := 0
	got := mustPrepare(t, p, ``).Run(tool.Context{Context: t.Context(), OnUpdate: func(tool.Update) { heard++; panic("observer") }})
	if string(got.Content) != `"fine"` || heard != 2 {
		t.Errorf("got %s, %v after %d updates, want fine after 2", got.Content, got.Err, heard)
	}
}

func TestBlocksOfAnUpdateStandUnderTheirNames(t *testing.T) {
	p := define(t, tool.Config[none, string]{Run: func(ctx tool.Context, _ none) (string, error) {
		ctx.Update(tool.Update{Details: tool.Terminal("x")})
		return "", nil
	}})
	var got any
	mustPrepare(t, p, ``).Run(tool.Context{Context: t.Context(), OnUpdate: func(u tool.Update) { got = u.Details }})
	if m, _ := got.(map[string]any); m["terminal"] != tool.Terminal("x") {
		t.Errorf("got %v, want the text under terminal", got)
	}
}
