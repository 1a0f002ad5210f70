package main

import (
	"strings"
	"testing"
)

func TestLargePaymentsAreAskedAboutAndADeniedOneIsNotMade(t *testing.T) {
	var out strings.Builder
	if err := serve(t.Context(), strings.NewReader("y\nnever heard of them\n"), &out); err != nil {
		t.Fatal(err)
	}
	want := `paid 7 euros to the baker
Pay: {"to":"the landlord","euros":900}
Approve? [y, or why not] Pay: {"to":"a stranger","euros":5000}
Approve? [y, or why not] paid 900 euros to the landlord
The bills are done.
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNobodyAnswers(t *testing.T) {
	var out strings.Builder
	if err := serve(t.Context(), strings.NewReader(""), &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "paid 900") {
		t.Errorf("got\n%s", got)
	}
}
