// Package openai is a model.Backend for every server that speaks OpenAI's chat completions, through go-openai. It takes their
// answers as they come, with the deviations that are known of them, and says what is wrong in words where it cannot. It knows
// nothing of tools that run, agents or storage, and it never tries a request again.
package openai

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"callboard/backend/model"
)

// DefaultBaseURL is where requests go when Backend.BaseURL is empty.
const DefaultBaseURL = "https://api.openai.com/v1"

// DefaultIdleTimeout is how long a server may be silent when Backend.IdleTimeout is 0.
const DefaultIdleTimeout = 60 * time.Second

// afterFinish is how long a server may be silent once it has said why it finished; then the answer ends without its end.
const afterFinish = 5 * time.Second

// Backend asks one server. Its fields are set before the first request and not changed after; the zero value asks OpenAI
// without a key. It is safe for concurrent use.
type Backend struct {
	// BaseURL is the address before /chat/completions, mostly one that ends in /v1. One without a path is tried as it is, and
	// when the server does not know it, with /v1.
	BaseURL string
	// Key returns the API key when it is needed; nil or "" sends none. No error holds it.
	Key   func() string
	Model string // asked when a request names none
	// HTTPClient sends the requests; nil is http.DefaultClient. A Timeout of it would end long answers.
	HTTPClient *http.Client
	// IdleTimeout is how long the server may send nothing before the request fails; 0 is DefaultIdleTimeout, negative waits
	// for ever. A keep-alive line is a sign of life.
	IdleTimeout time.Duration

	learned learned
}

// learned is what a server's refusals told about it.
type learned struct {
	underV1          atomic.Bool  // the address lacks /v1
	noStreamOptions  atomic.Bool  // it does not know stream_options
	completionTokens atomic.Bool  // it calls the limit max_completion_tokens
	wantsReasoning   atomic.Bool  // it wants its reasoning back
	noExtra          atomic.Bool  // it does not know extra_content
	refusals         atomic.Int64 // of requests with images
	refused          sync.Map     // a shown, and true: what was refused
	noSchema         atomic.Bool  // it does not know response_format, or not that of a schema
}

// Stream sends one request and yields the answer as it comes.
func (b *Backend) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		payload, sent := b.encode(request)
		if !yield(model.Chunk{Sent: sent, ToolNames: payload.names.Renamed()}, nil) {
			return
		}
		if err := payload.load(ctx, request.Image); err != nil {
			yield(model.Chunk{}, err)
			return
		}
		x := b.exchange(ctx, cmp.Or(request.Model, b.Model), payload)
		defer x.close()
		more := true
		err := x.read(newAnswer(payload.names, request.Index), func(c model.Chunk) bool {
			more = yield(c, nil)
			return more
		})
		if err != nil && more {
			yield(model.Chunk{}, err)
		}
	}
}

// read hands the answer to each, chunk by chunk, until it ends, fails or each has enough.
func (x *exchange) read(a *answer, each func(model.Chunk) bool) error {
	stream, err := x.open()
	if err != nil {
		return err
	}
	for {
		line, err := stream.RecvRaw()
		chunk := model.Chunk{Raw: x.events.takeRaw()}
		done := err == nil && string(line) == doneLine
		switch {
		case err == nil && !done:
			if err := a.read(line, &chunk); err != nil {
				each(chunk)
				return x.refusedInStream(err)
			}
			if a.finish != "" {
				x.events.idle = min(x.events.idle, afterFinish)
			}
			if !each(chunk) {
				return nil
			}
			continue
		case done:
			chunk.Raw = append(chunk.Raw, x.events.drain()...)
		case x.parent.Err() != nil:
			return x.failure(err)
		case a.finish != "", errors.Is(err, io.EOF) && a.whole():
		default:
			if len(chunk.Raw) > 0 {
				each(chunk)
			}
			return x.cut(err)
		}
		err = a.end(&chunk)
		each(chunk)
		if err != nil {
			return x.refusedInStream(err)
		}
		return nil
	}
}
