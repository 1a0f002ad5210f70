package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is how large one message of a server may be; beyond it the connection breaks. Results are base64 where they are binary.
const maxMessage = 32 << 20

// transport is how a source reaches its server, and what goes with it.
type transport struct {
	sdk.Transport
	process *child // nil over HTTP
	hang    func()
}

func (s *Source) transport(ctx context.Context) (*transport, error) {
	if s.Command != "" {
		p, err := s.launch(ctx)
		if err != nil {
			return nil, err
		}
		return &transport{Transport: &stdio{process: p, log: &s.log}, process: p, hang: func() {}}, nil
	}
	address, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("read the address: %w", err)
	}
	base := http.DefaultTransport.(*http.Transport).Clone() // its own connections: they end with the link
	return &transport{
		Transport: &sdk.StreamableClientTransport{
			Endpoint:     s.URL,
			HTTPClient:   &http.Client{Transport: &roundTripper{base: base, host: address.Host, header: s.Header}},
			MaxEventSize: maxMessage,
		},
		hang: base.CloseIdleConnections,
	}, nil
}

// stdio is the transport of a process.
type stdio struct {
	process *child
	log     *tail
}

func (t *stdio) Connect(ctx context.Context) (sdk.Connection, error) {
	p := t.process
	conn, err := (&sdk.IOTransport{Reader: newMessages(p.stdout, t.log.stray), Writer: p.stdin, MaxLineLength: maxMessage}).Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tapped{Connection: conn, process: p, slots: map[any]*slot{}}, nil
}

// messages are the lines of a stream that are messages. The others, such as a server's banner or a stray print, are strays: one of them
// would end the SDK's connection, and other programs go on as well.
type messages struct {
	io.Closer
	lines *bufio.Reader
	stray func(line []byte)
	rest  []byte // of the message that is being read
}

func newMessages(stream io.ReadCloser, stray func(line []byte)) *messages {
	return &messages{Closer: stream, lines: bufio.NewReaderSize(stream, 64<<10), stray: stray}
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.line()
		if isMessage(line) {
			m.rest = line
			break
		}
		m.stray(line)
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// line reads one line. Beside an error it is what came before.
func (m *messages) line() ([]byte, error) {
	var line []byte
	for {
		part, err := m.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxMessage:
			return nil, fmt.Errorf("it sent a message of more than %d MB", maxMessage>>20)
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// isMessage reports whether a line is a JSON-RPC message, or several in one as older versions of the protocol have it.
func isMessage(line []byte) bool {
	_, err := jsonrpc.DecodeMessage(line)
	if err == nil {
		return true
	}
	var several []json.RawMessage
	if json.Unmarshal(line, &several) != nil {
		return false
	}
	for _, one := range several {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			return false
		}
	}
	return len(several) > 0
}

// roundTripper sends the source's header to its own host, and to no other a redirect leads to.
type roundTripper struct {
	base   *http.Transport
	host   string
	header http.Header
}

func (r *roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host == r.host && len(r.header) > 0 {
		request = request.Clone(request.Context())
		for name, values := range r.header {
			request.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	response, err := r.base.RoundTrip(request)
	if err == nil {
		response.Body = tapBody(request.Context(), response)
	}
	return response, err
}
