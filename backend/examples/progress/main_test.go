package main

import (
	"strings"
	"testing"
)

func TestProgressIsForPeopleAndTheResultIsSplit(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), 0, &out); err != nil {
		t.Fatal(err)
	}
	want := `  "a_test.go: passed" {"progress":{"done":1,"total":3,"unit":"files"}}
  "b_test.go: passed" {"progress":{"done":2,"total":3,"unit":"files"}}
  "c_test.go: failed" {"progress":{"done":3,"total":3,"unit":"files"}}
Run tests: 2 of 3 passed
the model reads {"passed":2,"failed":["c_test.go"]}
One of three fails.
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
