package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/client"
	"callboard/backend/server"
	"callboard/backend/tool"
)

// CodeUnreachable is the code of what cannot be done because a server does not answer, or not in the protocol.
const CodeUnreachable = "SERVER_UNREACHABLE"

// ErrNoProtocol says that something answers at an address, but no server of the protocol.
var ErrNoProtocol = errors.New("no server of the protocol")

// fault says of what went wrong with a request what a person can do about it. What a server says that a Runner would say too is
// the Runner's error.
func (s *Server) fault(err error) error {
	var said *client.Error
	if errors.As(err, &said) {
		if known := s.known(said); known != nil {
			return known
		}
	}
	return s.refusal(err)
}

// refusal says what is wrong with the server or the way to it.
func (s *Server) refusal(err error) error {
	return &server.Refusal{
		Status: http.StatusBadGateway, Code: CodeUnreachable, Err: err,
		Message: fmt.Sprintf("%s at %s %s", s.Name, s.Client.BaseURL, s.words(err)),
	}
}

// known is the error a Runner has for what a server said; nil for what is about the server itself.
func (s *Server) known(said *client.Error) error {
	if said.Code == tool.CodeInvalidArgs {
		return &tool.Error{Code: said.Code, Message: said.Message}
	}
	for code, same := range map[string]error{
		server.CodeThreadBusy: agent.ErrBusy, server.CodeRunPaused: agent.ErrPaused, server.CodeRunNotPaused: agent.ErrNotPaused,
		server.CodeRunEnded: agent.ErrEnded, server.CodeNotFound: agent.ErrNotFound,
		server.CodeDecided: approval.ErrDecided, server.CodeArgumentsChanged: approval.ErrHash,
		server.CodeInvalidInput: said, server.CodePayloadTooLarge: said,
	} {
		if said.Code == code {
			return &server.Refusal{Status: said.Status, Code: code, Message: fmt.Sprintf("%s says: %s", s.Name, said.Message), Err: same}
		}
	}
	return nil
}

// words say what is wrong with a server, after its name.
func (s *Server) words(err error) string {
	var (
		said      *client.Error
		untrusted *tls.CertificateVerificationError
		host      x509.HostnameError
		dns       *net.DNSError
		timeout   net.Error
	)
	switch {
	case errors.Is(err, ErrNoProtocol):
		return "answers, but is no server of the protocol: there is no list of agents there (is the protocol mounted under a path, such as /api?)"
	case errors.As(err, &said):
		return answered(said)
	case errors.Is(err, client.ErrAnswer):
		return "answers with what is not in the protocol: " + err.Error()
	case errors.As(err, &host), errors.As(err, &untrusted):
		return "shows a certificate that is not trusted here: " + last(err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "does not answer: nothing listens there (connection refused)"
	case errors.As(err, &dns):
		return fmt.Sprintf("does not answer: there is no host %s", dns.Name)
	case strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return "speaks HTTP, not HTTPS: attach it with http://"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("does not answer: it was silent for %d s", int(askTimeout.Seconds()))
	}
	return "does not answer: " + last(err)
}

// noProtocol reads an error of what every server of the protocol answers.
func noProtocol(err error) bool {
	var said *client.Error
	return errors.Is(err, client.ErrAnswer) || errors.As(err, &said) && said.Status == http.StatusNotFound
}

func answered(said *client.Error) string {
	switch {
	case said.Status == http.StatusUnauthorized:
		return "does not take the token; give the one it was started with (401)"
	case said.Status == http.StatusForbidden:
		return "refuses this program: " + said.Error()
	case said.Status >= 300 && said.Status < 400:
		return fmt.Sprintf("sends this program elsewhere (status %d), which is not followed: attach the address it is at", said.Status)
	}
	return "says: " + said.Error()
}

// last is what stands innermost in an error, without the request that is repeated around it.
func last(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}
