package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"callboard/backend/agent"
)

// requestAnswer is one try of a turn as it went over the wire. A piece of a secret may be in what could not be read.
type requestAnswer struct {
	Turn             int    `json:"turn"`
	Try              int    `json:"try" jsonschema_description:"From 0"`
	At               int64  `json:"at" jsonschema_description:"Unix ms"`
	AgentName        string `json:"agentName"`
	ParentToolCallID string `json:"parentToolCallId,omitempty" jsonschema_description:"The call inside which the agent asked"`

	Sent     string          `json:"sent" jsonschema_description:"The body of the request"`
	Received []receivedPiece `json:"received"`
	Withheld bool            `json:"withheld,omitempty" jsonschema_description:"received is left out: the agent's turns are held back until they are checked"`
	Unread   int             `json:"unread,omitempty" jsonschema_description:"How many places of received could not be read; '[withheld]' stands there and in place of the texts"`
}

type receivedPiece struct {
	After float64 `json:"after" jsonschema_description:"In ms since at"`
	Text  string  `json:"text"`
}

type requestsAnswer struct {
	Requests []requestAnswer `json:"requests" jsonschema_description:"The oldest first"`
}

// requests tells what a run sent to its models, each request whole, and the pieces in which they answered; ?turn= and ?try= narrow
// it.
func (s *Server) requests(w http.ResponseWriter, r *http.Request) error {
	v, err := s.operatorOnly(r)
	if err != nil {
		return err
	}
	run, err := s.findRun(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	wanted, err := narrow(r.URL.Query())
	if err != nil {
		return err
	}
	rows, err := s.Threads.RunRequests(r.Context(), run.ID)
	if err != nil {
		return err
	}
	answers := make([]requestAnswer, 0, len(rows))
	before := map[string][]byte{} // what was sent last, by the call inside which it was
	for i := range rows {
		row := &rows[i]
		sent := before[row.ParentToolCallID]
		if row.Sent != nil {
			if row.Sent.Keep < 0 || row.Sent.Keep > len(sent) {
				return fmt.Errorf("read the requests of run %s: turn %d keeps %d bytes of %d", run.ID, row.Turn, row.Sent.Keep, len(sent))
			}
			sent = append(sent[:row.Sent.Keep], row.Sent.Tail...)
			before[row.ParentToolCallID] = sent
		}
		if !wanted(row) {
			continue
		}
		answer := requestAnswer{
			Turn: row.Turn, Try: row.Try, At: row.AtMs, AgentName: row.AgentName, ParentToolCallID: row.ParentToolCallID,
		}
		answer.Received, answer.Unread = v.pieces(pieces(row.Received))
		if answer.Withheld = s.ViewOf == nil && s.holdsBack(r.Context(), row); answer.Withheld {
			answer.Received, answer.Unread = []receivedPiece{}, 0
		}
		if row.Sent != nil {
			answer.Sent = string(sent)
		}
		answers = append(answers, answer)
	}
	writeJSON(w, http.StatusOK, requestsAnswer{answers})
	return nil
}

// holdsBack reports whether nobody may see what an agent's model answered before it was checked. Where the agent is not found that
// is not known, so nobody may.
func (s *Server) holdsBack(ctx context.Context, row *agent.Request) bool {
	a, err := s.Runner.Resolve(ctx, row.AgentName, row.ThreadID)
	return err != nil || a.HoldsBack()
}

// narrow reads which requests a client wants.
func narrow(query url.Values) (wanted func(*agent.Request) bool, err error) {
	turn, err := number(query.Get("turn"))
	if err != nil {
		return nil, invalid("turn: %v", err)
	}
	try, err := number(query.Get("try"))
	if err != nil {
		return nil, invalid("try: %v", err)
	}
	anyTurn, anyTry := query.Get("turn") == "", query.Get("try") == ""
	return func(r *agent.Request) bool {
		return (anyTurn || int64(r.Turn) == turn) && (anyTry || int64(r.Try) == try)
	}, nil
}

// pieces are the bytes of an answer as text: a character that was cut between two goes whole into the later one.
func pieces(received []agent.Received) []receivedPiece {
	out := make([]receivedPiece, 0, len(received))
	var rest []byte
	for i, piece := range received {
		whole := append(rest, piece.Bytes...)
		cut := len(whole)
		if i < len(received)-1 {
			cut = wholeRunes(whole)
		}
		out = append(out, receivedPiece{After: float64(piece.After.Microseconds()) / 1000, Text: string(whole[:cut])})
		rest = bytes.Clone(whole[cut:])
	}
	return out
}

// wholeRunes is the length of text without a character that is cut at its end.
func wholeRunes(text []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		tail := text[len(text)-back:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				break
			}
			return len(text) - back
		}
	}
	return len(text)
}

// blob answers with a large payload. Whatever it holds, a browser runs nothing of it.
func (s *Server) blob(w http.ResponseWriter, r *http.Request) error {
	v, err := s.operatorOnly(r) // a user is given no reference
	if err != nil {
		return err
	}
	hash := r.PathValue("hash")
	body, mediaType, err := s.log.Blob(r.Context(), hash)
	if errors.Is(err, agent.ErrNotFound) {
		return notFound("no blob %q", hash)
	}
	if err != nil {
		return err
	}
	if mediaType == "" {
		mediaType = "application/octet-stream"
	}
	if !strings.HasPrefix(mediaType, "image/") {
		body = v.json(body)
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cache-Control", "private, max-age=31536000, immutable") // a hash names one content for ever
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a client that has left needs no body
	return nil
}
