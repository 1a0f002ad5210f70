// Package client speaks to agents over HTTP: the routes of package server, seen from the other end. It works with any server of
// the streaming protocol; what only Callboard's have (numbers, reconnecting, cancelling) needs one of those.
// It knows nothing of how a run is stored or shown.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Client speaks to one server. Only BaseURL is required. It is safe for concurrent use.
type Client struct {
	BaseURL string       // where the routes are mounted: http://127.0.0.1:4820/api
	Token   string       // empty sends none
	HTTP    *http.Client // nil is http.DefaultClient; its Timeout would end streams
	// Silence is how long a stream may send nothing, not even a comment, before it counts as broken; 0 is DefaultSilence.
	Silence time.Duration
	// Retries is how often in a row a broken stream is connected anew; 0 is DefaultRetries, negative is never.
	Retries int
	// RetryDelay is the wait before the first of them, doubled each time up to 5 s; 0 is 250 ms.
	RetryDelay time.Duration
}

// Defaults of a Client.
const (
	DefaultSilence = 30 * time.Second
	DefaultRetries = 10
)

const (
	firstDelay = 250 * time.Millisecond
	lastDelay  = 5 * time.Second
)

// MaxAnswer is the longest answer that is read, in bytes; of a stream it is that of one event (protocol.MaxSSEEvent).
const MaxAnswer = 64 << 20

// What callers compare.
var (
	ErrAnswer = errors.New("the answer is not what the protocol says")
	ErrBlob   = errors.New("the blob is not what its hash says")
)

// Error is what a server said instead of an answer.
type Error struct {
	Status  int    // of HTTP
	Code    string // PROTOCOL.md, Routes; empty when the answer was not the server's own
	Message string
	RunID   string // of a run that failed
}

func (e *Error) Error() string {
	if e.Code == "" {
		return e.Message
	}
	return fmt.Sprintf("%s (%s)", e.Message, e.Code)
}

// ask sends a request and reads its JSON answer into to, which may be nil.
func (c *Client) ask(ctx context.Context, method, path string, body, to any) error {
	response, err := c.send(ctx, method, path, body, "application/json", nil)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := readAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: read the answer: %w", method, path, err)
	}
	if to == nil {
		return nil
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s %s: %w: %w", method, path, ErrAnswer, err)
	}
	return nil
}

func readAll(body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, MaxAnswer+1))
	if err == nil && len(data) > MaxAnswer {
		err = fmt.Errorf("%w: it is over %d MiB long", ErrAnswer, MaxAnswer>>20)
	}
	return data, err
}

// send sends a request. An answer that is no success is an *Error.
func (c *Client) send(ctx context.Context, method, path string, body any, accept string, header map[string]string) (*http.Response, error) {
	var reader io.Reader
	if body != nil {
		text, err := encode(body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: encode the body: %w", method, path, err)
		}
		reader = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.BaseURL, "/")+path, reader)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	r.Header.Set("Accept", accept)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer func() { _ = response.Body.Close() }()
		return nil, readError(response, method, path)
	}
	return response, nil
}

func encode(body any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body)
	return text.Bytes(), err
}

func readError(response *http.Response, method, path string) error {
	e := &Error{Status: response.StatusCode}
	var answer struct {
		Error struct{ Message, Code string }
		RunID string
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil && json.Unmarshal(data, &answer) == nil {
		e.Message, e.Code, e.RunID = answer.Error.Message, answer.Error.Code, answer.RunID
	}
	if e.Message == "" {
		e.Message = fmt.Sprintf("%s %s was answered with status %s", method, path, response.Status)
	}
	return e
}

// passing reports whether an error may pass when the request is sent again.
func passing(err error) bool {
	var said *Error
	if errors.As(err, &said) {
		return said.Status == http.StatusTooManyRequests || said.Status == http.StatusBadGateway ||
			said.Status == http.StatusServiceUnavailable || said.Status == http.StatusGatewayTimeout
	}
	return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}
