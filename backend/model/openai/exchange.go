package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"callboard/backend/model"

	openai "github.com/sashabaranov/go-openai"
)

// maxRefusal is how much of a refusal's body is read, in bytes.
const maxRefusal = 64 << 10

// exchange is one request and its answer. It is the HTTPDoer of a go-openai client: the client makes the address and the
// headers and reads the lines; the body goes out as it was encoded here, and the answer comes in through events.
type exchange struct {
	backend *Backend
	parent  context.Context
	ctx     context.Context
	cancel  context.CancelCauseFunc
	model   string
	bare    bool   // the address has no path
	query   string // of the address
	key     string
	payload *payload // nil asks without a body
	events  *events
	stream  *openai.ChatCompletionStream
}

// errSilent ends a request whose server says nothing more.
var errSilent = errors.New("the server is silent")

func (b *Backend) exchange(ctx context.Context, model string, p *payload) *exchange {
	x := &exchange{backend: b, parent: ctx, model: model, payload: p}
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	if b.Key != nil {
		x.key = strings.TrimSpace(b.Key())
	}
	return x
}

func (x *exchange) close() {
	if x.stream != nil {
		_ = x.stream.Close() // whatever it says, the answer was read or given up
	}
	x.cancel(nil)
}

// open sends the request and returns the answer's lines.
func (x *exchange) open() (*openai.ChatCompletionStream, error) {
	base, err := x.address()
	if err != nil {
		return nil, err
	}
	config := openai.DefaultConfig(x.key)
	config.BaseURL = base.String()
	config.HTTPClient = x
	config.EmptyMessagesLimit = math.MaxUint
	// What is asked stands in the payload: an empty request passes go-openai's opinions on models.
	x.stream, err = openai.NewClientWithConfig(config).CreateChatCompletionStream(x.ctx, openai.ChatCompletionRequest{})
	if err != nil {
		x.stream = nil
		return nil, x.failure(err)
	}
	return x.stream, nil
}

// address is what stands before /chat/completions, without a query.
func (x *exchange) address() (*url.URL, error) {
	base, err := x.backend.base()
	if err != nil {
		return nil, &model.Error{
			Code: model.CodeUnavailable, Err: err,
			Message: fmt.Sprintf("The provider's base URL is not an address: %s.", err),
		}
	}
	x.bare, x.query, base.RawQuery = base.Path == "", base.RawQuery, ""
	return base, nil
}

func (b *Backend) base() (*url.URL, error) {
	text := strings.TrimSpace(b.BaseURL)
	if text == "" {
		text = DefaultBaseURL
	}
	u, err := url.Parse(text)
	if err != nil {
		var parse *url.Error // its text quotes the address, which may hold a password
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return nil, err
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("it has to begin with http:// or https:// and a host")
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	u.RawPath, u.Fragment = "", ""
	return u, nil
}

// Do sends a request of go-openai's with the payload for a body, and has events read the answer.
func (x *exchange) Do(request *http.Request) (*http.Response, error) {
	response, err := x.ask(request)
	if err != nil {
		return nil, err
	}
	x.events = &events{source: response.Body, idle: x.idle(), silent: x.silent}
	response.Body = x.events
	return response, nil
}

// ask sends a request. What is no success is an error.
func (x *exchange) ask(request *http.Request) (*http.Response, error) {
	request.URL.RawQuery = x.query
	if x.bare && x.backend.learned.underV1.Load() {
		request.URL.Path = "/v1" + request.URL.Path
		x.bare = false
	}
	response, err := x.send(request)
	if err != nil || (response.StatusCode >= 200 && response.StatusCode <= 299) {
		return response, err
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusal)) // what did not come is not quoted
	_ = response.Body.Close()
	refusal := x.refused(response, body)
	if x.bare && response.StatusCode == http.StatusNotFound {
		return x.underV1(request, refusal)
	}
	return nil, refusal
}

// underV1 tries the address with the /v1 that most servers want. Where that is no better, the answer to the address as it was
// given stands.
func (x *exchange) underV1(request *http.Request, first error) (*http.Response, error) {
	x.bare = false
	request.URL.Path = "/v1" + request.URL.Path
	response, err := x.ask(request)
	var refusal *model.Error
	switch {
	case err == nil, errors.As(err, &refusal) && refusal.Status != http.StatusNotFound:
		x.backend.learned.underV1.Store(true)
	case refusal != nil:
		var said *told
		if errors.As(err, &said) && !said.object {
			return nil, first
		}
	}
	return response, err
}

func (x *exchange) send(request *http.Request) (*http.Response, error) {
	client := x.backend.HTTPClient
	if client == nil {
		client = http.DefaultClient
	}
	if x.payload != nil {
		request.ContentLength = x.payload.length()
		request.Body = x.payload.reader()
		request.GetBody = func() (io.ReadCloser, error) { return x.payload.reader(), nil }
	}
	timer := time.AfterFunc(x.idle(), x.silent)
	defer timer.Stop()
	return client.Do(request)
}

func (x *exchange) silent() { x.cancel(errSilent) }

func (x *exchange) idle() time.Duration {
	switch idle := x.backend.IdleTimeout; {
	case idle == 0:
		return DefaultIdleTimeout
	case idle < 0:
		return math.MaxInt64
	default:
		return idle
	}
}
