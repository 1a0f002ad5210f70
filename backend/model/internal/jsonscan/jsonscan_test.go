package jsonscan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/backend/model/internal/jsonscan"
)

var samples = []string{
	``, ` `, `{}`, `[]`, ` {"a":1} `, `{"a":1}{"a":2}`, `{"a":1,}`, `{,}`, `[1,]`, `[,1]`, `{"a" : [ 1 , -0.5e+3, true ,false,null, "x\u00e9\"\\\/" ] }`,
	`01`, `-`, `-0`, `0.`, `1.e3`, `1e`, `1E+5`, `.5`, `+1`, `tru`, `truex`, `nul`, `"`, `"\`, `"\u12`, `"\u12g4"`, `"\x"`, "\"a\nb\"",
	"\"\xff\"", "\"\x7f\"", `"\ud83d"`, `{"a"}`, `{"a":}`, `{a:1}`, `{1:1}`, `[1 2]`, `{"a":1 "b":2}`, `[`, `{`, `{"a":[{"b":[]}]}`, "\ufeff{}",
	"\v{}", "1\x00",
	strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001),
}

func TestValidAgreesWithEncodingJSON(t *testing.T) {
	for _, s := range samples {
		if got, want := jsonscan.Valid([]byte(s)), json.Valid([]byte(s)); got != want {
			t.Errorf("Valid(%.60q): got %t, want %t", s, got, want)
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, s := range samples {
		if len(s) < 1000 {
			f.Add([]byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := jsonscan.Valid(b), json.Valid(b); got != want {
			t.Errorf("Valid(%q): got %t, want %t", b, got, want)
		}
	})
}

func TestMembersAndElementsStandWhereTheyAre(t *testing.T) {
	b := []byte(` { "a" : [ 1 , "x" ] , "b":{} } `)
	var got []string
	i := jsonscan.Space(b, 0) + 1
	for more := false; ; more = true {
		name, next, ok := jsonscan.Member(b, i, more)
		if !ok {
			t.Fatalf("no member at %d", i)
		}
		if name == nil {
			break
		}
		end, ok := jsonscan.Value(b, next)
		if !ok {
			t.Fatalf("no value at %d", next)
		}
		got = append(got, string(name)+"="+string(b[next:end]))
		i = end
	}
	if got, want := strings.Join(got, ";"), `"a"=[ 1 , "x" ];"b"={}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
