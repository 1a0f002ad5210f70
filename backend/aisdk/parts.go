package aisdk

import "callboard/backend/protocol"

// Kinds of parts that come in pieces, as the types of their chunks begin.
const (
	text      = "text"
	reasoning = "reasoning"
)

// openPart begins a part; the one that is open ends.
func (m *Mapper) openPart(kind, id string) {
	key := kind + " " + id
	if m.open == key {
		return
	}
	m.closePart()
	if m.ended == nil {
		m.ended = map[string]bool{}
	}
	delete(m.ended, key)
	m.current.rename(key) // an id that comes twice names the newer part
	m.open = key
	m.say(key, Chunk{Type: kind + "-start", ID: id})
}

// delta goes on with a part. One that comes after the end of its part comes too late.
func (m *Mapper) delta(kind, id, delta string) {
	key := kind + " " + id
	if delta == "" || m.ended[key] {
		return
	}
	m.openPart(kind, id)
	m.say(key, Chunk{Type: kind + "-delta", ID: id, Delta: delta})
}

func (m *Mapper) endPart(kind, id string, dropped bool) {
	key := kind + " " + id
	if m.open == key && !dropped {
		m.closePart()
	}
	if m.open == key {
		m.open = ""
	}
	if m.ended == nil {
		m.ended = map[string]bool{}
	}
	m.ended[key] = true
	if dropped {
		m.current.remove(key)
	}
}

// closePart ends the part that is open.
func (m *Mapper) closePart() {
	if m.open == "" {
		return
	}
	key := m.open
	m.open = ""
	kind, id := splitKey(key)
	m.say(key, Chunk{Type: kind + "-end", ID: id})
}

// takeBack removes what a try of the turn has brought that failed. A server that keeps the protocol's order has done so before.
func (m *Mapper) takeBack() {
	m.open = ""
	for _, key := range m.current.keys() {
		kind, id := splitKey(key)
		switch c := m.calls[id]; {
		case kind != "call":
			m.current.remove(key)
		case c != nil && !c.settled && !c.started && c.asked == "" && !c.answered:
			m.drop(c, protocol.Incomplete)
		}
	}
}
