package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

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
		return &transport{Transport: &stdio{p}, process: p, hang: func() {}}, nil
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
type stdio struct{ process *child }

func (t *stdio) Connect(ctx context.Context) (sdk.Connection, error) {
	p := t.process
	conn, err := (&sdk.IOTransport{Reader: p.stdout, Writer: p.stdin, MaxLineLength: maxMessage}).Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tapped{Connection: conn, process: p, slots: map[any]*slot{}}, nil
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
