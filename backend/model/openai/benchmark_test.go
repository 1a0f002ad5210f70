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
		{"200 KB in 4-byte pieces", "args-200000-piece-4", 0.9},
		{"200 KB in 4-byte packets", "args-200000-piece-4-flush-1", 0.9},
	}
	for _, test := range tests {
		b.Run(test.name, func(b *testing.B) {
			tools := []model.ToolSchema{openaitest.Schema()}
			var plain, own time.Duration
			var turns []time.Duration // when each turn of the last round ended
			for b.Loop() {
				start := openaitest.CPU()
				if _, err := openaitest.Plain(b.Context(), url, test.model, tools, lookup); err != nil {
					b.Fatal(err)
				}
				plain += openaitest.CPU() - start
				start = openaitest.CPU()
				turns = append(turns[:0], start)
				if err := ours(b.Context(), url, test.model, func() { turns = append(turns, openaitest.CPU()) }); err != nil {
					b.Fatal(err)
				}
				own += openaitest.CPU() - start
			}
			ratio := float64(own) / float64(plain)
			line := fmt.Sprintf("%-26s go-openai %6.0f ms   callboard %6.0f ms   ratio %.2f (at most %.2f)", test.name, ms(plain, b.N), ms(own, b.N), ratio, test.most)
			b.ReportMetric(ms(plain, b.N), "plain-cpu-ms")
			b.ReportMetric(ms(own, b.N), "own-cpu-ms")
			b.ReportMetric(ratio, "ratio")
			if n := len(turns) / 10; n >= 50 {
				growth := float64(turns[len(turns)-1]-turns[len(turns)-1-n]) / float64(turns[n]-turns[0])
				b.ReportMetric(growth, "last/first-tenth")
				line += fmt.Sprintf("   last tenth %.1f of the first (at most 2)", growth)
			}
			b.Log(line)
		})
	}
}

// BenchmarkArgumentsAreLinear compares the processor time for one piece of short and of long arguments.
func BenchmarkArgumentsAreLinear(b *testing.B) {
	url := openaitest.Start(b)
	var short, long time.Duration
	for b.Loop() {
		for name, sum := range map[string]*time.Duration{"args-100000-piece-4": &short, "args-1600000-piece-4": &long} {
			start := openaitest.CPU()
			if err := ours(b.Context(), url, name, func() {}); err != nil {
				b.Fatal(err)
			}
			*sum += openaitest.CPU() - start
		}
	}
	growth := float64(long) / float64(short) / 16
	b.ReportMetric(growth, "16x/16")
	b.Logf("1.6 MB in 4-byte pieces    callboard %6.0f ms   a piece takes %.2f of one of 100 KB (1 is linear)", ms(long, b.N), growth)
}

func ms(d time.Duration, rounds int) float64 {
	return float64(d.Microseconds()) / 1000 / float64(rounds)
}
