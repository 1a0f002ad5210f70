package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is how long a tool's name may be for every provider.
const maxName = 64

// names gives every tool a name that all providers take, letters, digits, "_" and "-", and finds the tool by it again. A name
// that fits stays as it is.
type names struct {
	wire map[string]string // by real name
	real map[string]string // by the name sent
	sent []string          // the names of the tools of a request, as sent
}

// newNames maps the tools of a request. Those whose names fit come first, so that no other takes theirs.
func newNames(tools []string) *names {
	n := &names{wire: map[string]string{}, real: map[string]string{}}
	for _, name := range tools {
		if fits(name) {
			n.add(name, name)
		}
	}
	for _, name := range tools {
		n.sent = append(n.sent, n.toWire(name))
	}
	return n
}

// toWire returns the name under which a tool, or one that a call of the past named, is sent.
func (n *names) toWire(name string) string {
	if wire, ok := n.wire[name]; ok {
		return wire
	}
	wire := name
	if !fits(name) || n.taken(name) {
		sum := sha256.Sum256([]byte(name))
		hash := hex.EncodeToString(sum[:])
		clean := cleanName(name)
		for length := 8; ; length++ { // more of the hash until nobody has the name
			wire = clean[:min(len(clean), maxName-1-length)] + "_" + hash[:length]
			if !n.taken(wire) {
				break
			}
		}
	}
	n.add(name, wire)
	return wire
}

// fromWire returns the real name of a tool a model named; a name that is nobody's stays.
func (n *names) fromWire(wire string) string {
	if name, ok := n.real[wire]; ok {
		return name
	}
	return wire
}

// isTool reports whether a tool of the request was sent under this name.
func (n *names) isTool(wire string) bool {
	for _, s := range n.sent {
		if s == wire {
			return true
		}
	}
	return false
}

// isWhole reports whether a name is a tool's and cannot be the beginning of another's.
func (n *names) isWhole(wire string) bool {
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

func (n *names) add(name, wire string) {
	n.wire[name] = wire
	n.real[wire] = name
}

func (n *names) taken(wire string) bool {
	_, ok := n.real[wire]
	return ok
}

func fits(name string) bool {
	return name != "" && len(name) <= maxName && name == cleanName(name)
}

// cleanName puts a "_" for each character that does not fit.
func cleanName(name string) string {
	return strings.Map(func(r rune) rune {
		if (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
}
