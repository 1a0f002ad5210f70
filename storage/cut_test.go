package storage

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/backend/agent"
)

func TestWhatIsCutOutIsPutBack(t *testing.T) {
	long := `"` + strings.Repeat("x", largeValue) + `"`
	tricky := `"` + strings.Repeat(`\"}],{\\`, largeValue/8) + `"`
	list := "[" + strings.Repeat(`{"a":[1,"]"]},`, largeValue/14) + "null]"
	for name, c := range map[string]struct {
		text  string
		parts []string
	}{
		"nothing large":               {`{"a":1,"b":"x"}`, nil},
		"one value":                   {`{"a":1,"b":` + long + `,"c":[]}`, []string{long}},
		"the last value":              {`{"b":` + long + `}`, []string{long}},
		"values of all kinds":         {`{"a":` + tricky + `,"b":` + list + `,"c":{"d":` + long + `}}`, []string{tricky, list, `{"d":` + long + `}`}},
		"one value twice":             {`{"a":` + long + `,"a":` + long + `}`, []string{long, long}},
		"space everywhere":            {" {\n\"a\" :\t" + list + " ,\r\"b\" : 1 } ", []string{list}},
		"a long key":                  {`{` + long + `:1}`, nil},
		"many small values":           {`{` + strings.Repeat(`"k":"v",`, largeValue) + `"l":1}`, nil},
		"a list":                      {list, nil},
		"a string":                    {long, nil},
		"a value that is not closed":  {`{"a":` + long[:len(long)-1], []string{long[:len(long)-1]}},
		"braces that do not fit":      {`{"a":` + strings.Repeat("}", largeValue+1), nil},
		"an escape at the very end":   {`{"a":"` + strings.Repeat("x", largeValue) + `\`, []string{`"` + strings.Repeat("x", largeValue) + `\`}},
		"only an opening brace":       {strings.Repeat(" ", largeValue) + "{", nil},
		"a key without a value":       {`{"a"` + strings.Repeat(" ", largeValue), nil},
		"a large number, so to speak": {`{"a":` + strings.Repeat("1", largeValue+1) + `,"b":2}`, []string{strings.Repeat("1", largeValue+1)}},
	} {
		t.Run(name, func(t *testing.T) {
			rest, parts := cut(c.text)
			blobs := make([]int64, len(parts))
			for i, p := range parts {
				blobs[i] = int64(i)
				if i >= len(c.parts) || p.body != c.parts[i] {
					t.Errorf("part %d has %d bytes: %.20s…", i, len(p.body), p.body)
				}
			}
			if len(parts) != len(c.parts) {
				t.Fatalf("%d parts, want %d", len(parts), len(c.parts))
			}
			if len(parts) == 0 {
				if rest != c.text {
					t.Error("a text with no parts was changed")
				}
				return
			}
			whole, err := join([]byte(rest), placement(parts, blobs), func(n int64) ([]byte, error) { return []byte(parts[n].body), nil })
			if err != nil || string(whole) != c.text {
				t.Errorf("%d bytes came back (%v), want %d", len(whole), err, len(c.text))
			}
		})
	}
}

func TestPartsThatDoNotFitAreAnError(t *testing.T) {
	for _, placed := range []string{"", "x", "1", "9:1", "-1:1", "2:1 1:1", "1:x"} {
		_, err := join([]byte("abc"), placed, func(int64) ([]byte, error) { return nil, nil })
		if err == nil {
			t.Errorf("parts %q of a text of 3 bytes were taken", placed)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add(`{"a":[{"b":"c\""}],"d":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			text = `{"a":` + text
		}
		for start, end := range members(text) {
			if start < 0 || end < start || end > len(text) {
				t.Fatalf("a value from %d to %d in %q", start, end, text)
			}
		}
	})
}

func TestDamagedPiecesAreAnError(t *testing.T) {
	whole := appendPieces(nil, []agent.Received{{After: 5, Bytes: []byte("abc")}})
	for n := 1; n < len(whole); n++ {
		if _, err := readPieces(nil, whole[:n]); err == nil {
			t.Errorf("the first %d of %d bytes were taken", n, len(whole))
		}
	}
}
