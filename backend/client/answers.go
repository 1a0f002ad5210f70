package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

// Agent is an agent a server offers.
type Agent struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tools       []string `json:"tools"`
}

// Tool is a tool of a server's agents.
type Tool struct {
	tool.Schema
	OutputSchema json.RawMessage    `json:"outputSchema"`
	Category     string             `json:"category"`
	Tags         []string           `json:"tags"`
	SideEffects  []tool.SideEffect  `json:"sideEffects"`
	Approval     tool.ApprovalMode  `json:"approval"` // which calls wait for a person; empty: the server does not tell
	TimeoutMs    int64              `json:"timeoutMs"`
	Sandbox      tool.SandboxType   `json:"sandbox"` // empty for none
	Presentation *tool.Presentation `json:"presentation"`
	Callable     bool               `json:"callable"` // StartTool may call it
}

// Input starts a run.
type Input struct {
	Text     string
	ThreadID string          // empty makes a new thread
	Context  json.RawMessage // an object: userId, channelType, channelId and what the server allows; nil is none
	// DenyPending denies what the thread's paused run waits for.
	DenyPending bool
}

// MarshalJSON writes the body of /run, /runs and /stream.
func (in Input) MarshalJSON() ([]byte, error) {
	body := struct {
		Input    string          `json:"input"`
		ThreadID string          `json:"threadId,omitempty"`
		Context  json.RawMessage `json:"context,omitempty"`
		Pending  string          `json:"pending,omitempty"`
	}{Input: in.Text, ThreadID: in.ThreadID, Context: in.Context}
	if in.DenyPending {
		body.Pending = "deny"
	}
	return json.Marshal(body)
}

// ToolInput starts a run that makes one call of a tool.
type ToolInput struct {
	ArgumentsText string          // a JSON object, which goes out byte for byte; empty is {}
	ThreadID      string          // empty makes a new thread
	Context       json.RawMessage // as Input's
	// DenyPending denies what the thread's paused run waits for.
	DenyPending bool
}

// MarshalJSON writes the body of /tools/{name}/runs.
func (in ToolInput) MarshalJSON() ([]byte, error) {
	body := struct {
		ArgumentsText string          `json:"argumentsText"`
		ThreadID      string          `json:"threadId,omitempty"`
		Context       json.RawMessage `json:"context,omitempty"`
		Pending       string          `json:"pending,omitempty"`
	}{ArgumentsText: in.ArgumentsText, ThreadID: in.ThreadID, Context: in.Context}
	if in.DenyPending {
		body.Pending = "deny"
	}
	return json.Marshal(body)
}

// Started names a run that was started.
type Started struct {
	RunID    string `json:"runId"`
	ThreadID string `json:"threadId"`
}

// Outcome is how a stretch of a run ended.
type Outcome struct {
	RunID                 string           `json:"runId"`
	ThreadID              string           `json:"threadId"`
	Status                protocol.Status  `json:"status"`
	Output                string           `json:"output"`
	Usage                 *model.Usage     `json:"usage"`
	ToolCalls             []model.ToolCall `json:"toolCalls"`
	PendingApprovals      []Approval       `json:"pendingApprovals"`
	Structured            json.RawMessage  `json:"structured"`
	StructuredError       string           `json:"structuredError"`
	Truncated             bool             `json:"truncated"`
	Blocked               bool             `json:"blocked"`
	IterationLimitReached bool             `json:"iterationLimitReached"`
	Limit                 string           `json:"limit"`
}

// Approval is a call that waits for a person, or waited.
type Approval struct {
	protocol.Approval
	RunID     string             `json:"runId"`
	ThreadID  string             `json:"threadId"`
	AgentName string             `json:"agentName"`
	SinceMs   int64              `json:"since"`
	Decision  *approval.Decision `json:"decision"`
	DecidedMs int64              `json:"decidedAt"`
	// Resumed, of the answer to a decision, says that it was the last one missing: the run goes on.
	Resumed bool `json:"resumed"`
}

// Run is a run of a thread.
type Run struct {
	RunID       string          `json:"runId"`
	ThreadID    string          `json:"threadId"`
	AgentName   string          `json:"agentName"`
	Input       string          `json:"input"`
	Status      protocol.Status `json:"status"`
	Last        int64           `json:"last"`
	Turns       int             `json:"turns"`
	Calls       int             `json:"calls"`
	Usage       *model.Usage    `json:"usage"`
	Error       string          `json:"error"`
	ErrorCode   string          `json:"errorCode"`
	CreatedAtMs int64           `json:"createdAt"`
	UpdatedAtMs int64           `json:"updatedAt"`
}

// Thread is a thread with its messages.
type Thread struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	AgentName   string    `json:"agentName"`
	Messages    []Message `json:"messages"`
	CreatedAtMs int64     `json:"createdAt"`
	UpdatedAtMs int64     `json:"updatedAt"`
}

// Message is one message of a thread.
type Message struct {
	ID          string           `json:"id"`
	Role        model.Role       `json:"role"`
	Content     string           `json:"content"`
	Reasoning   string           `json:"reasoning"`
	ToolCalls   []model.ToolCall `json:"toolCalls"`
	ToolResults []ToolResult     `json:"toolResults"`
	RunID       string           `json:"runId"`
	CreatedAtMs int64            `json:"createdAt"`
	Metadata    json.RawMessage  `json:"metadata"`
}

// ToolResult is what the model read of a call.
type ToolResult struct {
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Result     json.RawMessage `json:"result"`
}

var at = url.PathEscape

// Ready reports whether the server takes runs.
func (c *Client) Ready(ctx context.Context) error { return c.ask(ctx, "GET", "/ready", nil, nil) }

// Health is what a server says of itself.
type Health struct {
	Status   string `json:"status"`
	UptimeMs int64  `json:"uptime"`
	Version  string `json:"version"` // empty of one that does not tell
}

// Health asks how the server is. It needs no token.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	var answer Health
	if err := c.ask(ctx, "GET", "/health", nil, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}

// Blob fetches a large payload or an attachment. One that is not what its hash says is an ErrBlob.
func (c *Client) Blob(ctx context.Context, hash string) (body []byte, mediaType string, err error) {
	response, err := c.send(ctx, "GET", "/blobs/"+at(hash), nil, "*/*", nil)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	if body, err = readAll(response.Body); err != nil {
		return nil, "", fmt.Errorf("read blob %s: %w", hash, err)
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != hash {
		return nil, "", fmt.Errorf("blob %s: %w", hash, ErrBlob)
	}
	return body, response.Header.Get("Content-Type"), nil
}

// Agents lists the server's agents.
func (c *Client) Agents(ctx context.Context) ([]Agent, error) {
	var answer struct{ Agents []Agent }
	err := c.ask(ctx, "GET", "/agents", nil, &answer)
	return answer.Agents, err
}

// Tools lists the tools of the server's agents.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	var answer struct{ Tools []Tool }
	err := c.ask(ctx, "GET", "/tools", nil, &answer)
	return answer.Tools, err
}

// Run runs an agent and waits until the run ends or waits for a person. A failed run is an *Error with its code.
func (c *Client) Run(ctx context.Context, agentName string, in Input) (*Outcome, error) {
	var answer Outcome
	if err := c.ask(ctx, "POST", "/agents/"+at(agentName)+"/run", in, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}

// Start starts a run and returns at once. Events reads it.
func (c *Client) Start(ctx context.Context, agentName string, in Input) (Started, error) {
	var answer Started
	err := c.ask(ctx, "POST", "/agents/"+at(agentName)+"/runs", in, &answer)
	return answer, err
}

// StartTool starts a run that makes one call of a tool, with arguments of the caller's, and returns at once. Events reads it, and what
// its call waits for is decided as any other. An *Error has the code TOOL_INVALID_ARGS when the arguments do not fit, and FORBIDDEN of
// a tool that is not Callable.
func (c *Client) StartTool(ctx context.Context, toolName string, in ToolInput) (Started, error) {
	var answer Started
	err := c.ask(ctx, "POST", "/tools/"+at(toolName)+"/runs", in, &answer)
	return answer, err
}

// Cancel stops a run, waiting calls too.
func (c *Client) Cancel(ctx context.Context, runID string) error {
	return c.ask(ctx, "POST", "/runs/"+at(runID)+"/cancel", nil, nil)
}

// CancelCall stops one call; its run goes on.
func (c *Client) CancelCall(ctx context.Context, runID, toolCallID string) error {
	return c.ask(ctx, "POST", "/runs/"+at(runID)+"/calls/"+at(toolCallID)+"/cancel", nil, nil)
}

// Approvals lists the calls that wait for a person, the longest waiting first.
func (c *Client) Approvals(ctx context.Context) ([]Approval, error) {
	var answer struct{ Approvals []Approval }
	err := c.ask(ctx, "GET", "/approvals", nil, &answer)
	return answer.Approvals, err
}

// Decide answers an approval. The decision needs the hash of the arguments it was made for: the approval's own. An *Error has the
// code APPROVAL_DECIDED when someone was first, ARGUMENTS_CHANGED when the hash is another, TOOL_INVALID_ARGS when edited arguments
// do not fit (the call keeps waiting).
func (c *Client) Decide(ctx context.Context, approvalID string, d approval.Decision) (*Approval, error) {
	if d.ArgumentsHash == "" {
		return nil, errors.New("decide an approval: the decision has no hash of the arguments it was made for")
	}
	body := struct {
		Approved      bool            `json:"approved"`
		Reason        string          `json:"reason,omitempty"`
		ArgumentsText *string         `json:"argumentsText,omitempty"`
		ArgumentsHash string          `json:"argumentsHash"`
		Result        json.RawMessage `json:"result,omitempty"`
	}{d.Approved, d.Reason, d.ArgumentsText, d.ArgumentsHash, d.Result}
	var answer Approval
	if err := c.ask(ctx, "POST", "/approvals/"+at(approvalID)+"/decision", body, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}

// Threads lists threads whose title holds query, the last touched first; beforeMs goes on from the last one's UpdatedAtMs, 0 begins.
func (c *Client) Threads(ctx context.Context, query string, beforeMs int64) ([]agent.ThreadSummary, error) {
	var answer struct{ Threads []agent.ThreadSummary }
	values := url.Values{}
	if query != "" {
		values.Set("query", query)
	}
	if beforeMs > 0 {
		values.Set("before", strconv.FormatInt(beforeMs, 10))
	}
	path := "/threads"
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	err := c.ask(ctx, "GET", path, nil, &answer)
	return answer.Threads, err
}

// Thread returns a thread with its messages.
func (c *Client) Thread(ctx context.Context, id string) (*Thread, error) {
	var answer Thread
	if err := c.ask(ctx, "GET", "/threads/"+at(id), nil, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}

// Runs lists a thread's runs, oldest first.
func (c *Client) Runs(ctx context.Context, threadID string) ([]Run, error) {
	var answer struct{ Runs []Run }
	err := c.ask(ctx, "GET", "/threads/"+at(threadID)+"/runs", nil, &answer)
	return answer.Runs, err
}

// Request is one try of a turn of a run: what its model was sent and what came back.
type Request struct {
	Turn      int    `json:"turn"`
	Try       int    `json:"try"` // from 0
	AtMs      int64  `json:"at"`
	AgentName string `json:"agentName"`
	// ParentToolCallID names the call inside which the agent asked.
	ParentToolCallID string          `json:"parentToolCallId"`
	Sent             string          `json:"sent"` // empty where it was not kept
	Received         []ReceivedPiece `json:"received"`
	// Withheld says that Received is left out: the server keeps to itself what was not checked yet.
	Withheld bool `json:"withheld"`
	// Unread counts the places of Received that could not be read, so that they and its texts are withheld.
	Unread int `json:"unread"`
}

// ReceivedPiece is a piece of a model's answer and when it came.
type ReceivedPiece struct {
	AfterMs float64 `json:"after"` // since the request's AtMs
	Text    string  `json:"text"`
}

// Requests returns what a run sent to its models and what came back, oldest first. Only operators are told.
func (c *Client) Requests(ctx context.Context, runID string) ([]Request, error) {
	var answer struct{ Requests []Request }
	err := c.ask(ctx, "GET", "/runs/"+at(runID)+"/requests", nil, &answer)
	return answer.Requests, err
}

// AddMessage puts a message of the user or the assistant at the end of a thread, which is made when it is new.
func (c *Client) AddMessage(ctx context.Context, threadID string, role model.Role, content string) error {
	body := struct {
		Role    model.Role `json:"role"`
		Content string     `json:"content"`
	}{role, content}
	return c.ask(ctx, "POST", "/threads/"+at(threadID)+"/messages", body, nil)
}

// AddHistory puts a message at the end of a thread, with its calls, or as the result of one: so a thread is begun with the history of
// another one. The server has to have its images already. Only operators may.
func (c *Client) AddHistory(ctx context.Context, threadID string, m *model.Message) error {
	type result struct {
		ToolCallID string `json:"toolCallId"`
		ToolName   string `json:"toolName,omitempty"`
	}
	type call struct {
		ID            string `json:"id"`
		Name          string `json:"name"`
		ArgumentsText string `json:"argumentsText"`
	}
	body := struct {
		Role        model.Role      `json:"role"`
		Content     string          `json:"content"`
		Reasoning   string          `json:"reasoning,omitempty"`
		ToolCalls   []call          `json:"toolCalls,omitempty"`
		ToolResults []result        `json:"toolResults,omitempty"`
		Images      []model.Image   `json:"images,omitempty"`
		Metadata    json.RawMessage `json:"metadata,omitempty"`
	}{Role: m.Role, Content: m.Content, Reasoning: m.Reasoning, Images: m.Images, Metadata: m.Metadata}
	for _, each := range m.ToolCalls {
		body.ToolCalls = append(body.ToolCalls, call{each.ID, each.Name, each.Arguments})
	}
	if m.ToolCallID != "" {
		body.ToolResults = []result{{m.ToolCallID, m.ToolName}}
	}
	return c.ask(ctx, "POST", "/threads/"+at(threadID)+"/messages", body, nil)
}

// RenameThread gives a thread a title; an empty one brings back that of its first message.
func (c *Client) RenameThread(ctx context.Context, id, title string) error {
	return c.ask(ctx, "PATCH", "/threads/"+at(id), map[string]string{"title": title}, nil)
}

// DeleteThread removes a thread and all that belongs to it.
func (c *Client) DeleteThread(ctx context.Context, id string) error {
	return c.ask(ctx, "DELETE", "/threads/"+at(id), nil, nil)
}
