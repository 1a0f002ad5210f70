// Package approval is the vocabulary of calls that wait for a person: what is asked, what is answered.
// It knows nothing of how a run pauses or where an answer is kept.
package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"callboard/backend/protocol"
)

// Pending is a call that waits, or waited, for a person. It is stored before anyone is asked.
type Pending struct {
	protocol.Approval
	RunID       string
	ThreadID    string
	AgentName   string
	SinceMs     int64
	Decision    *Decision // nil while it waits
	DecidedAtMs int64
	Asked       bool // its first waiting state was told; a later stretch lists it again without
}

// Expired reports whether the time to decide is over at a moment.
func (p *Pending) Expired(now time.Time) bool {
	return p.ExpiresAt > 0 && now.UnixMilli() > p.ExpiresAt
}

// Decision is a person's answer, or a rule's.
type Decision struct {
	Approved      bool            `json:"approved"`
	Reason        string          `json:"reason,omitempty" jsonschema_description:"Why"`
	ArgumentsText *string         `json:"argumentsText,omitempty" jsonschema_description:"The arguments to run with; left out runs what was proposed"`
	ArgumentsHash string          `json:"argumentsHash,omitempty" jsonschema_description:"That of the arguments the decision was made for; with another one it is refused"`
	Result        json.RawMessage `json:"result,omitempty" jsonschema_description:"Hands in the result of a call of the kind unknown"`
	By            string          `json:"by,omitempty" jsonschema_description:"Who decided: a person, or 'rule:NAME'"`
	State         protocol.State  `json:"state,omitempty" jsonschema_description:"denied, expired or cancelled for a call that will not run"`
}

// What callers compare.
var (
	ErrNotFound = errors.New("no such approval")
	ErrDecided  = errors.New("already decided")
	ErrHash     = errors.New("made for other arguments")
)

// Hash is the hex SHA-256 of a call's argument text.
func Hash(argumentsText string) string {
	sum := sha256.Sum256([]byte(argumentsText))
	return hex.EncodeToString(sum[:])
}
