package openai_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/backend/model"
	"callboard/backend/model/openai"
)

// failureOf asks and returns the error, and what came before it.
func failureOf(t *testing.T, backend *openai.Backend, request *model.Request) (failure *model.Error, lines []string) {
	t.Helper()
	for c, err := range backend.Stream(t.Context(), request) {
		lines = append(lines, describe(c)...)
		if err != nil && !errors.As(err, &failure) {
			t.Fatalf("the error is no *model.Error: %v", err)
		}
	}
	return failure, lines
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	const key = "sk-0123456789abcdef"
	tests := []struct {
		name      string
		status    int
		body      string
		code      string
		retryable bool
		want      []string // parts of the message
	}{
		{
			"a wrong key", 401, `{"error":{"message":"Incorrect API key provided: ` + key + `.","code":"invalid_api_key"}}`, model.CodeUnavailable, false,
			[]string{"model.test answered 401 Unauthorized: Incorrect API key provided: [key]. Check the API key."},
		},
		{"a key without the right", 403, `{"detail":"Forbidden"}`, model.CodeUnavailable, false, []string{"403 Forbidden: Forbidden. Check the API key."}},
		{
			"an unknown model", 404, `{"error":{"message":"The model 'm' does not exist","code":"model_not_found"}}`, model.CodeUnavailable, false,
			[]string{"404 Not Found: The model 'm' does not exist. ", `Check that the model "m" exists there`},
		},
		{"a wrong address", 404, `404 page not found`, model.CodeUnavailable, false, []string{"404 page not found", "most end in /v1"}},
		{"too many requests", 429, `{"error":{"message":"Rate limit reached"}}`, model.CodeRateLimited, true, []string{"429 Too Many Requests: Rate limit reached."}},
		{
			"an empty account", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}`, model.CodeRateLimited, false,
			[]string{"Check the account"},
		},
		{"an empty account, said otherwise", 402, `{"error":{"message":"Insufficient Balance"}}`, model.CodeRateLimited, false, []string{"Check the account"}},
		{"a fault of the server", 500, `{"error":{"message":"boom","metadata":{"raw":"{\"inner\":1}"}}}`, model.CodeUnavailable, true, []string{`boom — {"inner":1}`}},
		{"a server without a body", 503, ``, model.CodeUnavailable, true, []string{"503 Service Unavailable. Try again later."}},
		{"an overloaded server", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.CodeUnavailable, true, []string{"Overloaded"}},
		{"a web page", 502, "<html><head><title>502 Bad Gateway</title></head>", model.CodeUnavailable, true, []string{"502 Bad Gateway. Try again"}},
		{"a slow server", 504, ``, model.CodeTimeout, true, []string{"504 Gateway Timeout"}},
		{"a slow request", 408, ``, model.CodeTimeout, true, nil},
		{
			"a context that is too long", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens","code":400}`,
			model.CodeContextLength, false,
			[]string{"maximum context length is 4096 tokens", "Begin a new thread"},
		},
		{"a body that is too large", 413, `too large`, model.CodeContextLength, false, nil},
		{
			"a filtered prompt", 400, `{"error":{"code":"content_filter","message":"The response was filtered","innererror":{}}}`, model.CodeContentFiltered, false,
			[]string{"in other words"},
		},
		{"a list of mistakes", 422, `{"detail":[{"loc":["body","tools"],"msg":"field required"}]}`, model.CodeUnavailable, false, []string{"field required"}},
		{"a list of errors", 400, `[{"error":{"code":400,"message":"Invalid tool","status":"INVALID_ARGUMENT"}}]`, model.CodeUnavailable, false, []string{"Invalid tool"}},
		{"an error as text", 400, `{"error":"model requires more memory"}`, model.CodeUnavailable, false, []string{"model requires more memory"}},
		{"a long answer", 400, strings.Repeat("x", 100_000), model.CodeUnavailable, false, []string{strings.Repeat("x", 400) + "…. "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := &wire{status: test.status, pieces: []string{test.body}}
			failure, _ := failureOf(t, &openai.Backend{
				BaseURL: "http://model.test/v1", HTTPClient: &http.Client{Transport: w}, Key: func() string { return key },
			}, &model.Request{Model: "m"})
			if failure == nil {
				t.Fatal("got no error")
			}
			if failure.Code != test.code || failure.Retryable != test.retryable || failure.Status != test.status {
				t.Errorf("got %s, retryable %t, status %d; want %s, %t, %d", failure.Code, failure.Retryable, failure.Status, test.code, test.retryable, test.status)
			}
			for _, part := range test.want {
				if !strings.Contains(failure.Message, part) {
					t.Errorf("got the message %q, want it to have %q", failure.Message, part)
				}
			}
			if strings.Contains(failure.Error(), key) || len(failure.Message) > 1000 {
				t.Errorf("the message has the key, or is endless: %q", failure.Message)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	tests := []struct {
		name, header, value string
		least, most         time.Duration
	}{
		{"seconds", "Retry-After", "7", 7 * time.Second, 7 * time.Second},
		{"a part of a second", "Retry-After", "0.5", time.Second / 2, time.Second / 2},
		{"a date", "Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), 59 * time.Minute, time.Hour},
		{"a date that is past", "Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT", 0, 0},
		{"milliseconds", "Retry-After-Ms", "20", 20 * time.Millisecond, 20 * time.Millisecond},
		{"nonsense", "Retry-After", "soon", 0, 0},
		{"less than nothing", "Retry-After", "-5", 0, 0},
		{"for ever", "Retry-After", "1e300", 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := &wire{status: 429, header: http.Header{test.header: {test.value}}}
			failure, _ := failureOf(t, &openai.Backend{BaseURL: "http://model.test/v1", HTTPClient: &http.Client{Transport: w}}, &model.Request{})
			if failure == nil || failure.RetryAfter < test.least || failure.RetryAfter > test.most {
				t.Errorf("got %+v, want a wait from %s to %s", failure, test.least, test.most)
			}
		})
	}
}

func TestRefusalsTeach(t *testing.T) {
	tests := []struct {
		name, refusal, before, after string
	}{
		{"a server that knows no stream_options", "Unrecognized request argument supplied: stream_options", `"stream_options"`, `"stream":true,"max_tokens":5,`},
		{"a model that wants max_completion_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", `"max_tokens":5`, `"max_completion_tokens":5`},
		{"a model that wants its reasoning back", "Missing reasoning_content field in the assistant message", `"content":"yes","tool_calls"`, `"content":"yes","reasoning_content":"hm"`},
		{"a server that knows nothing of signatures", "Additional properties are not allowed ('extra_content' was unexpected)", `"arguments":"{}"},"extra_content":{"s": 1.0}}`, `"arguments":"{}"}}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			backend := &openai.Backend{BaseURL: "http://model.test/v1"}
			var memo any
			request := &model.Request{MaxTokens: 5, Memo: &memo, Messages: []*model.Message{{Role: model.RoleAssistant, Content: "yes", Reasoning: "hm", ToolCalls: []model.ToolCall{
				{ID: "c", Name: "look", Arguments: `{}`, Extra: json.RawMessage(`{"s": 1.0}`)},
			}}}}
			w := &wire{status: 400, pieces: []string{`{"error":{"message":"` + test.refusal + `"}}`}}
			backend.HTTPClient = &http.Client{Transport: w}
			if failure, _ := failureOf(t, backend, request); failure == nil || !failure.Retryable || !strings.Contains(failure.Message, "The next request") {
				t.Errorf("got %+v, want an error to try again on", failure)
			}
			if failure, _ := failureOf(t, backend, request); failure == nil || failure.Retryable {
				t.Errorf("refused for the same reason again: got %+v, want an end", failure)
			}
			if first, second := string(w.bodies[0]), string(w.bodies[1]); !strings.Contains(first, test.before) || !strings.Contains(second, test.after) {
				t.Errorf("got\n%s\nthen\n%s\nwant %s, then %s", first, second, test.before, test.after)
			}
		})
	}
}

func TestAServerThatCannotBeReached(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	// As nginx answers on a TLS port. Go's own server hangs up before it has read the request, so that a client may see either.
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		http.Error(w, "The plain HTTP request was sent to HTTPS port", http.StatusBadRequest)
	}))
	defer plain.Close()
	tests := []struct {
		name, base string
		retryable  bool
		want       string
	}{
		{"nobody listens", "http://user:secret@" + closed + "/v1?key=secret", true, "Check that the server runs"},
		{"the certificate is unknown", tls.URL, false, "Check the base URL"},
		{"https is spoken to http", plain.URL, false, "The plain HTTP request was sent to HTTPS port"},
		{"there is no scheme", "localhost:11434", false, "The provider's base URL is not an address: it has to begin with http:// or https://"},
		{"it is no address", "http://user:secret@a b/%zz", false, "The provider's base URL is not an address"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			failure, _ := failureOf(t, &openai.Backend{BaseURL: test.base, HTTPClient: &http.Client{Transport: transport}}, &model.Request{})
			if failure == nil || failure.Code != model.CodeUnavailable || failure.Retryable != test.retryable || !strings.Contains(failure.Message, test.want) {
				t.Fatalf("got %+v, want retryable %t and %q", failure, test.retryable, test.want)
			}
			if strings.Contains(failure.Message, "secret") {
				t.Errorf("the message has a secret: %s", failure.Message)
			}
		})
	}
}

func TestBaseURLs(t *testing.T) {
	tests := []struct {
		name, path, route string // the base URL's path, and the one route the server has
		want              []string
	}{
		{"a path is taken as it is", "/v1", "/v1/chat/completions", []string{"/v1/chat/completions"}},
		{"a slash at its end is nothing", "/api/v3/", "/api/v3/chat/completions", []string{"/api/v3/chat/completions"}},
		{"a whole address is one too", "/v1/chat/completions", "/v1/chat/completions", []string{"/v1/chat/completions"}},
		{"a query stays", "/x?api-version=1", "/x/chat/completions", []string{"/x/chat/completions?api-version=1"}},
		{"no path is tried as it is", "", "/chat/completions", []string{"/chat/completions"}},
		{"and with /v1, which is remembered", "", "/v1/chat/completions", []string{"/chat/completions", "/v1/chat/completions"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var paths []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				paths = append(paths, r.URL.RequestURI())
				if r.URL.Path != test.route {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, events(said("hi"), stop("stop")))
			}))
			defer server.Close()
			backend := &openai.Backend{BaseURL: server.URL + test.path, HTTPClient: server.Client()}
			for range 2 {
				if failure, lines := failureOf(t, backend, &model.Request{}); failure != nil || !slices.Contains(lines, `text "hi"`) {
					t.Fatalf("got %q, %v", lines, failure)
				}
			}
			want := append(test.want, test.want[len(test.want)-1])
			if !slices.Equal(paths, want) {
				t.Errorf("got requests to %q, want %q", paths, want)
			}
		})
	}
	t.Run("where neither is known, the first answer stands", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			if r.URL.Path == "/chat/completions" {
				_, _ = io.WriteString(w, `{"error":"no such model"}`)
			}
		}))
		defer server.Close()
		failure, _ := failureOf(t, &openai.Backend{BaseURL: server.URL, HTTPClient: server.Client()}, &model.Request{})
		if failure == nil || !strings.Contains(failure.Message, "no such model") {
			t.Errorf("got %+v, want what the address as given said", failure)
		}
	})
}
