package main

import (
	"strings"
	"testing"

	"callboard/backend/model/scripted"
)

func TestAnAnswerThatFitsIsPrinted(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	got, err := plan(t.Context(), backend(), "Oslo")
	if err != nil {
		t.Fatal(err)
	}
	want := "asked again: The answer does not fit what is wanted.\nOslo by train, 3 days: the opera's roof, the fjord\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnAnswerNobodyMayReadIsNotPrinted(t *testing.T) {
	script := &scripted.Backend{Turns: []scripted.Turn{scripted.Say(`{"city": "Oslo", "days": 3, "means": "bus"}`)}}
	got, err := plan(t.Context(), script, "Oslo")
	if err != nil {
		t.Fatal(err)
	}
	if want := "We do not plan trips by bus.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnAnswerThatNeverFitsSaysWhy(t *testing.T) {
	bad := scripted.Say(`{"city": "Oslo", "days": 1, "means": "ship", "stops": ["a", "b", "c", "d"]}`)
	_, err := plan(t.Context(), &scripted.Backend{Turns: []scripted.Turn{bad, bad, bad}}, "Oslo")
	if err == nil || !strings.Contains(err.Error(), "4 are too many for 1 days") {
		t.Errorf("got %v, want what is wrong with it", err)
	}
}
