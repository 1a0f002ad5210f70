package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"callboard/backend/mcp"
	"callboard/backend/tool"
)

// The tests' servers are this program itself, started with the name of one in the environment.
const serverVariable = "CALLBOARD_TEST_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(serverVariable) {
	case "":
		slog.SetDefault(slog.New(slog.DiscardHandler)) // ends of servers are warned of
		goleak.VerifyTestMain(m)
	case "lively":
		if err := livelyServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "ours":
		if err := (&mcp.Server{Tools: wares()}).Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "canned":
		canned()
	case "chatty":
		chatty = true
		canned()
	case "old":
		strict("initialize")
	case "new":
		strict("server/discover")
	case "broken":
		fmt.Fprintln(os.Stderr, "no such database: "+os.Getenv("DB_PASSWORD"))
		os.Exit(7)
	case "silent":
		_, _ = bufio.NewReader(os.Stdin).ReadString(0)
	}
}

// started returns a source of one of the tests' servers.
func started(t testing.TB, server string, adjust ...func(*mcp.Source)) *mcp.Source {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &mcp.Source{Name: "x", Command: program, Env: []string{serverVariable + "=" + server, "GORACE=atexit_sleep_ms=0"}}
	for _, a := range adjust {
		a(s)
	}
	t.Cleanup(s.Close)
	return s
}

func toolsOf(t testing.TB, s *mcp.Source) map[string]*tool.Tool {
	t.Helper()
	list, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*tool.Tool{}
	for _, one := range list {
		tools[one.Name] = one
	}
	return tools
}

func call(t testing.TB, one *tool.Tool, c tool.Context, arguments string) tool.Result {
	t.Helper()
	if one == nil {
		t.Fatal("there is no such tool")
	}
	prepared, err := one.Prepare(arguments)
	if err != nil {
		t.Fatal(err)
	}
	if c.Context == nil {
		c.Context = t.Context()
	}
	return prepared.Run(c)
}

// livelyServer does what servers of the official SDKs do.
func livelyServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "lively", Version: "1"}, nil)
	add := func(name string, handle func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, error)) {
		server.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				var arguments map[string]any
				if err := json.Unmarshal(r.Params.Arguments, &arguments); err != nil {
					return nil, err
				}
				return handle(ctx, r, arguments)
			})
	}
	text := func(s string) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}, nil
	}
	add("echo", func(_ context.Context, r *sdk.CallToolRequest, _ map[string]any) (*sdk.CallToolResult, error) {
		return text(string(r.Params.Arguments))
	})
	add("count", func(ctx context.Context, r *sdk.CallToolRequest, a map[string]any) (*sdk.CallToolResult, error) {
		for _, n := range []*sdk.ProgressNotificationParams{
			{Progress: 1, Total: 4, Message: "one"},
			{Progress: 3, Message: "three of nobody knows"},
			{Progress: 2, Total: 4, Message: "back"},
			{Progress: 9, Total: 4, Message: "over"},
		} {
			if n.ProgressToken = r.Params.GetProgressToken(); n.ProgressToken == nil {
				return text("nobody listens")
			}
			if err := r.Session.NotifyProgress(ctx, n); err != nil {
				return nil, err
			}
		}
		_, err := os.Stat(waitFor(a["until"].(string))) // the notes are heard before the result
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "counted"}}}, err
	})
	add("sleep", func(ctx context.Context, _ *sdk.CallToolRequest, a map[string]any) (*sdk.CallToolResult, error) {
		if err := os.WriteFile(a["asleep"].(string), nil, 0o600); err != nil {
			return nil, err
		}
		<-ctx.Done()
		return &sdk.CallToolResult{Content: []sdk.Content{}}, os.WriteFile(a["woken"].(string), nil, 0o600)
	})
	add("die", func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of luck")
		fmt.Fprintln(os.Stderr, strings.Repeat("é", 1000))
		os.Exit(3)
		return nil, nil
	})
	add("grow", func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, error) {
		server.RemoveTools("echo")
		add("grown", func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, error) {
			return text("up")
		})
		return text("grew")
	})
	add("child", func(ctx context.Context, _ *sdk.CallToolRequest, a map[string]any) (*sdk.CallToolResult, error) {
		cmd := exec.CommandContext(context.WithoutCancel(ctx), "sleep", "600")
		cmd.Stdout = os.Stdout // it holds the pipe
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		return text(fmt.Sprint(cmd.Process.Pid))
	})
	add("environment", func(_ context.Context, _ *sdk.CallToolRequest, a map[string]any) (*sdk.CallToolResult, error) {
		return text(os.Getenv(a["name"].(string)))
	})
	return server
}

// waitFor waits for a file, for a minute at most.
func waitFor(file string) string {
	for range 6000 {
		if _, err := os.Stat(file); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return file
}

// chatty has canned print between its messages.
var chatty bool

// strays are lines of a standard output that are no messages, as banners and stray prints are.
var strays = []string{"Welcome to my server v1.0", "hi", `{"level":30,"msg":"a request"}`, "[]", "[1,2]", "null", "{", `{"jsonrpc":"2.0"}`, "  "}

// canned answers with texts of its own, as a server that follows no SDK may.
func canned() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Cursor string
				Name   string
			}
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch request.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"canned","version":"1"}}`
		case "tools/list":
			answer = `"result":` + cannedPages[request.Params.Cursor]
		case "tools/call":
			if result, ok := cannedResults[request.Params.Name]; ok {
				answer = `"result":` + result
			}
		}
		if chatty {
			fmt.Println(strings.Join(strays, "\r\n"))
		}
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", request.ID, strings.ReplaceAll(answer, "\n", ""))
	}
}
