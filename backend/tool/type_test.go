package tool_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"callboard/backend/tool"
)

type verdict struct {
	Score int64          `json:"score" jsonschema:"minimum=0"`
	Words string         `json:"words,omitempty" jsonschema:"default=none"`
	More  map[string]any `json:"more,omitempty"`
}

func (v *verdict) Validate() error {
	switch v.Words {
	case "bad":
		return errors.New("words: bad is no verdict")
	case "panic":
		panic("verdict")
	}
	return nil
}

func TestATypeReadsTextAsStrictlyAsATool(t *testing.T) {
	verdicts, err := tool.TypeOf[verdict]()
	if err != nil {
		t.Fatal(err)
	}
	got, err := verdicts.Decode(`{"score": 9007199254740993, "more": {"n": 2512292042121000001}}`)
	if err != nil || got.Score != 9007199254740993 || got.Words != "none" || got.More["n"] != json.Number("2512292042121000001") {
		t.Errorf("got %+v %v, want every digit and the default", got, err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"out of bounds":     {`{"score":-1}`, "/score"},
		"a wrong type":      {`{"score":"1"}`, "/score"},
		"missing":           {`{}`, "score"},
		"twice":             {`{"score":1,"score":2}`, "twice"},
		"differs in case":   {`{"score":1,"Score":2}`, "is written 'score'"},
		"two objects":       {`{"score":1}{"score":2}`, "not valid JSON"},
		"not JSON":          {`score: 1`, "not valid JSON"},
		"refused by itself": {`{"score":1,"words":"bad"}`, "bad is no verdict"},
		"panics":            {`{"score":1,"words":"panic"}`, "panicked: verdict"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := verdicts.Decode(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s in it", err, c.want)
			}
		})
	}
	if _, err := tool.TypeOf[[]string](); err == nil || !strings.Contains(err.Error(), "[]string") {
		t.Errorf("got %v, want a list to be refused by name", err)
	}
}
