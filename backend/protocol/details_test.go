package protocol

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheSharedDetailsGiveTheirBlocks holds DetailsBlocks to the files that detailsBlocks is held to as well.
func TestTheSharedDetailsGiveTheirBlocks(t *testing.T) {
	paths, err := filepath.Glob("testdata/details/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no details in testdata/details: %v", err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, ".blocks.json") {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			got := blocksJSON(readDetails(t, path))
			golden := strings.TrimSuffix(path, ".json") + ".blocks.json"
			if *update {
				writeGolden(t, golden, got)
			}
			if got, want := jsonText(t, got), readGolden(t, golden); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func readDetails(t *testing.T, path string) []Block {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return DetailsBlocks(data)
}

func details(t *testing.T, name string) []Block {
	return readDetails(t, filepath.Join("testdata", "details", name+".json"))
}

func TestDetailsKeepEveryByteOfWhatIsNoBlock(t *testing.T) {
	blocks := details(t, "lossless-rest")
	if len(blocks) != 2 || blocks[0].Kind != BlockText || blocks[1].Kind != BlockJSON {
		t.Fatalf("got %v", blocks)
	}
	for _, want := range []string{
		`"id":2512292042121000001`, `"x":1.0`, `"y":1e400`, `"a":1,"a":2`, `"__proto__":{"admin":true}`, `"\u006bey":"\ud83d"`, `"10":0,"9":0`,
	} {
		if !strings.Contains(string(blocks[1].Raw), want) {
			t.Errorf("%s is not in %s", want, blocks[1].Raw)
		}
	}
}

func TestDetailsDrawByMemberNamesThatFit(t *testing.T) {
	for _, c := range []struct {
		name  string
		kinds string
	}{
		{"diff-and-rest", "diff json"},
		{"every-kind", "text markdown diff terminal code table image file progress"},
		{"does-not-fit", "json"},
		{"does-not-fit-2", "json"},
		{"optional-members", "code table image file progress"},
		{"array", "diff diff json"},
		{"array-of-blocks", "text terminal"},
		{"array-without-blocks", "json"},
		{"repeated-block", "diff diff diff"},
		{"too-exact-a-number", "json"},
		{"plain-string", "json"},
		{"null", ""},
		{"empty-object", "json"},
		{"broken", "json"},
		{"deep", "text json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var kinds []string
			for _, b := range details(t, c.name) {
				kinds = append(kinds, string(b.Kind))
			}
			if got := strings.Join(kinds, " "); got != c.kinds {
				t.Errorf("got %q, want %q", got, c.kinds)
			}
		})
	}
}

func blocksJSON(blocks []Block) any {
	type block struct {
		Kind      BlockKind  `json:"kind"`
		Text      string     `json:"text,omitempty"`
		Lang      string     `json:"lang,omitempty"`
		Columns   []string   `json:"columns,omitempty"`
		Rows      [][]string `json:"rows,omitempty"`
		Src       string     `json:"src,omitempty"`
		MediaType string     `json:"mediaType,omitempty"`
		Alt       string     `json:"alt,omitempty"`
		Path      string     `json:"path,omitempty"`
		Line      int64      `json:"line,omitempty"`
		Done      *float64   `json:"done,omitempty"`
		Total     *float64   `json:"total,omitempty"`
		Unit      string     `json:"unit,omitempty"`
		Raw       string     `json:"raw"`
	}
	list := []block{}
	for _, b := range blocks {
		j := block{
			Kind: b.Kind, Text: b.Text, Lang: b.Lang, Columns: b.Columns, Src: b.Src, MediaType: b.MediaType, Alt: b.Alt,
			Path: b.Path, Line: b.Line, Total: b.Total, Unit: b.Unit, Raw: string(b.Raw),
		}
		if b.Kind == BlockProgress {
			j.Done = &b.Done
		}
		for _, row := range b.Rows {
			cells := []string{}
			for _, cell := range row {
				cells = append(cells, string(cell))
			}
			j.Rows = append(j.Rows, cells)
		}
		list = append(list, j)
	}
	return list
}

func TestABlockOfAnyGoValueWithItsNamesIsDrawn(t *testing.T) {
	made, err := json.Marshal(struct {
		Diff string `json:"diff"`
		Path string `json:"path"`
	}{"--- a\n", "a.go"})
	if err != nil {
		t.Fatal(err)
	}
	blocks := DetailsBlocks(made)
	if len(blocks) != 2 || blocks[0].Kind != BlockDiff || blocks[0].Text != "--- a\n" || string(blocks[1].Raw) != `{"path":"a.go"}` {
		t.Errorf("got %+v", blocks)
	}
}
