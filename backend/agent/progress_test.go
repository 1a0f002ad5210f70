package agent_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// TestProgressAsFastAsCanBeIsMerged has two calls tell of their progress at once, much faster than a screen shows it: the log keeps
// the latest, and who reads it sees what all of them together say.
func TestProgressAsFastAsCanBeIsMerged(t *testing.T) {
	const updates = 2000
	flood := tool.Must(tool.Config[struct{}, string]{
		Name: "flood", Description: "Floods", Presentation: &tool.Presentation{Label: "Flood"},
		Run: func(ctx tool.Context, _ struct{}) (string, error) {
			ctx.Update(tool.Update{Presentation: &tool.Presentation{Label: "Flood", Detail: "all of it"}})
			for i := range updates {
				ctx.Update(tool.Update{Content: i + 1, Details: tool.Progress{Done: float64(i + 1), Total: updates}})
			}
			return "dry", nil
		},
	})
	read := func(window time.Duration) (events int, calls []*protocol.Call) {
		var seen protocol.Transcript
		r := &agent.Runner{MergeWindow: window, OnEvent: func(_ string, f protocol.Frame) {
			if _, ok := f.Event.(*protocol.ToolUpdate); ok {
				events++
			}
			seen.Apply(f)
		}}
		a := demo([]*tool.Tool{flood}, scripted.Turn{Chunks: []scripted.Chunk{{ToolCalls: []model.ToolCall{
			{ID: "c1", Name: "flood", Arguments: `{}`}, {ID: "c2", Name: "flood", Arguments: `{}`},
		}}}}, scripted.Say("Done."))
		outcome, err := r.Run(t.Context(), a, agent.Input{Text: "go"})
		if err != nil || outcome.Status != protocol.StatusCompleted {
			t.Fatalf("got %+v, %v", outcome, err)
		}
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
		return events, []*protocol.Call{seen.Call("c1"), seen.Call("c2")}
	}
	every, all := read(-1)
	if want := 2 * (updates + 2); every != want { // one more is the row's first look
		t.Errorf("without merging the log has %d updates, want %d", every, want)
	}
	few, merged := read(time.Hour) // only what must not wait is written
	if ratio := every / few; ratio < 100 {
		t.Errorf("the log has %d updates of %d, want a hundredth at most", few, every)
	}
	for i, c := range merged {
		got := fmt.Sprintf("%s %s %+v", c.Update.Content, c.Update.Details, *c.Presentation)
		want := fmt.Sprintf("%s %s %+v", all[i].Update.Content, all[i].Update.Details, *all[i].Presentation)
		if got != want {
			t.Errorf("%s shows %s, want %s", c.ID, got, want)
		}
	}
}
