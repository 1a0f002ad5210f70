// Package jsonscan finds where the values of a JSON text stand, without copying or changing a byte. It accepts and refuses
// exactly what encoding/json does.
package jsonscan

// maxDepth is how deep objects and arrays may lie in each other.
const maxDepth = 10_000

// Space returns the first position from i on that is not white space.
func Space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// Valid reports whether b is one JSON value and nothing else but white space.
func Valid(b []byte) bool {
	end, ok := Value(b, Space(b, 0))
	return ok && Space(b, end) == len(b)
}

// Value returns where the value that starts at i ends.
func Value(b []byte, i int) (end int, ok bool) {
	return value(b, i, 0)
}

// Member reads on in an object from i, which stands behind its brace or, if more, behind a value. It returns the member's name
// with its quotes and where its value starts; at the end of the object the name is nil and next stands behind the brace.
func Member(b []byte, i int, more bool) (name []byte, next int, ok bool) {
	i = Space(b, i)
	if i < len(b) && b[i] == '}' {
		return nil, i + 1, true
	}
	if more {
		if i >= len(b) || b[i] != ',' {
			return nil, i, false
		}
		i = Space(b, i+1)
	}
	end, ok := text(b, i)
	if !ok {
		return nil, i, false
	}
	name = b[i:end]
	i = Space(b, end)
	if i >= len(b) || b[i] != ':' {
		return nil, i, false
	}
	return name, Space(b, i+1), true
}

// Element reads on in an array from i, which stands behind its bracket or, if more, behind a value. It returns where the next
// element starts; at the end of the array found is false and next stands behind the bracket.
func Element(b []byte, i int, more bool) (next int, found, ok bool) {
	i = Space(b, i)
	if i < len(b) && b[i] == ']' {
		return i + 1, false, true
	}
	if more {
		if i >= len(b) || b[i] != ',' {
			return i, false, false
		}
		i = Space(b, i+1)
	}
	return i, true, i < len(b)
}

func value(b []byte, i, depth int) (end int, ok bool) {
	if i >= len(b) {
		return i, false
	}
	switch b[i] {
	case '"':
		return text(b, i)
	case '{':
		return object(b, i+1, depth+1)
	case '[':
		return array(b, i+1, depth+1)
	case 't':
		return word(b, i, "true")
	case 'f':
		return word(b, i, "false")
	case 'n':
		return word(b, i, "null")
	}
	return number(b, i)
}

func object(b []byte, i, depth int) (end int, ok bool) {
	if depth > maxDepth {
		return i, false
	}
	for more := false; ; more = true {
		name, next, ok := Member(b, i, more)
		if !ok || name == nil {
			return next, ok
		}
		if i, ok = value(b, next, depth); !ok {
			return i, false
		}
	}
}

func array(b []byte, i, depth int) (end int, ok bool) {
	if depth > maxDepth {
		return i, false
	}
	for more := false; ; more = true {
		next, found, ok := Element(b, i, more)
		if !ok || !found {
			return next, ok
		}
		if i, ok = value(b, next, depth); !ok {
			return i, false
		}
	}
}

func text(b []byte, i int) (end int, ok bool) {
	if i >= len(b) || b[i] != '"' {
		return i, false
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1, true
		case c < ' ':
			return i, false
		case c == '\\':
			i++
			if i >= len(b) {
				return i, false
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if i+4 >= len(b) || !hex4(b[i+1:i+5]) {
					return i, false
				}
				i += 4
			default:
				return i, false
			}
		}
	}
	return i, false
}

func hex4(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

func word(b []byte, i int, w string) (end int, ok bool) {
	end = i + len(w)
	return end, end <= len(b) && string(b[i:end]) == w
}

func number(b []byte, i int) (end int, ok bool) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		if i, ok = digits(b, i); !ok {
			return i, false
		}
	}
	if i < len(b) && b[i] == '.' {
		if i, ok = digits(b, i+1); !ok {
			return i, false
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digits(b, i)
	}
	return i, true
}

func digits(b []byte, i int) (end int, ok bool) {
	start := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i, i > start
}
