package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"callboard/backend/mcp"
	"callboard/backend/tool"
)

type city struct {
	Name string `json:"name" jsonschema_description:"The name of a city"`
}

type weather struct {
	Degrees int64 `json:"degrees"`
}

// wares are tools of every kind.
func wares() []*tool.Tool {
	dot := tool.ImagePart(decoded(onePixel))
	return []*tool.Tool{
		tool.Must(tool.Config[city, tool.Output[weather]]{
			Name: "get_weather", Description: "The weather in a city", Presentation: &tool.Presentation{Label: "Weather"},
			Run: func(c tool.Context, in city) (tool.Output[weather], error) {
				c.Update(tool.Update{Content: "asking", Details: tool.Progress{Done: 1, Total: 2}})
				c.Update(tool.Update{Content: "still asking"})
				c.Update(tool.Update{Details: tool.Progress{Done: 2, Total: 2}})
				if in.Name == "Atlantis" {
					return tool.Output[weather]{}, errors.New("there is no such city")
				}
				return tool.Output[weather]{Content: weather{2512292042121000001}, Details: "for people"}, nil
			},
		}),
		tool.Must(tool.Config[struct{}, []tool.Part]{
			Name: "draw",
			Run: func(tool.Context, struct{}) ([]tool.Part, error) {
				return []tool.Part{tool.TextPart("before"), dot, tool.TextPart("after")}, nil
			},
		}),
		tool.Must(tool.Config[struct{}, any]{
			Name: "shoot",
			Run:  func(tool.Context, struct{}) (any, error) { return map[string]any{"image": onePixel, "at": 1}, nil },
		}),
		tool.Must(tool.Config[city, string]{
			Name: "raze", Approval: tool.Always, SideEffects: []tool.SideEffect{tool.External},
			Preview: func(_ tool.Context, in city) (any, error) { return tool.Text(in.Name + " would be gone"), nil },
			Run:     func(_ tool.Context, in city) (string, error) { return in.Name + " is gone", nil },
		}),
		tool.Must(tool.Config[struct{}, string]{
			Name: "wait",
			Run: func(c tool.Context, _ struct{}) (string, error) {
				c.Update(tool.Update{Content: "waiting"})
				<-c.Done()
				return "", context.Cause(c)
			},
		}),
	}
}

// joined connects a client to a server, in memory or over HTTP.
func joined(t *testing.T, s *mcp.Server, o *sdk.ClientOptions, transport string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	var how sdk.Transport
	switch transport {
	case "http":
		handler, err := s.Handler()
		if err != nil {
			t.Fatal(err)
		}
		web := httptest.NewServer(handler)
		t.Cleanup(web.Close)
		how = &sdk.StreamableClientTransport{Endpoint: web.URL}
	default:
		toServer, fromClient := io.Pipe()
		toClient, fromServer := io.Pipe()
		served := make(chan error, 1)
		go func() { served <- s.Serve(t.Context(), toServer, fromServer) }()
		t.Cleanup(func() {
			if err := <-served; err != nil {
				t.Errorf("serving ended with %v", err)
			}
		})
		how = &sdk.IOTransport{Reader: toClient, Writer: fromClient}
	}
	session, err := client.Connect(t.Context(), how, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func ask(t *testing.T, session *sdk.ClientSession, name, arguments string) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"content": result.Content, "structuredContent": result.StructuredContent, "isError": result.IsError})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOurToolsAreListedAsTheyAre(t *testing.T) {
	session := joined(t, &mcp.Server{Tools: wares()}, nil, "")
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, one := range list.Tools {
		text, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		got[one.Name] = string(text)
	}
	want := map[string]string{
		"get_weather": `{"annotations":{"idempotentHint":false,"openWorldHint":false,"readOnlyHint":true},"description":"The weather in a city",` +
			`"inputSchema":{"properties":{"name":{"description":"The name of a city","type":"string"}},"required":["name"],"type":"object"},"name":"get_weather",` +
			`"outputSchema":{"properties":{"degrees":{"type":"integer"}},"required":["degrees"],"type":"object"},"title":"Weather"}`,
		"draw":  `{"annotations":{"idempotentHint":false,"openWorldHint":false,"readOnlyHint":true},"inputSchema":{"properties":{},"type":"object"},"name":"draw"}`,
		"shoot": `{"annotations":{"idempotentHint":false,"openWorldHint":false,"readOnlyHint":true},"inputSchema":{"properties":{},"type":"object"},"name":"shoot"}`,
		"raze":  `{"annotations":{"idempotentHint":false,"openWorldHint":true,"readOnlyHint":false},"inputSchema":{"properties":{"name":{"description":"The name of a city","type":"string"}},"required":["name"],"type":"object"},"name":"raze"}`,
		"wait":  `{"annotations":{"idempotentHint":false,"openWorldHint":false,"readOnlyHint":true},"inputSchema":{"properties":{},"type":"object"},"name":"wait"}`,
	}
	for name, text := range want {
		if diff := cmp.Diff(sorted(t, text), sorted(t, got[name])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func sorted(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestOurResultsGoOutByWhatTheyAre(t *testing.T) {
	for _, transport := range []string{"in memory", "http"} {
		session := joined(t, &mcp.Server{Tools: wares()}, nil, transport)
		image := `{"type":"image","mimeType":"image/png","data":"` + onePixel + `"}`
		for name, tc := range map[string]struct{ tool, arguments, want string }{
			"details stay home":      {"get_weather", `{"name":"Oslo"}`, `{"isError":false,"content":[{"type":"text","text":"{\"degrees\":2512292042121000001}"}],"structuredContent":{"degrees":2512292042121000001}}`},
			"a failure can be read":  {"get_weather", `{"name":"Atlantis"}`, `{"content":[{"type":"text","text":"there is no such city"}],"structuredContent":null,"isError":true}`},
			"arguments are checked":  {"get_weather", `{"nam":"Oslo"}`, `{"content":[{"type":"text","text":"Invalid arguments: at '': missing property 'name'"}],"structuredContent":null,"isError":true}`},
			"parts keep their order": {"draw", `{}`, `{"content":[{"type":"text","text":"before"},` + image + `,{"type":"text","text":"after"}],"structuredContent":null,"isError":false}`},
			"an image field":         {"shoot", `{}`, `{"content":[{"type":"text","text":"{\"at\":1,\"image\":\"[image 1: image/png, 1x1]\"}"},` + image + `],"structuredContent":null,"isError":false}`},
		} {
			if diff := cmp.Diff(sorted(t, tc.want), sorted(t, ask(t, session, tc.tool, tc.arguments))); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", transport, name, diff)
			}
		}
	}
}

func TestUpdatesAreProgressForClientsThatAsk(t *testing.T) {
	heard := make(chan *sdk.ProgressNotificationParams, 10)
	session := joined(t, &mcp.Server{Tools: wares()}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, n *sdk.ProgressNotificationClientRequest) { heard <- n.Params },
	}, "")
	params := &sdk.CallToolParams{Name: "get_weather", Arguments: json.RawMessage(`{"name":"Oslo"}`)}
	params.SetProgressToken("p")
	if _, err := session.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for i, message := range []string{"asking", "still asking", ""} {
		select {
		case n := <-heard:
			if n.Message != message || n.Progress <= last || n.ProgressToken != "p" || n.Total > 0 && n.Progress > n.Total {
				t.Errorf("note %d: got %+v after %v, want %q and more", i, n, last, message)
			}
			last = n.Progress
		case <-time.After(time.Minute):
			t.Fatalf("note %d did not come", i)
		}
	}
}

func TestACancelledCallIsCancelledHere(t *testing.T) {
	for _, transport := range []string{"in memory", "http"} {
		waiting := make(chan struct{}, 1)
		woken := make(chan error, 1)
		wait := tool.Must(tool.Config[struct{}, string]{Name: "wait", Run: func(c tool.Context, _ struct{}) (string, error) {
			waiting <- struct{}{}
			<-c.Done()
			woken <- context.Cause(c)
			return "", c.Err()
		}})
		session := joined(t, &mcp.Server{Tools: []*tool.Tool{wait}}, nil, transport)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-waiting
			cancel()
		}()
		if _, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "wait"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want the call cancelled", transport, err)
		}
		select {
		case err := <-woken:
			if err == nil {
				t.Errorf("%s: the tool was told without a cause", transport)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: the tool was not told", transport)
		}
	}
}

func TestACallThatNeedsAPerson(t *testing.T) {
	answering := func(action string, asked *string) *sdk.ClientOptions {
		return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			*asked = r.Params.Message
			return &sdk.ElicitResult{Action: action}, nil
		}}
	}
	const hidden = `{"name":"Os\u202elo` + "\u202e" + `"}`
	for _, transport := range []string{"in memory", "http"} {
		var asked string
		for name, tc := range map[string]struct {
			approval mcp.Approval
			client   *sdk.ClientOptions
			want     string
			asks     bool
		}{
			"is refused, and told why":       {mcp.Refuse, answering("accept", &asked), `Tool \"raze\" was not run: a call of it needs a person's approval, and this server has nobody to ask`, false},
			"is refused where none is there": {mcp.AskClient, nil, `this client cannot ask one`, false},
			"runs when the person says yes":  {mcp.AskClient, answering("accept", &asked), `is gone`, true},
			"does not when they say no":      {mcp.AskClient, answering("decline", &asked), `the person said no`, true},
			"does not when they turn away":   {mcp.AskClient, answering("cancel", &asked), `turned away without an answer`, true},
		} {
			asked = ""
			got := ask(t, joined(t, &mcp.Server{Tools: wares(), Approval: tc.approval}, tc.client, transport), "raze", hidden)
			if !strings.Contains(got, tc.want) || strings.Contains(got, `"isError":true`) == (tc.want == "is gone") {
				t.Errorf("%s, %s: got %s, want %s", transport, name, got, tc.want)
			}
			if tc.asks != strings.Contains(asked, `Run the tool "raze" with these arguments?`+"\n"+`{"name":"Os\u202elo\u202e"}`+"\n"+`It may touch: external`+"\n"+`It would do: {"text":"Os\u202elo\u202e would be gone"}`) {
				t.Errorf("%s, %s: the person read %q", transport, name, asked)
			}
		}
	}
}

func TestAnAnswerIsGoodForTheCallItWasGivenTo(t *testing.T) {
	session := joined(t, &mcp.Server{Tools: wares(), Approval: mcp.AskClient}, &sdk.ClientOptions{
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept"}, nil
		},
	}, "")
	first, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "raze", Arguments: json.RawMessage(`{"name":"Oslo"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if !first.NeedsInput() {
		t.Fatalf("got %+v, want a question", first)
	}
	again := func(arguments, state string) string {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{
			Name: "raze", Arguments: json.RawMessage(arguments), RequestState: state,
			InputResponses: sdk.InputResponseMap{"approval": &sdk.ElicitResult{Action: "accept"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return result.Content[0].(*sdk.TextContent).Text
	}
	if got := again(`{"name":"Rome"}`, first.RequestState); !strings.Contains(got, "not the call the person was asked about") {
		t.Errorf("got %s, want another call refused", got)
	}
	if got := again(`{"name":"Oslo"}`, ""); !strings.Contains(got, "not the call the person was asked about") {
		t.Errorf("got %s, want an answer to no question refused", got)
	}
	if got := again(`{"name":"Oslo"}`, first.RequestState); got != "Oslo is gone" {
		t.Errorf("got %s, want the call that was approved", got)
	}
}

func TestALineThatIsNoMessageDoesNotEndOurServer(t *testing.T) {
	toServer, client := io.Pipe()
	answers, fromServer := io.Pipe()
	var log bytes.Buffer
	served := make(chan error, 1)
	s := &mcp.Server{Tools: wares(), Logger: slog.New(slog.NewTextHandler(&log, nil))}
	go func() { served <- s.Serve(t.Context(), toServer, fromServer) }()
	for _, line := range []string{
		"Welcome", "",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	} {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if answer, err := bufio.NewReader(answers).ReadString('\n'); err != nil || !strings.Contains(answer, `"protocolVersion"`) {
		t.Errorf("got %s, %v, want what it was asked", answer, err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Errorf("serving ended with %v", err)
	}
	if !strings.Contains(log.String(), "line=Welcome") {
		t.Errorf("the log is %q, want the line in it", log.String())
	}
}

func TestAServerThatCannotServeSaysWhy(t *testing.T) {
	odd, err := wares()[1].Named("draw a picture")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		server *mcp.Server
		want   string
	}{
		"a name the protocol has not": {&mcp.Server{Tools: []*tool.Tool{odd}}, `serve tool "draw a picture": MCP takes letters`},
		"a name twice":                {&mcp.Server{Tools: append(wares(), wares()...)}, `there are two of that name`},
		"an approval there is not":    {&mcp.Server{Approval: "maybe"}, `unknown Approval "maybe"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := tc.server.Handler(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
