package main

import (
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	const passing = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"100% noise\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
{"Action":"pass","Package":"p","Elapsed":0.2}
`
	const skipping = `{"Action":"output","Package":"p","Test":"TestB","Output":"    no such tool\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
`
	const failing = `{"Action":"output","Package":"p","Test":"TestC","Output":"    got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"fail","Package":"p"}
`
	for _, c := range []struct {
		name, input string
		strict      bool
		ok          bool
		says        string
	}{
		{"all passed", passing, true, true, "1 passed, 0 failed, 0 skipped"},
		{"a skipped test is told", passing + skipping, false, true, "no such tool"},
		{"one that may have no Docker engine does not", passing + strings.Replace(skipping, "no such tool", "no Docker engine can start here", 1), true, true, "1 skipped"},
		{"a skipped test fails where CI is set", passing + skipping, true, false, "skipped test is a failure"},
		{"a failed test shows its output", passing + failing, false, false, "got 1, want 2"},
		{"no test at all is a failure", "", false, false, "0 passed"},
		{"what does not compile is shown", `{"Action":"build-output","ImportPath":"p","Output":"main.go:1: undefined: x\n"}` + "\n", false, false, "undefined: x"},
		{"what is no event passes through", "panic: 100%\n" + passing, false, true, "panic: 100%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			s := newSummary(&out)
			if err := s.read(strings.NewReader(c.input)); err != nil {
				t.Fatal(err)
			}
			if got := s.end(c.strict); got != c.ok {
				t.Errorf("all is well: got %v, want %v", got, c.ok)
			}
			if !strings.Contains(out.String(), c.says) {
				t.Errorf("got output %q, want it to contain %q", out.String(), c.says)
			}
		})
	}
}

func TestWhatFailedOnceIsRunOnceMore(t *testing.T) {
	const one = `{"Action":"fail","Package":"p","Test":"TestA/part"}
{"Action":"output","Package":"p","Test":"TestA","Output":"waited too long\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
`
	const passing = `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}
`
	for _, c := range []struct {
		name, first, second string
		again, ok           bool
	}{
		{"and passes", one, passing, true, true},
		{"and fails again", one, one, true, false},
		{"and does not run", one, "", true, false},
		{"but not with a data race", strings.Replace(one, "waited too long", "WARNING: DATA RACE", 1), "", false, false},
		{"but not after a panic", strings.Replace(one, "waited too long", "panic: nil map", 1), "", false, false},
		{"but not where the package failed by itself", `{"Action":"fail","Package":"p"}` + "\n", "", false, false},
		{"but not where many failed", one + strings.ReplaceAll(one, "TestA", "TestB") + strings.ReplaceAll(one, "TestA", "TestC") + strings.ReplaceAll(one, "TestA", "TestD"), "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			first, second := newSummary(&out), newSummary(&out)
			for s, text := range map[*summary]string{first: c.first, second: c.second} {
				if err := s.read(strings.NewReader(text)); err != nil {
					t.Fatal(err)
				}
			}
			again := first.doubtful()
			if got := len(again) > 0; got != c.again {
				t.Fatalf("run once more: got %v, want %v", got, c.again)
			}
			if c.again {
				first.settle(second, len(again["p"]))
			}
			if got := first.end(true); got != c.ok {
				t.Errorf("all is well: got %v, want %v\n%s", got, c.ok, out.String())
			}
		})
	}
}
