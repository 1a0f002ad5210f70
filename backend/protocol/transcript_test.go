package protocol

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestTheSharedLogsFoldToTheirTranscripts holds the fold to the files that the TypeScript one is held to as well.
func TestTheSharedLogsFoldToTheirTranscripts(t *testing.T) {
	for _, name := range logNames(t) {
		t.Run(name, func(t *testing.T) {
			got := fold(readLog(t, name)).Snapshot()
			golden := filepath.Join("testdata", name+".transcript.json")
			if *update {
				writeGolden(t, golden, got)
			}
			if got, want := jsonText(t, got), readGolden(t, golden); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// record is a line of a log: an event, or what came in place of one.
type record struct {
	seq int64
	raw string
}

var seqHead = regexp.MustCompile(`^\{"seq":(\d+),`)

func logNames(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no logs in testdata: %v", err)
	}
	var names []string
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".jsonl"))
	}
	return names
}

func readLog(t testing.TB, name string) []record {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var records []record
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		r := record{raw: line}
		if head := seqHead.FindStringSubmatch(line); head != nil {
			r.seq, _ = strconv.ParseInt(head[1], 10, 64)
			r.raw = "{" + line[len(head[0]):]
		}
		records = append(records, r)
	}
	return records
}

func fold(records []record) *Transcript {
	var tr Transcript
	applyRecords(&tr, records)
	return &tr
}

func applyRecords(tr *Transcript, records []record) {
	for _, r := range records {
		tr.ApplyJSON(r.seq, []byte(r.raw))
	}
}

func jsonText(t testing.TB, value any) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func writeGolden(t testing.TB, path string, value any) {
	t.Helper()
	if err := os.WriteFile(path, []byte(jsonText(t, value)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readGolden(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
