package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"callboard/backend/model"
	"callboard/backend/model/openai"
	"callboard/backend/model/openai/openaitest"
)

// lookup is the tool of both loops.
func lookup(_, arguments string) string {
	return fmt.Sprintf("found %d bytes: a line of text, and another one that says a little more", len(arguments))
}

// ours is openaitest.Plain with the backend in place of go-openai. each is called after every turn.
func ours(ctx context.Context, baseURL, name string, each func()) error {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	backend := &openai.Backend{BaseURL: baseURL, Model: name, HTTPClient: &http.Client{Transport: transport}}
	tools := []model.ToolSchema{openaitest.Schema()}
	messages := []*model.Message{
		{Role: model.RoleSystem, Content: openaitest.Instructions}, {Role: model.RoleUser, Content: openaitest.Question},
	}
	var memo any
	for turn := 0; ; turn++ {
		answer := &model.Message{Role: model.RoleAssistant}
		bytes := 0
		for chunk, err := range backend.Stream(ctx, &model.Request{Index: turn, Messages: messages, Tools: tools, Memo: &memo}) {
			if err != nil {
				return fmt.Errorf("turn %d: %w", turn+1, err)
			}
			answer.Content += chunk.Text
			for _, in := range chunk.ToolInput {
				bytes += len(in.Delta)
			}
			for _, c := range chunk.ToolCalls {
				answer.ToolCalls = append(answer.ToolCalls, c)
				bytes -= len(c.Arguments)
			}
		}
		each()
		if bytes != 0 {
			return fmt.Errorf("turn %d: the pieces of the arguments and the arguments differ by %d bytes", turn+1, bytes)
		}
		if len(answer.ToolCalls) == 0 {
			return nil
		}
		messages = append(messages, answer)
		for _, c := range answer.ToolCalls {
			messages = append(messages, &model.Message{Role: model.RoleTool, ToolCallID: c.ID, Content: lookup(c.Name, c.Arguments)})
		}
	}
}

// BenchmarkBesideGoOpenAI compares the processor time of the backend with that of a plain go-openai loop which makes the same
// requests. The server's own time does not count.
func BenchmarkBesideGoOpenAI(b *testing.B) {
	url := openaitest.Start(b)
	tests := []struct {
		name, model string
		most        float64 // the ratio that is allowed
	}{
		{"100 turns of 10 calls", "calls-10-turns-100", 0.6},
		{"1000 turns of 1 call", "calls-1-turns-1000", 0.35},
		{"200 KB of arguments in 4-byte pieces", "args-200000-piece-4", 0.9},
		{"200 KB in 4-byte pieces, each in its packet", "args-200000-piece-4-flush-1", 0.9},
	}
	for _, test := range tests {
		b.Run(test.name, func(b *testing.B) {
			tools := []model.ToolSchema{openaitest.Schema()}
			var plain, own time.Duration
			var turns []time.Duration
			for b.Loop() {
				start := openaitest.CPU()
				if _, err := openaitest.Plain(b.Context(), url, test.model, tools, lookup); err != nil {
					b.Fatal(err)
				}
				plain += openaitest.CPU() - start
				turns = turns[:0]
				start = openaitest.CPU()
				if err := ours(b.Context(), url, test.model, func() { turns = append(turns, openaitest.CPU()) }); err != nil {
					b.Fatal(err)
				}
				own += openaitest.CPU() - start
			}
			ratio := float64(own) / float64(plain)
			b.ReportMetric(float64(plain.Milliseconds())/float64(b.N), "plain-ms")
			b.ReportMetric(float64(own.Milliseconds())/float64(b.N), "own-ms")
			b.ReportMetric(ratio, "ratio")
			line := fmt.Sprintf("%-45s plain %6.0f ms   own %6.0f ms   ratio %.2f (at most %.2f)", test.name,
				float64(plain.Milliseconds())/float64(b.N), float64(own.Milliseconds())/float64(b.N), ratio, test.most)
			if tenth := len(turns) / 10; tenth >= 10 {
				first, last := turns[tenth]-turns[0], turns[len(turns)-1]-turns[len(turns)-1-tenth]
				growth := float64(last) / float64(first)
				b.ReportMetric(growth, "last/first")
				line += fmt.Sprintf("   last tenth %.1f of the first (at most 2)", growth)
			}
			b.Log(line)
		})
	}
}
