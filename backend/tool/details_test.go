package tool_test

import (
	"math"
	"strings"
	"testing"

	"callboard/backend/tool"
)

func TestDetailsDrawThemselvesByTheirMemberNames(t *testing.T) {
	for name, tc := range map[string]struct {
		details any
		want    string
	}{
		"a diff":     {tool.Diff("+a\n"), `{"diff":"+a\n"}`},
		"text":       {tool.Text("a"), `{"text":"a"}`},
		"markdown":   {tool.Markdown("*a*"), `{"markdown":"*a*"}`},
		"a terminal": {tool.Terminal("\x1b[1ma"), `{"terminal":"\u001b[1ma"}`},
		"code":       {tool.Code{Text: "a<b", Lang: "go"}, `{"code":{"text":"a<b","lang":"go"}}`},
		"a table":    {tool.Table{Columns: []string{"n"}, Rows: [][]any{{1}}}, `{"table":{"columns":["n"],"rows":[[1]]}}`},
		"an image":   {tool.Image{Src: "data:,", MediaType: "image/png", Alt: "none"}, `{"image":{"src":"data:,","mediaType":"image/png","alt":"none"}}`},
		"a file":     {tool.File{Path: "a.go", Line: 3}, `{"file":{"path":"a.go","line":3}}`},
		"progress":   {tool.Progress{Done: 1, Total: 3, Unit: "tests"}, `{"progress":{"done":1,"total":3,"unit":"tests"}}`},
		"several":    {[]tool.Block{tool.Text("a"), tool.Progress{Done: 0.5}}, `[{"text":"a"},{"progress":{"done":0.5}}]`},
		"in a map":   {map[string]any{"diff": tool.Diff("+a"), "n": 1}, `{"diff":"+a","n":1}`},
		"in a struct": {struct {
			Diff tool.Diff `json:"diff"`
		}{"+a"}, `{"diff":"+a"}`},
		"anything":      {[]int{1}, `[1]`},
		"not to encode": {math.Inf(1), `{"text":"The details could not be encoded: json: unsupported value: +Inf"}`},
		"too much":      {strings.Repeat("x", 20<<20), `{"text":"The details were left out: they are 20.0 MiB, the limit is 16.0 MiB."}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := define(t, tool.Config[none, tool.Output[string]]{Run: func(tool.Context, none) (tool.Output[string], error) {
				return tool.Output[string]{Details: tc.details}, nil
			}})
			got := run(t, p, ``)
			if string(got.Details) != tc.want || got.Err != nil {
				t.Errorf("got %s, %v, want %s", got.Details, got.Err, tc.want)
			}
		})
	}
}
