package aisdk_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"callboard/backend/aisdk"
	"callboard/backend/protocol"
)

var update = flag.Bool("update", false, "write the golden files anew")

// logs are the events of the logs that both folds of the protocol are held to, and of those of this package, by name.
func logs(t *testing.T) map[string][]protocol.Frame {
	t.Helper()
	all := map[string][]protocol.Frame{}
	for _, pattern := range []string{"../protocol/testdata/*.jsonl", "testdata/logs/*.jsonl"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no logs in %s: %v", pattern, err)
		}
		for _, path := range paths {
			all[strings.TrimSuffix(filepath.Base(path), ".jsonl")] = readLog(t, path)
		}
	}
	return all
}

// readLog reads the events of a log; what is none is left out, as a server does.
func readLog(t *testing.T, path string) []protocol.Frame {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var frames []protocol.Frame
	for line := range strings.Lines(string(text)) {
		var head struct{ Seq int64 }
		_ = json.Unmarshal([]byte(line), &head) // a line that is no JSON is no event either
		frame, err := protocol.DecodeFrame(head.Seq, []byte(line))
		if err == nil && (len(frames) == 0 || frame.Seq == 0 || frame.Seq > frames[len(frames)-1].Seq) {
			frames = append(frames, frame)
		}
	}
	return frames
}

// chunksOf maps a log; one that is flushed looks for news after every event, the other only at the end.
func chunksOf(frames []protocol.Frame, flushed bool) []aisdk.Chunk {
	var m aisdk.Mapper
	var chunks []aisdk.Chunk
	for _, f := range frames {
		chunks = append(chunks, m.Push(f.Event)...)
		if flushed {
			chunks = append(chunks, m.Flush()...)
		}
	}
	return append(chunks, m.Flush()...)
}

func lines(t *testing.T, chunks []aisdk.Chunk) string {
	t.Helper()
	var text []byte
	for _, chunk := range chunks {
		var err error
		if text, err = chunk.AppendJSON(text); err != nil {
			t.Fatal(err)
		}
		text = append(text, '\n')
	}
	return string(text)
}

func TestTheSharedLogsMapToTheirChunks(t *testing.T) {
	for name, frames := range logs(t) {
		t.Run(name, func(t *testing.T) {
			got := lines(t, chunksOf(frames, false))
			golden := filepath.Join("testdata", "chunks", name+".jsonl")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
