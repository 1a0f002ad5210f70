// Package names gives tools the names under which providers of models take them. It knows nothing of either.
package names

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// MaxLength is how long a tool's name may be for every provider.
const MaxLength = 64

// Names gives every tool a name that all providers take, letters, digits, "_" and "-", no digit or "-" first, and finds the tool
// by it again. A name that fits stays as it is.
type Names struct {
	wire map[string]string // by real name
	real map[string]string // by the name sent
	sent []string          // of the tools it was made for, in their order

	renamed bool // one of them is sent under another name than its own
}

// New maps tools. Those whose names fit come first, so that no other takes theirs.
func New(tools []string) *Names {
	n := &Names{wire: map[string]string{}, real: map[string]string{}}
	for _, name := range tools {
		if fits(name) {
			n.add(name, name)
		}
	}
	for _, name := range tools {
		wire := n.ToWire(name)
		n.sent = append(n.sent, wire)
		n.renamed = n.renamed || wire != name
	}
	return n
}

// Sent returns the names of the tools it was made for, as they are sent, in their order. They are not to be changed.
func (n *Names) Sent() []string { return n.sent }

// Renamed returns the same where any of them is not the tool's own name, else nil.
func (n *Names) Renamed() []string {
	if !n.renamed {
		return nil
	}
	return n.sent
}

// ToWire returns the name under which a tool, or one that a call of the past named, is sent.
func (n *Names) ToWire(name string) string {
	if wire, ok := n.wire[name]; ok {
		return wire
	}
	wire := name
	if !fits(name) || n.taken(name) {
		sum := sha256.Sum256([]byte(name))
		hash := hex.EncodeToString(sum[:])
		cleaned := clean(name)
		for length := 8; ; length++ { // more of the hash until nobody has the name
			wire = cleaned[:min(len(cleaned), MaxLength-1-length)] + "_" + hash[:length]
			if !n.taken(wire) {
				break
			}
		}
	}
	n.add(name, wire)
	return wire
}

// FromWire returns the real name of a tool a model named; a name that is nobody's stays.
func (n *Names) FromWire(wire string) string {
	if name, ok := n.real[wire]; ok {
		return name
	}
	return wire
}

// IsTool reports whether a tool it was made for is sent under this name.
func (n *Names) IsTool(wire string) bool {
	for _, s := range n.sent {
		if s == wire {
			return true
		}
	}
	return false
}

// IsWhole reports whether a name is a tool's and cannot be the beginning of another's.
func (n *Names) IsWhole(wire string) bool {
	found := false
	for _, s := range n.sent {
		if s == wire {
			found = true
		} else if strings.HasPrefix(s, wire) {
			return false
		}
	}
	return found
}

func (n *Names) add(name, wire string) {
	n.wire[name] = wire
	n.real[wire] = name
}

func (n *Names) taken(wire string) bool {
	_, ok := n.real[wire]
	return ok
}

func fits(name string) bool {
	return name != "" && len(name) <= MaxLength && name == clean(name)
}

// clean puts a "_" for each character that does not fit.
func clean(name string) string {
	cleaned := strings.Map(func(r rune) rune {
		if (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if cleaned != "" && (cleaned[0] == '-' || cleaned[0] >= '0' && cleaned[0] <= '9') {
		cleaned = "_" + cleaned
	}
	return cleaned
}
