package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// storedLog is a thread of 100,000 events as a store has them: 10,000 calls with their text and arguments in pieces.
func storedLog(b *testing.B) [][]byte {
	b.Helper()
	var log [][]byte
	add := func(event Event) {
		text, err := Frame{AtMs: 1_790_000_000_000 + int64(len(log)), Event: event}.AppendJSON(nil)
		if err != nil {
			b.Fatal(err)
		}
		log = append(log, text)
	}
	add(&Start{MessageID: "m1", ThreadID: "t1", RunID: "r1", AgentName: "demo"})
	for i := 0; len(log) < 100_000; i++ {
		turn, id := i+1, fmt.Sprintf("call_%06d", i)
		add(&Turn{Turn: turn, Phase: TurnStart, AgentName: "demo", Model: "scripted"})
		add(&ToolCallStart{ID: id, ToolName: "read_file"})
		add(&ToolCallDelta{ID: id, ArgsTextDelta: `{"path":"src/some`})
		add(&ToolCallDelta{ID: id, ArgsTextDelta: `/folder/file.go"}`})
		add(&ToolCallEnd{ID: id})
		add(&Turn{Turn: turn, Phase: TurnEnd, FinishReason: "tool_calls"})
		add(&CallState{ToolCallID: id, State: StateRunning})
		add(&ToolUpdate{ToolCallID: id, Content: []byte(`"reading"`)})
		add(&ToolResult{ID: "e" + id, ToolCallID: id, Result: []byte(`{"content":"` + strings.Repeat("line of text\\n", 12) + `"}`)})
		add(&TextDelta{ID: fmt.Sprint("p", i), Delta: "Now the next one, which is"})
	}
	return log[:100_000]
}

// BenchmarkFold100000Events reads a stored thread of 100,000 events; the goal is under 400 ms with reading the store.
func BenchmarkFold100000Events(b *testing.B) {
	log := storedLog(b)
	for b.Loop() {
		var tr Transcript
		for i, text := range log {
			tr.ApplyJSON(int64(i+1), text)
		}
		if len(tr.Calls()) < 9999 || len(tr.WireErrors)+len(tr.Late) > 0 {
			b.Fatalf("%d calls, %d wire errors, %d late", len(tr.Calls()), len(tr.WireErrors), len(tr.Late))
		}
	}
}

// BenchmarkFold50000Pieces takes one call whose 200 KB of arguments come in 50,000 pieces.
func BenchmarkFold50000Pieces(b *testing.B) {
	text, err := Frame{AtMs: 1, Event: &ToolCallDelta{ID: "c1", ArgsTextDelta: "abcd"}}.AppendJSON(nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var tr Transcript
		tr.ApplyJSON(1, []byte(`{"type":"tool-call-start","at":1,"id":"c1","toolName":"write_file"}`))
		for range 50_000 {
			tr.ApplyJSON(0, text)
		}
		if len(tr.Call("c1").ArgumentsText()) != 200_000 {
			b.Fatal("pieces are missing")
		}
	}
}

func BenchmarkEncode100000Events(b *testing.B) {
	var frames []Frame
	for i, text := range storedLog(b) {
		f, err := DecodeFrame(int64(i+1), text)
		if err != nil {
			b.Fatal(err)
		}
		frames = append(frames, f)
	}
	var buf []byte
	for b.Loop() {
		for _, f := range frames {
			var err error
			if buf, err = f.AppendJSON(buf[:0]); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkReadSSE100000Events(b *testing.B) {
	var stream []byte
	for i, text := range storedLog(b) {
		stream = AppendSSE(stream, int64(i+1), text)
	}
	for b.Loop() {
		n := 0
		for _, err := range ReadSSE(strings.NewReader(string(stream))) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 100_000 {
			b.Fatalf("read %d events", n)
		}
	}
}
