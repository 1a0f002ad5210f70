// Package realtime holds voice sessions with language models: OpenAI's Realtime API and Gemini Live, over WebSocket. Text and audio
// go in, events come out, and the calls the model makes meanwhile are run by whoever is named for it: an *agent.Runner checks, times
// out, asks and splits them as it does everywhere. The model is sent what a call's Content says; Details, Presentation and progress
// are for the application, among the events.
//
// It knows nothing of agents, threads, storage, microphones or loudspeakers. It keeps no history, stores nothing and does not
// connect again: the conversation lives with the provider as long as the session does.
package realtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"callboard/backend/internal/names"
	"callboard/backend/tool"
)

// Provider is whose protocol a session speaks.
type Provider string

const (
	OpenAI Provider = "openai" // the Realtime API, and servers that speak it
	Gemini Provider = "gemini" // the Live API
)

// Where sessions go when Config.URL is empty.
const (
	DefaultOpenAIURL = "wss://api.openai.com/v1/realtime"
	DefaultGeminiURL = "wss://generativelanguage.googleapis.com/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
)

// Limits of a session, where its Config sets none.
const (
	DefaultSilence         = 45 * time.Second
	DefaultMaxResultLength = 50_000
)

const (
	setupTimeout = 30 * time.Second // from the first byte to a session that is set up
	maxFrame     = 32 << 20         // bytes of one message of a server; beyond it the session ends
)

// Caller runs one call of a tool, from its check to its result. *agent.Runner is one. It is called from several goroutines at once
// and is to return soon after the context is done.
type Caller interface {
	Call(c tool.Context, t *tool.Tool, argumentsText string) tool.Result
}

// Config says with whom a session is, and what the model may call.
type Config struct {
	Provider Provider
	// URL is where the session goes: ws, wss, http or https. Empty is the provider's own. Its query is kept.
	URL string
	// Key returns the API key when it is needed; nil or "" sends none. No error holds it.
	Key          func() string
	Model        string
	Instructions string
	Voice        string // the provider's name for it; empty leaves it to the provider
	TextOnly     bool   // the model answers in text, not in audio
	// AudioType is the media type of what SendAudio gets, for Gemini; empty is "audio/pcm;rate=16000". OpenAI gets it in Options.
	AudioType string
	// Options is an object put over the one that sets the session up, object by object: OpenAI's "session", Gemini's "setup".
	// Turn detection, audio formats, transcription, resumption and all else is set there. May be nil.
	Options json.RawMessage

	Tools  []*tool.Tool // their input hooks are called by who reads the server: they are to return at once
	Caller Caller       // runs the calls; needed where there are tools
	// Context is what the tools know of each call, beside its id and its cancellation. Its OnUpdate, if set, hears the calls'
	// progress too, from several goroutines.
	Context tool.Context
	// MaxResultLength, in Unicode characters, cuts what the model reads of a result, where the tool says nothing of its own: 0 is
	// DefaultMaxResultLength, tool.NoLimit cuts nothing.
	MaxResultLength int

	// Silence is how long the server may give no sign of life before the session ends; it is pinged three times within. 0 is
	// DefaultSilence, negative waits for ever.
	Silence    time.Duration
	HTTPClient *http.Client // opens the connection; nil is http.DefaultClient
	Logger     *slog.Logger // nil is slog.Default()
}

// Dial opens a session and returns once the server has set it up. ctx bounds the dialing alone, which takes half a minute at most;
// the session lasts until either side ends it and is to be closed.
func Dial(ctx context.Context, c Config) (*Session, error) {
	d, err := c.dialect()
	if err != nil {
		return nil, fmt.Errorf("open a voice session: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, setupTimeout, fmt.Errorf("it was not set up within %s", setupTimeout))
	defer cancel()
	opening, err := d.opening()
	if err != nil {
		return nil, fmt.Errorf("open a voice session: %w", err)
	}
	conn, err := c.connect(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("open a voice session: %w", err)
	}
	s := newSession(c, d, conn)
	s.out.put(opening)
	select {
	case <-s.ready:
		return s, nil
	case <-s.done:
	case <-ctx.Done():
		s.end(context.Cause(ctx))
		<-s.done
	}
	return nil, fmt.Errorf("open a voice session: %w", s.cause())
}

// dialect checks the config and returns who speaks the provider's protocol.
func (c *Config) dialect() (dialect, error) {
	switch {
	case c.Provider != OpenAI && c.Provider != Gemini:
		return nil, fmt.Errorf("unknown Provider %q: it is %q or %q", c.Provider, OpenAI, Gemini)
	case strings.TrimSpace(c.Model) == "":
		return nil, errors.New("no Model is named")
	case len(c.Tools) > 0 && c.Caller == nil:
		return nil, errors.New("there are tools and no Caller to run them; an *agent.Runner is one")
	case c.AudioType != "" && c.Provider == OpenAI:
		return nil, errors.New(`AudioType is Gemini's: set "audio.input.format" in Options`)
	case c.MaxResultLength < tool.NoLimit:
		return nil, fmt.Errorf("MaxResultLength is %d: it is a length, 0, or NoLimit", c.MaxResultLength)
	}
	if c.Options != nil && object(c.Options) == nil {
		return nil, errors.New("the Options are no JSON object")
	}
	toolNames := make([]string, len(c.Tools))
	for i, t := range c.Tools {
		if t == nil {
			return nil, fmt.Errorf("tool %d of %d is nil", i+1, len(c.Tools))
		}
		if slices.Contains(toolNames, t.Name) {
			return nil, fmt.Errorf("there are two tools named %q", t.Name)
		}
		toolNames[i] = t.Name
	}
	if c.Provider == Gemini {
		return newGemini(c, names.New(toolNames)), nil
	}
	return newOpenAI(c, names.New(toolNames)), nil
}

func (c *Config) key() string {
	if c.Key == nil {
		return ""
	}
	return c.Key()
}

// connect opens the connection. Its errors hold neither the key nor the address's query, which may be a token.
func (c *Config) connect(ctx context.Context, d dialect) (*websocket.Conn, error) {
	address, header, err := d.endpoint()
	if err != nil {
		return nil, err
	}
	where := address.Scheme + "://" + address.Host + address.Path
	conn, response, err := websocket.Dial(ctx, address.String(), &websocket.DialOptions{HTTPClient: c.HTTPClient, HTTPHeader: header}) //nolint:bodyclose // the library does
	switch {
	case err == nil:
		conn.SetReadLimit(maxFrame)
		return conn, nil
	case context.Cause(ctx) != nil:
		return nil, fmt.Errorf("connect to %s: %w", where, context.Cause(ctx))
	case response != nil && response.StatusCode != http.StatusSwitchingProtocols:
		said, _ := io.ReadAll(response.Body) // the library keeps the first KiB
		return nil, fmt.Errorf("connect to %s: the server answered %s%s", where, response.Status, c.masked(said))
	}
	if inner := (*url.Error)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return nil, fmt.Errorf("connect to %s: %w", where, err)
}

// masked is what a server said to a request it refused, without the key.
func (c *Config) masked(said []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(said), "\uFFFD")), " ")
	if key := c.key(); key != "" {
		text = strings.ReplaceAll(text, key, "[the key]")
	}
	if text == "" {
		return ""
	}
	return ": " + text
}

// address reads the config's URL.
func (c *Config) address(standard string) (*url.URL, error) {
	u, err := url.Parse(cmp.Or(c.URL, standard))
	if err != nil || u.Host == "" || !slices.Contains([]string{"ws", "wss", "http", "https"}, u.Scheme) {
		return nil, errors.New("the URL must be a whole one, such as wss://example.com/v1/realtime")
	}
	return u, nil
}

func (c *Config) logger() *slog.Logger { return cmp.Or(c.Logger, slog.Default()) }

func (c *Config) silence() time.Duration { return cmp.Or(c.Silence, DefaultSilence) }

// resultLength is how much of a result of t the model reads.
func (c *Config) resultLength(t *tool.Tool) int {
	if t != nil && t.MaxResultLength != 0 {
		return t.MaxResultLength
	}
	return cmp.Or(c.MaxResultLength, DefaultMaxResultLength)
}
