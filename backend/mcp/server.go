package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"callboard/backend/tool"
)

// Server serves tools to MCP clients. Its fields are not changed once it serves.
type Server struct {
	Name         string // told to clients; empty is "callboard"
	Version      string
	Instructions string // told to clients, for their models
	Tools        []*tool.Tool
	Approval     Approval
	// Context is what the tools know of each call, beside its id and its cancellation.
	Context tool.Context
	// Sandbox runs the calls of tools that declare a sandbox. nil runs their own Run on the host, with a warning in the log.
	Sandbox tool.Executor
	Logger  *slog.Logger // nil is slog.Default()

	key []byte // signs what a person was asked
}

// Approval says what becomes of a call that needs a person.
type Approval string

const (
	Refuse Approval = "" // it is refused, with a message that says why
	// AskClient puts it to the person at the client. A client that cannot ask has it refused. What the person saw is what runs; that
	// it was a person who answered is the client's word.
	AskClient Approval = "client"
)

// sessionTimeout is how long a session over HTTP may be idle.
const sessionTimeout = 30 * time.Minute

// Serve serves one client over two streams, as of a process's standard input and output, until the client leaves or ctx is done.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	server, err := s.server()
	if err != nil {
		return err
	}
	lines := newMessages(in, func(line []byte) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			s.logger().Warn("the client sent a line that is no message", "line", string(line[:min(len(line), maxLine)]))
		}
	})
	session, err := server.Connect(ctx, &sdk.IOTransport{Reader: lines, Writer: out, MaxLineLength: maxMessage}, nil)
	if err != nil {
		return fmt.Errorf("serve tools: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	err = session.Wait()
	if !stop() {
		return nil // it was told to end
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve tools: %w", err)
	}
	return nil
}

// Handler serves streamable HTTP. It checks no token: put a guard before it.
func (s *Server) Handler() (http.Handler, error) {
	server, err := s.server()
	if err != nil {
		return nil, err
	}
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionTimeout, Logger: s.logger(), PropagateRequestCancellation: true,
	}), nil
}

// wireName is what the protocol takes as a tool's name.
var wireName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

func (s *Server) server() (*sdk.Server, error) {
	if !slices.Contains([]Approval{Refuse, AskClient}, s.Approval) {
		return nil, fmt.Errorf("serve tools: unknown Approval %q", s.Approval)
	}
	s.key = []byte(rand.Text())
	server := sdk.NewServer(&sdk.Implementation{Name: cmp.Or(s.Name, "callboard"), Version: cmp.Or(s.Version, "0")}, &sdk.ServerOptions{
		Instructions: s.Instructions,
		Logger:       s.logger(),
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	seen := map[string]bool{}
	for _, t := range s.Tools {
		if !wireName.MatchString(t.Name) {
			return nil, fmt.Errorf("serve tool %q: MCP takes letters, digits, _, - and . in a name, 128 at most; use Named to give it another", t.Name)
		}
		if seen[t.Name] {
			return nil, fmt.Errorf("serve tool %q: there are two of that name", t.Name)
		}
		seen[t.Name] = true
		if err := s.add(server, t); err != nil {
			return nil, err
		}
	}
	return server, nil
}

func (s *Server) add(server *sdk.Server, t *tool.Tool) (err error) {
	defer func() { // the SDK's way to refuse a tool
		if p := recover(); p != nil {
			err = fmt.Errorf("serve tool %q: %v", t.Name, p)
		}
	}()
	listed := &sdk.Tool{
		Name: t.Name, Description: t.Description, InputSchema: t.Schema().Parameters,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: len(t.SideEffects) == 0},
	}
	open := slices.Contains(t.SideEffects, tool.Network) || slices.Contains(t.SideEffects, tool.External)
	listed.Annotations.OpenWorldHint = &open
	if p := t.StaticPresentation(); p != nil {
		listed.Title = p.Label
	}
	structured := describesObject(t.OutputSchema())
	if structured {
		listed.OutputSchema = t.OutputSchema()
	}
	server.AddTool(listed, func(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return s.call(ctx, t, structured, request), nil
	})
	return nil
}

func describesObject(schema json.RawMessage) bool {
	var s struct {
		Type json.RawMessage `json:"type"`
	}
	return json.Unmarshal(schema, &s) == nil && string(s.Type) == `"object"`
}

// call runs one call of a client. What goes wrong is for its model to read.
func (s *Server) call(ctx context.Context, t *tool.Tool, structured bool, request *sdk.CallToolRequest) *sdk.CallToolResult {
	arguments := string(request.Params.Arguments)
	prepared, err := t.Prepare(arguments)
	if err != nil {
		return failed(err)
	}
	c := s.Context
	c.Context, c.ToolCallID = ctx, "call_"+rand.Text()
	if t.NeedsApproval(arguments) {
		if question, err := s.approve(c, prepared, request); question != nil || err != nil {
			return cmp.Or(question, failed(err))
		}
	}
	if token := request.Params.GetProgressToken(); token != nil {
		r := reporter{ctx: ctx, session: request.Session, token: token}
		c.OnUpdate = r.report
	}
	sandbox := s.Sandbox
	if sandbox == nil {
		sandbox = tool.NoSandbox{Logger: s.Logger}
	}
	defer sandbox.EndRun(c.RunID)
	result := prepared.RunIn(c, sandbox)
	if result.Err != nil {
		return failed(result.Err)
	}
	return given(result.Content, structured)
}

func failed(err error) *sdk.CallToolResult {
	if err == nil {
		return nil
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}}
}

// given is a result as a client reads it. With structured, its content goes as it is where the tool's output schema is listed.
func given(content json.RawMessage, structured bool) *sdk.CallToolResult {
	result := &sdk.CallToolResult{}
	split := tool.SplitContent(content)
	var parts []tool.Part
	if len(split.Images) > 0 && json.Unmarshal(content, &parts) == nil { // in their order
		for _, p := range parts {
			if p.Type == tool.PartText {
				result.Content = append(result.Content, &sdk.TextContent{Text: p.Text})
				continue
			}
			result.Content = append(result.Content, &sdk.ImageContent{Data: p.Data, MIMEType: cmp.Or(p.MediaType, "image/png")})
		}
		return result
	}
	result.Content = append(result.Content, &sdk.TextContent{Text: split.Text})
	for _, p := range split.Images {
		result.Content = append(result.Content, &sdk.ImageContent{Data: p.Bytes, MIMEType: p.MediaType})
	}
	if structured || len(split.Images) == 0 && isObject(content) {
		result.StructuredContent = content
	}
	return result
}

func isObject(content json.RawMessage) bool { return len(content) > 0 && content[0] == '{' }

func (s *Server) logger() *slog.Logger { return cmp.Or(s.Logger, slog.Default()) }
