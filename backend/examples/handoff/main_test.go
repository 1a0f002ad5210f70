package main

import (
	"strings"
	"testing"

	"callboard/backend/model"
	"callboard/backend/model/scripted"
)

func TestTheDeskHandsOverAndAsksBeforeItPays(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	for name, c := range map[string]struct{ answer, paid string }{
		"allowed":     {"y\n", `"paid back 30 EUR"`},
		"denied":      {"n\n", "denied by a person"},
		"not decided": {"", "denied by a person"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := serve(t.Context(), backend, "I paid twice", strings.NewReader(c.answer), &out); err != nil {
				t.Fatal(err)
			}
			want := `desk calls transfer_to_billing: "billing has taken over."
  accountant calls list_payments: ["May 2: 30 EUR","May 2: 30 EUR"]
30 EUR of order 7, asked by accountant: allow it? [y/N]   accountant calls pay_back: ` + c.paid + `
billing calls ask_accountant: "It was paid twice; I saw to it."
billing: You paid twice, and the second payment is on its way back to you.
`
			if got := out.String(); got != want {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
		})
	}
}

func TestTheDeskHandsOverToRepairs(t *testing.T) {
	script := func(agentName string) model.Backend {
		if agentName == "desk" {
			return &scripted.Backend{Turns: []scripted.Turn{scripted.CallTool("c1", "transfer_to_repairs", `{}`)}}
		}
		return &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Switch it off and on again.")}}
	}
	var out strings.Builder
	if err := serve(t.Context(), script, "It hums", strings.NewReader(""), &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasSuffix(got, "repairs: Switch it off and on again.\n") {
		t.Errorf("got %s", got)
	}
}
