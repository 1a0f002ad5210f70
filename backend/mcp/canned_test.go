package mcp_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"callboard/backend/mcp"
	"callboard/backend/tool"
)

const (
	onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	plain    = `"inputSchema":{"type":"object"}`
)

// cannedPages is a list in pages, with tools that are listed wrongly between good ones.
var cannedPages = map[string]string{
	"": `{"tools":[
		{"name":"big","title":"Big numbers","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"type":"string"}},"required":["z"]},
		 "outputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]},"annotations":{"readOnlyHint":true}},
		{"name":"schemaless","description":"It has none"},
		{"name":7,` + plain + `},
		{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"text"}}}},
		{"name":"big",` + plain + `}
	],"nextCursor":"2"}`,
	"2": `{"tools":[
		{"name":"promised",` + plain + `,"outputSchema":{"type":"object","required":["id"]}},
		{"name":"blocks",` + plain + `,"annotations":{"title":"All blocks","readOnlyHint":true,"openWorldHint":true}},
		{"name":"image",` + plain + `,"annotations":{"destructiveHint":false,"openWorldHint":false}},
		{"name":"unknown",` + plain + `},
		{"name":"nothing",` + plain + `},
		{"name":"failure",` + plain + `},
		{"name":"wordless",` + plain + `},
		{"name":"refused",` + plain + `},
		{"name":"a tool: with an odd näme",` + plain + `},
		{"name":"` + strings.Repeat("long", 40) + `",` + plain + `}
	]}`,
}

var cannedResults = map[string]string{
	"big": `{"content":[{"type":"text","text":"{}"},{"type":"image","mimeType":"image/png","data":"` + onePixel + `"}],"structuredContent":{"z":1.0,"id":2512292042121000001}}`,
	"blocks": `{"content":[{"type":"text","text":"first"},
		{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="},
		{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"of a file"}},
		{"type":"resource","resource":{"uri":"file:///a.bin","mimeType":"application/zip","blob":"UEsDBA=="}},
		{"type":"resource_link","uri":"https://example.com/x","name":"x","description":"See there"},
		{"type":"image","mimeType":"image/svg+xml","data":"PHN2Zy8+"},
		{"type":"text","text":"for people","annotations":{"audience":["user"]}}]}`,
	"image":    `{"content":[{"type":"text","text":"before"},{"type":"image","mimeType":"image/png","data":"` + onePixel + `"},{"type":"text","text":"after"}]}`,
	"unknown":  `{"content":[{"type":"hologram","depth":9007199254740993},{"type":"text","text":"and a text"}]}`,
	"nothing":  `{"content":[]}`,
	"failure":  `{"content":[{"type":"text","text":"There is no city of that name"}],"isError":true}`,
	"wordless": `{"content":[],"isError":true}`,
	"promised": `{"content":[{"type":"text","text":"I forgot"}]}`,
}

func TestWhatAServerPrintsBesideItsMessagesIsInItsLog(t *testing.T) {
	s := started(t, "chatty")
	if got := call(t, toolsOf(t, s)["x_image"], tool.Context{}, `{}`); got.Err != nil {
		t.Errorf("got %v, want the call answered", got.Err)
	}
	var want []string
	for _, line := range strays {
		if strings.TrimSpace(line) != "" {
			want = append(want, "on its standard output, no message: "+line)
		}
	}
	got := s.Log()
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("got the log %q, want it to begin with %q", got, want)
	}
}

func TestAToolWithoutASchemaCanBeTried(t *testing.T) {
	for _, o := range started(t, "canned").Offers() {
		if o.Unchecked == nil {
			continue
		}
		call, err := o.Unchecked.Prepare(`{"a":1.0}`)
		if err != nil {
			t.Fatal(err)
		}
		if r := call.Run(tool.Context{Context: t.Context()}); r.Err == nil || !strings.Contains(r.Err.Error(), "refused the call") {
			t.Errorf("tool %q: got %+v, want it to reach the server", o.Name, r)
		}
		if (o.Parameters == nil) != (o.Name == "schemaless") {
			t.Errorf("tool %q: its schema is %s", o.Name, o.Parameters)
		}
	}
}

func TestAWrongToolDoesNotCostTheOthers(t *testing.T) {
	s := started(t, "canned")
	tools := toolsOf(t, s)
	faults := map[string]string{
		"schemaless": "it has no input schema",
		"":           "cannot be read",
		"bad":        "compile the schema",
		"big":        "another tool of this server has its name",
	}
	var usable int
	for _, o := range s.Offers() {
		if o.Tool != nil {
			usable++
			continue
		}
		want := faults[o.Name]
		if want == "" || !strings.Contains(o.Err.Error(), want) {
			t.Errorf("tool %q: got %v, want %q", o.Name, o.Err, want)
		}
		delete(faults, o.Name)
		if byHand := o.Name == "schemaless" || o.Name == "bad"; byHand != (o.Unchecked != nil) {
			t.Errorf("tool %q, unchecked: got %v, want one where only its schema is wrong", o.Name, o.Unchecked)
		}
	}
	if len(faults) > 0 || usable != 11 || len(tools) != 11 {
		t.Errorf("got %d usable tools, %d of them by name, and no fault of %v, want 11 of both pages and all faults", usable, len(tools), faults)
	}
}

func TestToolsAreNamedForTheirServer(t *testing.T) {
	tools := toolsOf(t, started(t, "canned"))
	odd := tools["x_a tool: with an odd näme"]
	if odd == nil {
		t.Error("want a tool with an odd name to keep it")
	}
	for name := range tools {
		if server, _, _ := strings.Cut(name, "_"); server != "x" || len([]rune(name)) > tool.MaxNameLength {
			t.Errorf("got the name %q, want one of server x in %d characters", name, tool.MaxNameLength)
		}
	}
}

func TestASchemaIsTheServersOwn(t *testing.T) {
	big := toolsOf(t, started(t, "canned"))["x_big"]
	want := `{"type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"type":"string"}},"required":["z"]}`
	if got := string(big.Schema().Parameters); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := big.Prepare(`{}`); err == nil || err.Error() != "Invalid arguments: at '': missing property 'z'" {
		t.Errorf("got %v, want the missing property named", err)
	}
}

func TestHintsBecomeSideEffectsAndQuestions(t *testing.T) {
	for asks, want := range map[mcp.Asks]map[string]bool{
		mcp.AskUnlessReadOnly: {"x_big": false, "x_blocks": false, "x_image": true, "x_unknown": true},
		mcp.AskDestructive:    {"x_big": false, "x_blocks": false, "x_image": false, "x_unknown": true},
		mcp.AskAlways:         {"x_big": true, "x_blocks": true, "x_image": true, "x_unknown": true},
		mcp.AskNever:          {"x_big": false, "x_blocks": false, "x_image": false, "x_unknown": false},
	} {
		tools := toolsOf(t, started(t, "canned", func(s *mcp.Source) { s.Asks = asks }))
		for name, asked := range want {
			if got := tools[name].NeedsApproval(`{}`); got != asked {
				t.Errorf("Asks %q, %s: got %v, want %v", asks, name, got, asked)
			}
		}
	}
	tools := toolsOf(t, started(t, "canned"))
	for name, want := range map[string]string{"x_big": "", "x_blocks": "network", "x_image": "external", "x_unknown": "external network"} {
		var effects []string
		for _, e := range tools[name].SideEffects {
			effects = append(effects, string(e))
		}
		if got := strings.Join(effects, " "); got != want {
			t.Errorf("%s: got the side effects %q, want %q", name, got, want)
		}
	}
}

func TestResultsAreSplitByReader(t *testing.T) {
	tools := toolsOf(t, started(t, "canned"))
	for name, tc := range map[string]struct{ arguments, content, details, err string }{
		"big": { // structured content byte for byte; the text that repeats it is left out, the image is for people
			`{"z":1}`, `{"z":1.0,"id":2512292042121000001}`,
			`{"image":{"src":"data:image/png;base64,` + onePixel + `","mediaType":"image/png","alt":""}}`, "",
		},
		"blocks": {
			`{}`, `"first\n[audio: audio/wav, 4 bytes]\n[resource file:///a.txt]\nof a file\n[resource file:///a.bin: application/zip, 4 bytes]\n[resource https://example.com/x: x] See there\n[image: image/svg+xml, 6 bytes]"`,
			`[{"audio":{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="}},` +
				`{"resource":{"type":"resource","resource":{"uri":"file:///a.bin","mimeType":"application/zip","blob":"UEsDBA=="}}},` +
				`{"resourceLink":{"type":"resource_link","uri":"https://example.com/x","name":"x","description":"See there"}},` +
				`{"image":{"src":"data:image/svg+xml;base64,PHN2Zy8+","mediaType":"image/svg+xml","alt":""}},{"text":"for people"}]`, "",
		},
		"image":    {`{}`, `[{"type":"text","text":"before"},{"type":"image","data":"` + onePixel + `","mediaType":"image/png"},{"type":"text","text":"after"}]`, ``, ""},
		"unknown":  {`{}`, `"[a block of the unknown type \"hologram\"]\nand a text"`, `{"hologram":{"type":"hologram","depth":9007199254740993}}`, ""},
		"nothing":  {`{}`, `"empty result"`, ``, ""},
		"failure":  {`{}`, ``, ``, "There is no city of that name"},
		"wordless": {`{}`, ``, ``, "the tool failed and did not say why"},
		"promised": {`{}`, ``, ``, "the tool promises structured content, and sent none; it said: I forgot"},
		"refused":  {`{}`, ``, ``, `the MCP server "x" refused the call: Method not found`},
	} {
		t.Run(name, func(t *testing.T) {
			got := call(t, tools["x_"+name], tool.Context{}, tc.arguments)
			if string(got.Content) != tc.content || string(got.Details) != tc.details {
				t.Errorf("got  %s\nand  %s\nwant %s\nand  %s", got.Content, got.Details, tc.content, tc.details)
			}
			if message := messageOf(got.Err); message != tc.err {
				t.Errorf("got the error %q, want %q", message, tc.err)
			}
		})
	}
	nothing := call(t, tools["x_nothing"], tool.Context{}, `{}`)
	if p := nothing.Presentation; p == nil || p.Summary != "empty result" || p.Detail != "x" {
		t.Errorf("got %+v, want a row that says the result is empty, and of which server", p)
	}
	if !json.Valid(nothing.Content) {
		t.Error("want JSON")
	}
}

// decoded are the bytes of base64.
func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

func messageOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// strict is a server that knows one greeting: asked for anything before "initialize" it dies, as servers of older libraries do; one that
// knows only "server/discover" refuses "initialize".
func strict(greeting string) {
	greeted := false
	lines := json.NewDecoder(os.Stdin)
	for {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		if lines.Decode(&request) != nil {
			return
		}
		if request.ID == nil {
			continue
		}
		var answer string
		switch {
		case request.Method == greeting && greeting == "initialize":
			greeted = true
			answer = `"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`
		case request.Method == greeting:
			greeted = true
			answer = `"result":{"supportedVersions":["2026-07-28"],"protocolVersion":"2026-07-28","capabilities":{"tools":{}},"serverInfo":{"name":"new","version":"1"}}`
		case request.Method == "initialize":
			answer = `"error":{"code":-32601,"message":"there is no initialize"}`
		case !greeted:
			_, _ = os.Stderr.WriteString("a request came before initialize\n")
			os.Exit(1)
		case request.Method == "tools/list":
			answer = `"result":{"tools":[{"name":"only",` + plain + `}]}`
		default:
			answer = `"error":{"code":-32601,"message":"unknown"}`
		}
		_, _ = os.Stdout.WriteString(`{"jsonrpc":"2.0","id":` + string(request.ID) + `,` + answer + "}\n")
	}
}

func TestServersOfEachGreetingAreGreeted(t *testing.T) {
	for _, server := range []string{"old", "new"} {
		t.Run(server, func(t *testing.T) {
			if tools := toolsOf(t, started(t, server)); len(tools) != 1 {
				t.Errorf("got %d tools, want its one", len(tools))
			}
		})
	}
}
