package openai

import "callboard/backend/model/internal/jsonscan"

// progress follows a JSON text as it is written, far enough to know whether its first value has ended. It reads each byte once.
type progress struct {
	depth    int
	inString bool
	escaped  bool
	closed   bool // the first value has ended; only objects, arrays and strings show it
}

// read takes the next piece of the text.
func (p *progress) read(piece []byte) {
	for _, c := range piece {
		switch {
		case p.closed:
			return
		case p.escaped:
			p.escaped = false
		case p.inString:
			switch c {
			case '\\':
				p.escaped = true
			case '"':
				p.inString = false
				p.closed = p.depth == 0
			}
		case c == '"':
			p.inString = true
		case c == '{', c == '[':
			p.depth++
		case c == '}', c == ']':
			p.depth--
			p.closed = p.depth <= 0
		}
	}
}

// closedText reports whether a short text is a number or a word, which nothing closes.
func closedText(text []byte) bool {
	return len(text) > 0 && len(text) < 32 && jsonscan.Valid(text)
}
