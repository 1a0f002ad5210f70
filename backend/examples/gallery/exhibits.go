package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"time"

	"callboard/backend/tool"
)

type nothing struct{}

// exhibit is a tool that shows details.
func exhibit(name, icon, detail, summary string, details any) (*tool.Tool, error) {
	label := strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ")
	return tool.Define(tool.Config[nothing, tool.Output[string]]{
		Name: name, Description: "Shows " + detail,
		Presentation: &tool.Presentation{Label: label, Icon: icon, Detail: detail},
		Run: func(tool.Context, nothing) (tool.Output[string], error) {
			return tool.Output[string]{
				Content: "shown", Details: details,
				Presentation: &tool.Presentation{Label: label, Icon: icon, Detail: detail, Summary: summary},
			}, nil
		},
	})
}

// exhibits are tools that each show a kind of details.
func exhibits() ([]*tool.Tool, error) {
	picture, err := dataURL(drawing(640, 360))
	if err != nil {
		return nil, fmt.Errorf("draw the image: %w", err)
	}
	var tools []*tool.Tool
	for _, e := range []struct {
		name, icon, detail, summary string
		details                     any
	}{
		{"text", "text", "a few plain lines", "3 lines", tool.Text("One line.\nAnother, with a tab\tin it.\nA last one.")},
		{"long_text", "scroll-text", "340 lines", "340 lines", tool.Text(numbered(340))},
		{"markdown", "pilcrow", "a release note", "", tool.Markdown(note)},
		{"diff", "file-diff", "server.go, config.go", "+5 −4", tool.Diff(patch)},
		{"table", "table", "5,000 orders", "5,000 rows", orders(5000)},
		{"image", "image", "a drawing with nothing behind it", "640 × 360", tool.Image{Src: picture, MediaType: "image/png", Alt: "Rings of colour on a transparent ground"}},
		{"remote_image", "image-off", "an image from elsewhere", "", tool.Image{Src: "https://example.com/chart.png", MediaType: "image/png", Alt: "A chart"}},
		{"terminal", "terminal", "go test ./...", "1 failed", tool.Terminal(terminal())},
		{"code", "code", "a query", "", tool.Code{Text: query, Lang: "sql"}},
		{"file", "file", "a place in a file", "", []tool.Block{tool.File{Path: "internal/server.go", Line: 3}, tool.Code{Text: source, Lang: "go"}}},
		{"progress", "loader", "the end of it", "10 of 10", tool.Progress{Done: 14, Total: 10, Unit: "files"}},
		{"json", "braces", "what no double can hold", "", json.RawMessage(odd)},
		{"large_json", "database", "1 MB of records", "8,000 records", records(8000)},
		{"many", "layers", "several blocks at once", "", []tool.Block{tool.Text("Before the release"), tool.Progress{Done: 3, Unit: "checks"}, tool.Terminal("\x1b[32m✓\x1b[0m all checks passed")}},
		{"hostile", "bug", `<img src=x onerror=alert(1)>`, "", json.RawMessage(hostile)},
	} {
		t, err := exhibit(e.name, e.icon, e.detail, e.summary, e.details)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	seen, err := sight()
	if err != nil {
		return nil, err
	}
	counting, err := countdown()
	return append(tools, seen, counting), err
}

// sight gives the model an image to see, with a word on it.
func sight() (*tool.Tool, error) {
	return tool.Define(tool.Config[nothing, []tool.Part]{
		Name: "seen", Description: "Shows the model an image",
		Presentation: &tool.Presentation{Label: "Seen", Icon: "eye", Detail: "an image the model sees", Summary: "320 × 180"},
		Run: func(tool.Context, nothing) ([]tool.Part, error) {
			var b bytes.Buffer
			if err := png.Encode(&b, drawing(320, 180)); err != nil {
				return nil, fmt.Errorf("draw the image: %w", err)
			}
			return []tool.Part{tool.TextPart("Rings, once more."), tool.ImagePart(b.Bytes())}, nil
		},
	})
}

// countdown reports progress while it runs.
func countdown() (*tool.Tool, error) {
	return tool.Define(tool.Config[nothing, string]{
		Name: "countdown", Description: "Counts to ten",
		Presentation: &tool.Presentation{Label: "Countdown", Icon: "timer", Detail: "ten steps"},
		Run: func(c tool.Context, _ nothing) (string, error) {
			for step := range 10 {
				c.Update(tool.Update{Details: tool.Progress{Done: float64(step + 1), Total: 10, Unit: "steps"}})
				select {
				case <-c.Done():
					return "", c.Err()
				case <-time.After(20 * time.Millisecond):
				}
			}
			return "counted", nil
		},
	})
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of %d\n", i+1, n)
	}
	return b.String()
}

func orders(n int) tool.Table {
	cities := []string{"Lima", "Nairobi", "Oslo", "São Paulo", "東京"}
	table := tool.Table{Columns: []string{"Order", "City", "Amount", "Paid", "Note"}, Rows: make([][]any, n)}
	for i := range table.Rows {
		note := ""
		if i%7 == 0 {
			note = "Delivered to the neighbour on the third floor, who signed for it in the evening."
		}
		table.Rows[i] = []any{2512292042121000001 + int64(i*i), cities[i%len(cities)], float64(i*37%10000) / 100, i%3 == 0, note}
	}
	return table
}

func records(n int) any {
	list := make([]map[string]any, n)
	for i := range list {
		list[i] = map[string]any{
			"id": i, "name": fmt.Sprintf("record %d", i), "tags": []string{"a", "b"},
			"place": map[string]any{"city": "Oslo", "at": []float64{59.91, 10.75}}, "text": "Some words that make a record as long as records are.",
		}
	}
	return map[string]any{"records": list, "total": n, "next": nil}
}

// terminal is text in all its colours.
func terminal() string {
	var b strings.Builder
	b.WriteString("\x1b[1mgo test ./...\x1b[0m\nok  \tcallboard/backend/tool\t\x1b[32m0.412s\x1b[0m\n")
	b.WriteString("\x1b[31m--- FAIL: TestPort (0.00s)\x1b[0m\n    server_test.go:42: got \x1b[4m8080\x1b[0m, want \x1b[1;33m9090\x1b[0m\n")
	b.WriteString("downloading 10%\rdownloading 100%\n")
	for _, base := range []int{30, 90, 40, 100} {
		for c := range 8 {
			fmt.Fprintf(&b, "\x1b[%dm %3d \x1b[0m", base+c, base+c)
		}
		b.WriteByte('\n')
	}
	for c := range 36 {
		fmt.Fprintf(&b, "\x1b[48;5;%dm  \x1b[0m", 16+c*6)
	}
	b.WriteString("\n\x1b[38;2;255;140;90mtrue colour\x1b[0m \x1b[7minverse\x1b[0m \x1b[2mdim\x1b[0m \x1b[3mitalic\x1b[0m\n")
	return b.String()
}

// drawing is rings on a transparent ground.
func drawing(width, height int) image.Image {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			dx, dy := x-width/2, y-height/2
			ring := (dx*dx + dy*dy) / 900
			if ring%3 != 0 || ring > 34 {
				continue
			}
			picture.Set(x, y, color.NRGBA{R: uint8(40 + ring*6), G: uint8(120 + x*100/width), B: uint8(220 - y*120/height), A: 255})
		}
	}
	return picture
}

func dataURL(picture image.Image) (string, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
