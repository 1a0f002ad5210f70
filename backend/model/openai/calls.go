package openai

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"callboard/backend/internal/names"
	"callboard/backend/model"
)

// calls puts tool calls together from the pieces of a stream. What tells to which call a piece belongs is, in the order in
// which it is trusted: the index, the id, the name, and whether the arguments so far are a whole JSON value.
type calls struct {
	names *names.Names
	turn  int // goes into the ids that are made
	list  []*call
	open  int // of list, started and not ended
}

type call struct {
	number     int    // of the calls in the answer, from 1
	index      int    // -1 when the server gave none
	id         string // ours; set when the call is started
	providerID string
	name       string // as it was sent
	arguments  []byte
	extra      []byte // what the server wants back with it; of several, the last
	told       int    // of arguments, in bytes
	followed   int    // of arguments, by progress
	progress   progress
	text       joiner
	started    bool
	ended      bool
}

// add takes one piece, and appends what it means for those who watch.
func (s *calls) add(p *callPiece, out []model.ToolInput) []model.ToolInput {
	id, name := string(unquote(p.id)), string(unquote(p.name))
	if id == "" && name == "" && p.arguments == nil && p.extra == nil && (p.index < 0 || s.byIndex(p.index) != nil) {
		return out
	}
	c := s.find(p, id, name)
	if c == nil {
		if s.open > 0 {
			out = s.endClosed(out)
		}
		c = &call{number: len(s.list) + 1, index: p.index}
		s.list = append(s.list, c)
	}
	if c.providerID == "" {
		c.providerID = id
	}
	if p.extra != nil {
		c.extra = bytes.Clone(p.extra)
	}
	s.learnName(c, name)
	c.write(p.arguments)
	if !c.started && c.name != "" && (len(c.arguments) > 0 || s.names.IsWhole(c.name)) {
		out = s.start(c, out)
	}
	out = s.tell(c, out)
	if s.open > 1 && c.started && !c.ended && c.closed() {
		out = s.end(c, out) // others are being written too; whatever ends them says nothing of this one
	}
	return out
}

// find returns the call a piece belongs to, nil for a new one.
func (s *calls) find(p *callPiece, id, name string) *call {
	if len(s.list) == 0 {
		return nil
	}
	last := s.list[len(s.list)-1]
	var c *call
	if id != "" {
		c = s.byID(id)
	}
	if p.index >= 0 {
		if c == nil || c.index != p.index {
			same := s.byIndex(p.index)
			switch {
			case same != nil:
				c = same
			case name != "":
				return nil
			case id == "": // a server that counts pieces
				return last
			}
		}
	} else if c == nil && (id == "" || name == "") {
		c = last
	}
	if c == nil || !s.continues(c, p, id, name) {
		return nil
	}
	return c
}

// continues reports whether a piece goes on with the call c, which has its index or its id, or is the last one.
func (s *calls) continues(c *call, p *callPiece, id, name string) bool {
	known := (p.index >= 0 && c.index == p.index) || (id != "" && c.providerID == id)
	otherID := id != "" && c.providerID != "" && c.providerID != id
	switch {
	case otherID && name != "":
		return false
	case otherID: // a server that makes an id for each piece
		return !c.closed()
	case name == "":
		return true
	case len(c.arguments) == 0:
		return s.sameName(c.name, name, known)
	case !c.closed():
		return known || name == c.name
	case name == c.name:
		return (id != "" && id == c.providerID) || len(bytes.TrimSpace(text(p.arguments))) == 0
	}
	return false
}

// sameName reports whether a name that comes before any arguments belongs to the call named so far: the same again, or a piece
// more.
func (s *calls) sameName(sofar, name string, known bool) bool {
	switch {
	case sofar == "" || name == sofar || s.names.IsTool(sofar+name):
		return true
	case s.names.IsTool(sofar) && s.names.IsTool(name):
		return false
	case s.names.IsTool(sofar) || s.names.IsTool(name):
		return known
	}
	return true
}

// learnName adds to a call's name: one that is sent again is not glued to itself, and one in pieces is put together.
func (s *calls) learnName(c *call, name string) {
	switch {
	case name == "" || name == c.name || c.started:
	case !s.names.IsTool(c.name+name) && s.names.IsTool(name) && strings.HasPrefix(name, c.name):
		c.name = name // sent again, and longer each time
	default:
		c.name += name
	}
}

// write adds to the arguments: text, or where a server sends JSON in place of text, its bytes.
func (c *call) write(arguments []byte) {
	if arguments != nil {
		c.arguments = append(c.arguments, c.text.push(text(arguments))...)
	}
}

func text(arguments []byte) []byte {
	if len(arguments) > 0 && arguments[0] == '"' {
		return unquote(arguments)
	}
	return arguments
}

// closed reports whether the arguments so far are a whole value. It reads each byte of them once.
func (c *call) closed() bool {
	c.progress.read(c.arguments[c.followed:])
	c.followed = len(c.arguments)
	return c.progress.closed || closedText(c.arguments)
}

func (s *calls) start(c *call, out []model.ToolInput) []model.ToolInput {
	c.id = c.providerID
	if c.id == "" || s.hasID(c.id, c) {
		c.id = fmt.Sprintf("call_%d_%d", s.turn+1, c.number)
	}
	c.started = true
	s.open++
	return append(out, model.ToolInput{Type: model.ToolInputStart, ToolCallID: c.id, ToolName: s.names.FromWire(c.name)})
}

func (s *calls) tell(c *call, out []model.ToolInput) []model.ToolInput {
	if !c.started || c.ended || c.told == len(c.arguments) {
		return out
	}
	delta := string(c.arguments[c.told:])
	c.told = len(c.arguments)
	return append(out, model.ToolInput{Type: model.ToolInputDelta, ToolCallID: c.id, Delta: delta})
}

func (s *calls) end(c *call, out []model.ToolInput) []model.ToolInput {
	c.arguments = append(c.arguments, c.text.rest()...)
	if len(c.arguments) == 0 {
		c.arguments = []byte("{}")
	}
	if !c.started {
		out = s.start(c, out)
	}
	out = s.tell(c, out)
	c.ended = true
	s.open--
	return append(out, model.ToolInput{Type: model.ToolInputEnd, ToolCallID: c.id})
}

// endClosed ends the calls that are open and have whole arguments.
func (s *calls) endClosed(out []model.ToolInput) []model.ToolInput {
	for _, c := range s.list {
		if c.started && !c.ended && c.closed() {
			out = s.end(c, out)
		}
	}
	return out
}

// endAll ends the calls that are open. Entries in which nothing came were no calls.
func (s *calls) endAll(out []model.ToolInput) ([]model.ToolInput, error) {
	s.list = slices.DeleteFunc(s.list, func(c *call) bool { return c.name == "" && len(c.arguments) == 0 })
	for _, c := range s.list {
		if c.name == "" {
			return out, errors.New("a tool call in it has no name")
		}
		if !c.ended {
			out = s.end(c, out)
		}
	}
	return out, nil
}

// closed reports whether every call has whole arguments.
func (s *calls) closed() bool {
	for _, c := range s.list {
		if !c.closed() {
			return false
		}
	}
	return true
}

// complete returns the calls; each has ended.
func (s *calls) complete() []model.ToolCall {
	out := make([]model.ToolCall, len(s.list))
	for i, c := range s.list {
		out[i] = model.ToolCall{ID: c.id, Name: s.names.FromWire(c.name), Arguments: string(c.arguments)}
		out[i].Extra = c.extra
		if c.providerID != c.id {
			out[i].ProviderID = c.providerID
		}
	}
	return out
}

// byIndex returns the latest call with an index.
func (s *calls) byIndex(index int) *call {
	for i := len(s.list) - 1; i >= 0; i-- {
		if s.list[i].index == index {
			return s.list[i]
		}
	}
	return nil
}

// byID returns the latest call with a provider's id.
func (s *calls) byID(id string) *call {
	for i := len(s.list) - 1; i >= 0; i-- {
		if s.list[i].providerID == id {
			return s.list[i]
		}
	}
	return nil
}

func (s *calls) hasID(id string, but *call) bool {
	for _, c := range s.list {
		if c != but && c.id == id {
			return true
		}
	}
	return false
}
