package main

import (
	"context"
	"os"
	"strings"
	"testing"
)

// The example starts itself as a server; under test that is the test's program.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "-serve" {
		if err := serve(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestAnAgentCallsAToolOfAServer(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, nil); err != nil {
		t.Fatal(err)
	}
	want := "words_count_letters: Counts the letters of a word\n" +
		"words_count_letters is called\n" +
		`it gave {"letters":9,"distinct":7}` + "\n" +
		"I counted them.\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestAServerThatIsNotThereIsSaidSo(t *testing.T) {
	err := run(t.Context(), &strings.Builder{}, []string{"/no/such/program"})
	if err == nil || !strings.Contains(err.Error(), "start /no/such/program") {
		t.Errorf("got %v, want the program named", err)
	}
}
