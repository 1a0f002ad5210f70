package studio

import (
	"bytes"
	"net/http"

	"callboard/backend/redact"
)

// policy is what leaves the studio, for whom, by the window, HTTP and the log: its own keys are masked, and what looks like a secret.
func (s *Studio) policy() *redact.Policy {
	return &redact.Policy{Secrets: s.secrets, Patterns: redact.Patterns()}
}

// masked masks the secrets in every answer of a handler, of whatever kind it is. An answer is kept until it is whole: a secret may be
// written in pieces. What comes back of a form is unmasked (see unmask).
func (s *Studio) masked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &answer{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(out, r)
		if out.through {
			return
		}
		w.WriteHeader(out.status)
		_, _ = w.Write(s.redact.Strings(out.body.Bytes())) // a reader that left needs no answer
	})
}

// answer keeps an answer until it is masked.
type answer struct {
	http.ResponseWriter
	status  int
	body    bytes.Buffer
	through bool // it is masked already
}

// sendMasked lets an answer that is masked by other rules go out as it is written.
func sendMasked(w http.ResponseWriter) {
	if a, ok := w.(*answer); ok {
		a.through = true
	}
}

// WriteHeader keeps the status.
func (a *answer) WriteHeader(status int) {
	if a.status = status; a.through {
		a.ResponseWriter.WriteHeader(status)
	}
}

// Write keeps a piece of the body.
func (a *answer) Write(p []byte) (int, error) {
	if a.through {
		return a.ResponseWriter.Write(p)
	}
	return a.body.Write(p)
}

// unmask puts the secrets back into the texts of a form, which was shown what is stored with its secrets masked: a line that comes back
// as it was shown is as it was stored, and one that was changed around the mask is refused. stored is empty for what is new.
func (s *Studio) unmask(stored, said []*string) error {
	values := func(texts []*string) []string {
		all := make([]string, len(texts))
		for i, text := range texts {
			all[i] = *text
		}
		return all
	}
	back, err := s.redact.Unmask(values(stored), values(said))
	if err != nil {
		return invalid("%v", err)
	}
	for i, text := range said {
		*text = back[i]
	}
	return nil
}
