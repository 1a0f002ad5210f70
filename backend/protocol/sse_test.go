package protocol

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestTheSharedStreamsAreReadWhereverTheyAreCut splits each stream at each byte (CASES A1–A4, A6, A8, A11).
func TestTheSharedStreamsAreReadWhereverTheyAreCut(t *testing.T) {
	paths, err := filepath.Glob("testdata/sse/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no streams in testdata/sse: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(path, ".txt") + ".json"
			if *update {
				writeGolden(t, golden, eventsJSON(readPieces(MaxSSEEvent, data)))
			}
			want := readGolden(t, golden)
			for at := range len(data) + 1 {
				if got := jsonText(t, eventsJSON(readPieces(MaxSSEEvent, data[:at], data[at:]))); got != want {
					t.Fatalf("cut at byte %d: got\n%s\nwant\n%s", at, got, want)
				}
			}
			var got []SSEEvent
			for event, err := range ReadSSE(iotest.OneByteReader(strings.NewReader(string(data)))) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, event)
			}
			if text := jsonText(t, eventsJSON(got)); text != want {
				t.Errorf("byte by byte: got\n%s\nwant\n%s", text, want)
			}
		})
	}
}

func TestA3AnEventComesWithItsEmptyLineAndNotLater(t *testing.T) {
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		t.Run(name, func(t *testing.T) {
			reader := sseReader{limit: MaxSSEEvent}
			for i := range 3 {
				var got []SSEEvent
				emit := func(e SSEEvent) bool { got = append(got, e); return true }
				reader.push([]byte("data: x"+end), emit)
				reader.push([]byte(end[:1]), emit)
				if len(got) != 1 {
					t.Errorf("event %d: %d events when its empty line is there", i, len(got))
				}
				reader.push([]byte(end[1:]), emit)
				if len(got) != 1 {
					t.Errorf("event %d: %d events after its empty line", i, len(got))
				}
			}
		})
	}
}

func TestA6AMalformedEventIsReportedWithItsBytesAndTheNextOneComes(t *testing.T) {
	var tr Transcript
	stream := "data: {bad\n\n" + string(AppendSSE(nil, 2, []byte(`{"type":"text-delta","id":"p","delta":"good"}`)))
	for event, err := range ReadSSE(strings.NewReader(stream)) {
		if err != nil {
			t.Fatal(err)
		}
		tr.ApplyJSON(event.Seq(), event.Data)
	}
	if len(tr.WireErrors) != 1 || string(tr.WireErrors[0].Raw) != "{bad" {
		t.Errorf("wire errors: %v", tr.WireErrors)
	}
	if len(tr.Items) != 1 || tr.Items[0].Text() != "good" {
		t.Errorf("items: %v", tr.Items)
	}
}

func TestALongLineIsReadWholeAndALongerOneIsCutAndReported(t *testing.T) {
	line := func(n int) []byte { return []byte("data: " + strings.Repeat("x", n) + "\n\ndata: next\n\n") }
	data := line(300_000)
	got := readPieces(1<<20, slices.Collect(slices.Chunk(data, 7))...)
	if len(got) != 2 || len(got[0].Data) != 300_000 || got[0].Cut {
		t.Fatalf("under the limit: %d events, the first of %d bytes, cut: %v", len(got), len(got[0].Data), got[0].Cut)
	}
	got = readPieces(100_000, slices.Collect(slices.Chunk(data, 7))...)
	if len(got) != 2 || !got[0].Cut || len(got[0].Data) >= 100_000 || string(got[1].Data) != "next" {
		t.Fatalf("over the limit: %d events, the first of %d bytes, cut: %v", len(got), len(got[0].Data), got[0].Cut)
	}
	lines := []byte(strings.Repeat("data: "+strings.Repeat("y", 90)+"\n", 10) + "\ndata: next\n\n")
	got = readPieces(500, lines)
	if len(got) != 2 || !got[0].Cut || string(got[1].Data) != "next" {
		t.Fatalf("over the limit in several lines: %d events, cut: %v", len(got), got[0].Cut)
	}
}

func TestReadSSEEndsWithTheErrorOfItsReader(t *testing.T) {
	broken := errors.New("reset")
	var events int
	var last error
	for _, err := range ReadSSE(io.MultiReader(strings.NewReader("data: 1\n\n"), iotest.ErrReader(broken))) {
		if last = err; err == nil {
			events++
		}
	}
	if events != 1 || !errors.Is(last, broken) {
		t.Errorf("got %d events and %v, want 1 and %v", events, last, broken)
	}
}

func TestReadSSEStopsWhenItsCallerDoes(t *testing.T) {
	for event, err := range ReadSSE(strings.NewReader("data: 1\n\ndata: 2\n\n")) {
		if err != nil || string(event.Data) != "1" {
			t.Errorf("got %q and %v, want 1", event.Data, err)
		}
		break
	}
}

func TestAppendSSEIsReadBackAsItWas(t *testing.T) {
	for _, c := range []struct {
		name string
		seq  int64
		json string
		sent string
	}{
		{"a numbered event", 7, `{"a":1}`, "id: 7\ndata: {\"a\":1}\n\n"},
		{"one without a number", 0, `{}`, "data: {}\n\n"},
		{"the end", 0, Done, "data: [DONE]\n\n"},
		{"an event of another server over several lines", 1, "{\n\"a\":\r1}", "id: 1\ndata: {\ndata: \"a\":\ndata: 1}\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sent := AppendSSE([]byte(KeepAlive), c.seq, []byte(c.json))
			if got := strings.TrimPrefix(string(sent), KeepAlive); got != c.sent {
				t.Errorf("got %q, want %q", got, c.sent)
			}
			events := readPieces(MaxSSEEvent, sent)
			want := strings.ReplaceAll(c.json, "\r", "\n")
			if len(events) != 1 || events[0].Seq() != c.seq || string(events[0].Data) != want {
				t.Errorf("read back: %+v", events)
			}
		})
	}
}

func readPieces(limit int, pieces ...[]byte) []SSEEvent {
	var events []SSEEvent
	reader := sseReader{limit: limit}
	for _, piece := range pieces {
		reader.push(piece, func(e SSEEvent) bool { events = append(events, e); return true })
	}
	return events
}

func eventsJSON(events []SSEEvent) any {
	type event struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"event,omitempty"`
		Data string `json:"data"`
	}
	list := []event{}
	for _, e := range events {
		list = append(list, event{e.ID, e.Name, string(e.Data)})
	}
	return list
}
