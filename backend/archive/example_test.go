package archive_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"callboard/backend/archive"
	"callboard/backend/redact"
)

// exported is a thread's file.
func exported() *os.File {
	file, err := os.Open("testdata/thread.callboard")
	if err != nil {
		log.Fatal(err)
	}
	return file
}

// A file is read line by line; an error, or the end, comes last.
func ExampleRead() {
	file := exported()
	defer func() { _ = file.Close() }()
	for line, err := range archive.Read(file) {
		if err != nil {
			log.Fatal(err)
		}
		switch l := line.(type) {
		case *archive.Head:
			fmt.Println(l.Shown())
		case *archive.Call:
			fmt.Println(l.ToolName, l.State)
		case *archive.End:
			fmt.Println(l.Lines, "lines")
		}
	}
	// Output:
	// Letters & <co>
	// mail done
	// 32 lines
}

// A copy without what looks like a secret.
func ExampleMasking() {
	policy := &redact.Policy{Patterns: redact.Patterns(), Words: []string{"bob"}}
	file := exported()
	defer func() { _ = file.Close() }()
	found, err := archive.Find(policy, archive.Read(file))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range found.All {
		fmt.Println(strings.Join(f.Rules, ", "), "in", len(f.Spots), "places")
	}

	again := exported()
	defer func() { _ = again.Close() }()
	m := archive.Masking{Policy: policy, Findings: found, Redacted: &archive.Redacted{Secrets: len(found.All)}}
	var copied strings.Builder
	if err := archive.Write(&copied, m.Lines(archive.Read(again))); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(copied.String(), "sk-proj"))
	// Output:
	// word of your own in 4 places
	// API key (sk-, pk-, rk-) in 3 places
	// false
}
