package agent

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"callboard/backend/protocol"
)

// part is a piece of text or reasoning.
type part struct {
	id        string
	reasoning bool
	unseen    bool // it was only gathered
}

func (p part) end(dropped bool) protocol.Event {
	if p.reasoning {
		return &protocol.ReasoningEnd{ID: p.id, Dropped: dropped}
	}
	return &protocol.TextEnd{ID: p.id, Dropped: dropped}
}

// say opens a part with its first piece and goes on with it; a part of the other kind is closed first.
func (a *answer) say(reasoning bool, piece string) {
	if piece == "" {
		return
	}
	if a.open && a.parts[len(a.parts)-1].reasoning != reasoning {
		a.closePart()
	}
	if piece, a.rest = wholeRunes(a.rest + piece); piece != "" {
		a.show(reasoning, piece)
	}
}

// silent reports whether text is gathered and not shown yet.
func (a *answer) silent() bool { return a.held || a.quiet }

func (a *answer) show(reasoning bool, piece string) {
	if !a.open {
		a.open = true
		id := fmt.Sprintf("part_%d_%d_%d", a.turn, a.try, len(a.parts)+1)
		a.parts = append(a.parts, part{id: id, reasoning: reasoning, unseen: a.partless()})
		switch {
		case a.partless():
		case reasoning:
			a.sink.emit(&protocol.ReasoningStart{ID: id})
		default:
			a.sink.emit(&protocol.TextStart{ID: id})
		}
	}
	id := a.parts[len(a.parts)-1].id
	said, event := &a.text, protocol.Event(&protocol.TextDelta{ID: id, Delta: piece})
	if reasoning {
		said, event = &a.thought, &protocol.ReasoningDelta{ID: id, Delta: piece}
	}
	said.WriteString(piece)
	if a.retell(false); !a.partless() {
		a.sink.emit(event)
	}
}

func (a *answer) closePart() {
	if !a.open {
		return
	}
	last := a.parts[len(a.parts)-1]
	if a.rest != "" {
		a.show(last.reasoning, strings.ToValidUTF8(a.rest, "\uFFFD"))
		a.rest = ""
	}
	a.open = false
	if a.retell(true); !last.unseen {
		a.sink.emit(last.end(false))
	}
}

// saidAny reports whether text or reasoning went out.
func (a *answer) saidAny() bool {
	return slices.ContainsFunc(a.parts, func(p part) bool { return !p.unseen })
}

// unsay takes back the parts that went out.
func (a *answer) unsay() {
	for _, p := range a.parts {
		if !p.unseen {
			a.sink.emit(p.end(true))
		}
	}
}

// release shows what was gathered: the reasoning and the text as one part each, then the calls that are kept.
func (a *answer) release() {
	if !a.silent() {
		return
	}
	thought, text, held := a.thought.String(), a.text.String(), a.held
	a.thought.Reset()
	a.text.Reset()
	a.held, a.quiet = false, false
	for _, said := range []struct {
		reasoning bool
		text      string
	}{{true, thought}, {false, text}} {
		if said.text != "" {
			a.show(said.reasoning, said.text)
			a.closePart()
		}
	}
	if !held {
		return
	}
	for _, c := range a.kept {
		a.announce(c)
		a.writeOut(c, strings.ToValidUTF8(string(c.args), "\uFFFD"))
		a.sayAvailable(c)
		a.present(c)
	}
}

// wholeRunes splits off the bytes of a character that has not come whole.
func wholeRunes(s string) (whole, rest string) {
	for cut := len(s) - 1; cut >= 0 && cut > len(s)-utf8.UTFMax; cut-- {
		if s[cut] < utf8.RuneSelf {
			break
		}
		if utf8.RuneStart(s[cut]) {
			if !utf8.FullRuneInString(s[cut:]) {
				return s[:cut], s[cut:]
			}
			break
		}
	}
	return s, ""
}
