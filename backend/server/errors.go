package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
	"callboard/backend/tool"
)

// Error codes of requests (PROTOCOL.md, Routes). The codes of failed runs are those of packages model and tool.
const (
	CodeNotFound             = "NOT_FOUND"
	CodeInvalidInput         = "INVALID_INPUT"
	CodeUnauthorized         = "UNAUTHORIZED"
	CodeForbidden            = "FORBIDDEN"
	CodeMethodNotAllowed     = "METHOD_NOT_ALLOWED"
	CodeThreadBusy           = "THREAD_BUSY"
	CodeRunPaused            = "RUN_PAUSED"
	CodeRunNotPaused         = "RUN_NOT_PAUSED"
	CodeRunEnded             = "RUN_ENDED"         // nothing is left to cancel
	CodeDecided              = "APPROVAL_DECIDED"  // another decision was first
	CodeArgumentsChanged     = "ARGUMENTS_CHANGED" // the decision was made for other arguments
	CodePayloadTooLarge      = "PAYLOAD_TOO_LARGE"
	CodeUnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
	CodeNoStream             = "STREAMING_UNSUPPORTED" // the connection cannot send an answer in pieces
	CodeUnavailable          = "UNAVAILABLE"           // the server is closing
	CodeInternal             = "INTERNAL_ERROR"
)

// hidden is what a client reads of an error that is no business of its own.
const hidden = "internal error: the server's log says more"

// failure is an answer that is an error.
type failure struct {
	status   int
	code     string
	message  string
	allow    string // of a method that is not allowed
	runID    string // of a run that failed
	threadID string
}

func (f *failure) Error() string { return f.message }

func invalid(format string, args ...any) error {
	return &failure{status: statusOf(CodeInvalidInput), code: CodeInvalidInput, message: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &failure{status: statusOf(CodeNotFound), code: CodeNotFound, message: fmt.Sprintf(format, args...)}
}

func conflict(code, format string, args ...any) error {
	return &failure{status: statusOf(code), code: code, message: fmt.Sprintf(format, args...)}
}

// Refusal is an error of a Runtime whose words and status are for the client.
type Refusal struct {
	Status  int // of HTTP
	Code    string
	Message string
	Err     error // what is beneath; may be nil
}

func (r *Refusal) Error() string { return r.Message }

// Unwrap returns the error beneath.
func (r *Refusal) Unwrap() error { return r.Err }

// asFailure says what a client is told of an error. What no rule names is hidden: nil.
func asFailure(err error) *failure {
	var (
		known   *failure
		refused *Refusal
		large   *http.MaxBytesError
		call    *tool.Error
	)
	is := func(code, message string) *failure {
		return &failure{status: statusOf(code), code: code, message: message}
	}
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &refused):
		return &failure{status: refused.Status, code: refused.Code, message: refused.Message}
	case errors.As(err, &large):
		return is(CodePayloadTooLarge, fmt.Sprintf("the body is over %d bytes", large.Limit))
	case errors.As(err, &call) && call.Code == tool.CodeInvalidArgs:
		return is(call.Code, call.Message)
	case errors.Is(err, agent.ErrNotFound), errors.Is(err, approval.ErrNotFound):
		return is(CodeNotFound, "not found")
	case errors.Is(err, agent.ErrBusy):
		return is(CodeThreadBusy, "the thread has a live run")
	case errors.Is(err, agent.ErrPaused):
		return is(CodeRunPaused, `the thread's run waits for a decision; with "pending": "deny" what it waits for is denied`)
	case errors.Is(err, agent.ErrNotPaused):
		return is(CodeRunNotPaused, "no run of the thread waits for a decision")
	case errors.Is(err, agent.ErrEnded):
		return is(CodeRunEnded, "it has ended already")
	case errors.Is(err, approval.ErrDecided):
		return is(CodeDecided, "already decided")
	case errors.Is(err, approval.ErrHash):
		return is(CodeArgumentsChanged, "the decision was made for other arguments; look at the call again")
	case errors.Is(err, agent.ErrClosed):
		return is(CodeUnavailable, "the server is closing")
	}
	return nil
}

// fail answers with an error. After the answer was begun there is nothing to say: the stream just closes.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := asFailure(err)
	if f == nil {
		if errors.Is(err, errGone) || r.Context().Err() != nil && errors.Is(err, context.Canceled) {
			return // nobody is there to read it
		}
		s.logger().Error("a request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		f = &failure{status: statusOf(CodeInternal), code: CodeInternal, message: hidden}
	}
	if out, ok := w.(*recorder); ok && out.wrote {
		return
	}
	if f.allow != "" {
		w.Header().Set("Allow", f.allow)
	}
	writeJSON(w, f.status, errorAnswer{
		Error: errorBody{Message: f.message, Code: f.code}, RunID: f.runID, ThreadID: f.threadID,
	})
}

type errorAnswer struct {
	Error    errorBody `json:"error"`
	RunID    string    `json:"runId,omitempty" jsonschema_description:"Of a run that failed"`
	ThreadID string    `json:"threadId,omitempty" jsonschema_description:"Of a run that failed"`
}

type errorBody struct {
	Message string `json:"message" jsonschema_description:"What went wrong, for people"`
	Code    string `json:"code" jsonschema_description:"What went wrong, for programs; each answer says which there are"`
}

// writeJSON answers with v. Whatever it holds, what is secret for every view is masked here: a view need only know what it hides
// beyond that, and what is no plain string. A client that has left is no error.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Errorf("encode an answer: %w", err)) // the wrapper logs it and says 500
	}
	text := body.Bytes()
	if out, ok := w.(*recorder); ok && out.policy != nil {
		text = out.policy.Strings(text)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// statusOf is the HTTP status of a code, of a request or of a run that failed.
func statusOf(code string) int {
	switch code {
	case CodeInvalidInput, model.CodeContextLength, model.CodeContentFiltered, tool.CodeInvalidArgs:
		return http.StatusBadRequest
	case CodeUnauthorized:
		return http.StatusUnauthorized
	case CodeForbidden:
		return http.StatusForbidden
	case CodeNotFound:
		return http.StatusNotFound
	case CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case CodeThreadBusy, CodeRunPaused, CodeRunNotPaused, CodeRunEnded, CodeDecided, CodeArgumentsChanged:
		return http.StatusConflict
	case CodePayloadTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeUnsupportedMediaType:
		return http.StatusUnsupportedMediaType
	case CodeNoStream:
		return http.StatusNotImplemented
	case model.CodeRateLimited:
		return http.StatusTooManyRequests
	case model.CodeInvalidResponse:
		return http.StatusBadGateway
	case CodeUnavailable, model.CodeUnavailable, agent.CodeRunInterrupted, "RUN_FORGOTTEN":
		return http.StatusServiceUnavailable
	case model.CodeTimeout, agent.CodeRunTimeout, tool.CodeTimeout:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// meaning says what a code of a request, or of a run that failed, tells.
func meaning(code string) string {
	switch code {
	case CodeInvalidInput:
		return "something in the request is not as it has to be; the message says what"
	case CodeUnauthorized:
		return "the request has not brought the server's token"
	case CodeForbidden:
		return "the client may not do this, or comes by a name or from a page that is not the server's own"
	case CodeNotFound:
		return "there is none of that name or id"
	case CodeMethodNotAllowed:
		return "the route takes other methods"
	case CodeThreadBusy:
		return "the thread has a live run"
	case CodeRunPaused:
		return "the thread's run waits for a decision"
	case CodeRunNotPaused:
		return "no run of the thread waits for a decision"
	case CodeRunEnded:
		return "nothing is left to stop"
	case CodeDecided:
		return "another decision was first"
	case CodeArgumentsChanged:
		return "the decision was made for other arguments"
	case CodePayloadTooLarge:
		return "the body is too large"
	case CodeUnsupportedMediaType:
		return "the body is not called JSON, in UTF-8"
	case CodeNoStream:
		return "the connection cannot send an answer in pieces"
	case CodeUnavailable:
		return "the server is closing"
	case CodeInternal:
		return "the server's log says more"
	case tool.CodeInvalidArgs:
		return "the arguments do not fit the tool's parameters"
	case model.CodeUnavailable:
		return "the run failed: the model cannot be reached"
	case model.CodeRateLimited:
		return "the run failed: the model's provider takes no more requests now"
	case model.CodeTimeout:
		return "the run failed: the model took too long"
	case model.CodeInvalidResponse:
		return "the run failed: what the model answered cannot be read"
	case model.CodeContextLength:
		return "the run failed: the thread is too long for the model"
	case model.CodeContentFiltered:
		return "the run failed: the provider's content filter stopped the answer"
	case agent.CodeRunTimeout:
		return "the run failed: it took longer than its time limit"
	case agent.CodeRunInterrupted:
		return "the run failed: the program ended while it was at work"
	}
	return "the run failed"
}

// noRoute makes an error of what the mux says to a request it has no route for.
func noRoute(says http.Handler, r *http.Request) error {
	var quiet headersOnly
	says.ServeHTTP(&quiet, r)
	if allow := quiet.Header().Get("Allow"); allow != "" {
		return &failure{
			status: http.StatusMethodNotAllowed, code: CodeMethodNotAllowed, allow: allow,
			message: fmt.Sprintf("%s takes %s, not %s", r.URL.Path, allow, r.Method),
		}
	}
	return notFound("no route %s", r.URL.Path)
}

// headersOnly is a ResponseWriter that keeps what it is told in headers.
type headersOnly struct{ header http.Header }

func (h *headersOnly) Header() http.Header {
	if h.header == nil {
		h.header = http.Header{}
	}
	return h.header
}

func (h *headersOnly) Write(p []byte) (int, error) { return len(p), nil }

func (h *headersOnly) WriteHeader(int) {}
