package openai_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"callboard/backend/model"
	"callboard/backend/model/openai"
)

// wire is a server that answers every request with the same bytes, one piece for each read.
type wire struct {
	status int // 0 is 200
	header http.Header
	pieces []string
	// breaks is the error after the pieces; nil ends the answer well.
	breaks error
	bodies [][]byte // of the requests
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if int64(len(body)) != r.ContentLength {
		return nil, fmt.Errorf("%d bytes came, %d were announced", len(body), r.ContentLength)
	}
	w.bodies = append(w.bodies, body)
	header := w.header
	if header == nil {
		header = http.Header{"Content-Type": {"text/event-stream"}}
	}
	status := w.status
	if status == 0 {
		status = http.StatusOK
	}
	return &http.Response{
		StatusCode: status, Header: header, Request: r,
		Body: io.NopCloser(&pieceReader{pieces: w.pieces, end: w.breaks}),
	}, nil
}

type pieceReader struct {
	pieces []string
	end    error
}

func (r *pieceReader) Read(p []byte) (int, error) {
	for len(r.pieces) > 0 && r.pieces[0] == "" {
		r.pieces = r.pieces[1:]
	}
	if len(r.pieces) == 0 {
		if r.end != nil {
			return 0, r.end
		}
		return 0, io.EOF
	}
	n := copy(p, r.pieces[0])
	r.pieces = slices.Clone(r.pieces)
	r.pieces[0] = r.pieces[0][n:]
	return n, nil
}

// listen asks the server behind w and writes down what comes, a line for each part of a chunk. Raw bytes are joined.
func listen(t *testing.T, w *wire, request *model.Request) (lines []string, raw string, failure *model.Error) {
	t.Helper()
	backend := &openai.Backend{BaseURL: "http://model.test/v1", HTTPClient: &http.Client{Transport: w}}
	var all []byte
	for c, err := range backend.Stream(t.Context(), request) {
		if err != nil {
			if !errors.As(err, &failure) {
				t.Fatalf("the error is no *model.Error: %v", err)
			}
			continue
		}
		all = append(all, c.Raw...)
		lines = append(lines, describe(c)...)
	}
	return lines, string(all), failure
}

func describe(c model.Chunk) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if c.Problem != "" {
		add("problem: %s", c.Problem)
	}
	if c.Reasoning != "" {
		add("reasoning %q", c.Reasoning)
	}
	if c.Text != "" {
		add("text %q", c.Text)
	}
	for _, in := range c.ToolInput {
		add("%s", strings.TrimSpace(fmt.Sprintf("%s %s %s%s", in.Type, in.ToolCallID, in.ToolName, in.Delta)))
	}
	for _, call := range c.ToolCalls {
		id := call.ID
		if call.ProviderID != "" {
			id += "<" + call.ProviderID
		}
		line := fmt.Sprintf("call %s %s %s", id, call.Name, call.Arguments)
		if call.Extra != nil {
			line += " " + string(call.Extra)
		}
		add("%s", line)
	}
	if c.FinishReason != "" {
		add("finish %s", c.FinishReason)
	}
	if u := c.Usage; u != nil {
		line := "usage"
		for _, n := range []*int64{u.InputTokens, u.OutputTokens, u.TotalTokens, u.ReasoningTokens, u.CachedInputTokens} {
			if n == nil {
				line += " ?"
			} else {
				line += fmt.Sprintf(" %d", *n)
			}
		}
		add("%s", line)
	}
	return lines
}

// streamCase is an answer as it comes over the wire, and what has to come of it.
type streamCase struct {
	name   string
	wire   string
	breaks error
	want   []string
	err    string // "CODE retryable: message" or "CODE: message", a part of the message suffices
}

// run checks a case as it is, with every read of one byte, and cut in two at every byte: always the same has to come.
func (test streamCase) run(t *testing.T) {
	t.Helper()
	request := &model.Request{Model: "m", Tools: []model.ToolSchema{
		{Name: "read_file"}, {Name: "edit_existing_file"}, {Name: "list.all"}, {Name: "get"}, {Name: "get_more"},
	}}
	check := func(how string, pieces ...string) bool {
		lines, raw, failure := listen(t, &wire{pieces: pieces, breaks: test.breaks}, request)
		got := ""
		if failure != nil {
			got = failure.Code
			if failure.Retryable {
				got += " retryable"
			}
			got += ": " + failure.Message
		}
		code, message, _ := strings.Cut(test.err, ": ")
		gotCode, gotMessage, _ := strings.Cut(got, ": ")
		ok := slices.Equal(lines, test.want) && gotCode == code && strings.Contains(gotMessage, message)
		if !ok {
			t.Errorf("%s:\n got %s\n     error %q\nwant %s\n     error %q", how, strings.Join(lines, "\n     "), got,
				strings.Join(test.want, "\n     "), test.err)
		}
		if raw != test.wire && (test.err == "" || !strings.HasPrefix(test.wire, raw)) {
			t.Errorf("%s: the raw bytes differ:\n got %q\nwant %q", how, raw, test.wire)
			ok = false
		}
		return ok
	}
	if !check("whole", test.wire) || !check("byte by byte", strings.Split(test.wire, "")...) {
		return
	}
	bytewise := make([]string, len(test.wire))
	for i := range len(test.wire) {
		bytewise[i] = test.wire[i : i+1]
	}
	if !check("byte by byte, inside characters too", bytewise...) {
		return
	}
	for i := 1; i < len(test.wire); i++ {
		if !check(fmt.Sprintf("cut at byte %d", i), test.wire[:i], test.wire[i:]) {
			return
		}
	}
}

// events makes an event stream of chunks, each its delta and perhaps a finish reason, and closes it with [DONE].
func events(chunks ...string) string {
	var b bytes.Buffer
	for _, c := range chunks {
		fmt.Fprintf(&b, "data: %s\n\n", c)
	}
	return b.String() + "data: [DONE]\n\n"
}

// delta is a chunk with a delta; said is a text chunk, tool one with pieces of tool calls, stop one that finishes.
func delta(d string) string {
	return `{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}`
}

func said(text string) string { return delta(`{"content":"` + text + `"}`) }

func tool(calls string) string {
	return delta(`{"role":"assistant","content":null,"tool_calls":[` + calls + `]}`)
}

func stop(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}
