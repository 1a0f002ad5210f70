package redact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// readAnswers is a model's answer, read as server-sent events, as lines of JSON, or as JSON over many lines; whole or cut anywhere.
type readAnswers struct {
	text   string
	said   []saying   // the strings of its values, in order
	unread []replaced // what cannot be read in an answer that has JSON

	in      *holder  // the innermost object or array that is open
	began   int      // where the outermost begins
	event   bool     // the line is of an event
	json    bool     // there is JSON in it
	loose   []saying // lines that are no JSON
	strings map[place]int
	doubled map[member]bool
}

// saying is a string of an answer: where it stands without its quotes, and under which name in what.
type saying struct {
	start, end int
	name       string
	in         *holder
}

func (s saying) place() place { return place{s.in.path, s.name} }

// place is a member's name in what stands at a path.
type place struct {
	path int
	name string
}

// comment is what a comment between events is said under, which has no name.
const comment = ":"

type member struct {
	in   *holder
	name string
}

// holder is an object or an array.
type holder struct {
	parent *holder
	path   int // a number for the names of the members it stands in
	list   bool
	at     int // which of its parent's elements it is
	count  int // elements so far
	// indexes and ids are those that it and what it stands in have among their members; kind is its type.
	indexes, ids, kind string

	name            string // of the member under way
	named, assigned bool
}

func (h *holder) root() *holder {
	for h.parent != nil {
		h = h.parent
	}
	return h
}

func (h *holder) positions() string {
	var all []byte
	for ; h.parent != nil; h = h.parent {
		if h.parent.list {
			all = strconv.AppendInt(append(all, '.'), int64(h.at), 10)
		}
	}
	return string(all)
}

func readAnswer(text string) *readAnswers {
	r := &readAnswers{text: text, strings: map[place]int{}, doubled: map[member]bool{}}
	at := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	for at < len(text) {
		end := len(text)
		if n := strings.IndexAny(text[at:], "\r\n"); n >= 0 {
			end = at + n
		}
		r.line(at, end)
		at = end + 1
	}
	if r.json {
		for _, s := range r.loose {
			r.unread = append(r.unread, replaced{s.start, s.end, Withheld})
		}
	} else {
		r.said = append(r.said, r.loose...)
	}
	r.inherit()
	return r
}

// inherit gives each object what those around it are told apart by: it may be told behind what stands in them.
func (r *readAnswers) inherit() {
	done := map[*holder]bool{}
	var from func(h *holder)
	from = func(h *holder) {
		if h.parent == nil || done[h] {
			return
		}
		done[h] = true
		from(h.parent)
		h.indexes, h.ids = h.parent.indexes+h.indexes, h.parent.ids+h.ids
	}
	for _, s := range r.said {
		from(s.in)
	}
}

// line reads a line, which ends before its line break.
func (r *readAnswers) line(at, end int) {
	line := r.text[at:end]
	name, value, isField := strings.Cut(line, ":")
	switch {
	case line == "":
		if r.event {
			r.in = nil // an event ends
		}
		return
	case isField && name == "data":
		r.event = true
		at = end - len(value)
	case isField && (name == "" || name == "event" || name == "id" || name == "retry"):
		r.said = append(r.said, saying{end - len(strings.TrimPrefix(value, " ")), end, cmp.Or(name, comment), &holder{}})
		return
	}
	if r.values(at, end) {
		return
	}
	if r.in != nil {
		r.unread = append(r.unread, replaced{r.began, end, Withheld})
		r.json, r.in = true, nil
	}
}

// values reads JSON from a place to the end of its line; false where it is none.
func (r *readAnswers) values(at, end int) bool {
	for at < end {
		c := r.text[at]
		switch {
		case c == ' ' || c == '\t' || c == ',' && r.in == nil:
			at++
			continue
		case r.in == nil && c == '"':
			if next, ok := r.string(at, end); ok {
				at = next
				continue
			}
			r.loose = append(r.loose, saying{at, end, "data", &holder{}})
			return true
		case r.in == nil && (c != '{' && c != '[' || strings.TrimSpace(r.text[at:end]) == "[DONE]"):
			if strings.TrimSpace(r.text[at:end]) != "[DONE]" {
				r.loose = append(r.loose, saying{at, end, "data", &holder{}})
			}
			return true
		}
		next, ok := r.token(at, end)
		if !ok {
			return false
		}
		at = next
	}
	return true
}

func (r *readAnswers) token(at, end int) (next int, ok bool) {
	h := r.in
	switch c := r.text[at]; c {
	case '{', '[':
		return at + 1, r.open(at, c == '[')
	case '}', ']':
		if h.list != (c == ']') {
			return 0, false
		}
		r.in = h.parent
		r.json = r.json || r.in == nil
		return at + 1, true
	case ',':
		h.named, h.assigned = false, false
		h.count++
		return at + 1, true
	case ':':
		if !h.named || h.assigned {
			return 0, false
		}
		h.assigned = true
		return at + 1, true
	case '"':
		return r.string(at, end)
	default:
		return r.literal(at, end)
	}
}

func (r *readAnswers) open(at int, list bool) bool {
	child := &holder{parent: r.in, list: list}
	if h := r.in; h == nil {
		r.began = at
	} else {
		if !h.list && !h.assigned {
			return false
		}
		child.at = h.count
		step := place{h.path, h.name}
		if r.strings[step] == 0 {
			r.strings[step] = len(r.strings) + 1
		}
		child.path = r.strings[step]
	}
	r.in = child
	return true
}

func (r *readAnswers) string(at, end int) (next int, ok bool) {
	start, h := at+1, r.in
	if h == nil {
		h = &holder{list: true} // a value of its own
	}
	for next = start; next < end && r.text[next] != '"'; next++ {
		if r.text[next] == '\\' {
			next++
		}
	}
	whole := next < end
	if !whole {
		if end < len(r.text) {
			return 0, false // a string has no line breaks
		}
		next = end
	}
	text := r.text[start:next]
	switch {
	case h.list || h.assigned:
		r.say(saying{start, next, h.name, h})
		if !h.list {
			h.mark(text)
		}
	case h.named:
		return 0, false
	default:
		h.name, h.named = unescape(text).text, true
	}
	return min(end, next+1), true
}

// say takes a string. Of a member that an object has twice, clients read one, so that the other stands between what is joined.
func (r *readAnswers) say(s saying) {
	if m := (member{s.in, s.name}); !s.in.list && !slices.Contains(aboutAnswers, s.name) {
		if r.doubled[m] {
			r.unread = append(r.unread, replaced{s.start, s.end, Withheld})
			return
		}
		r.doubled[m] = true
	}
	r.said = append(r.said, s)
}

func (r *readAnswers) literal(at, end int) (next int, ok bool) {
	next = at
	for next < end && strings.IndexByte(" \t,:{}[]\"", r.text[next]) < 0 {
		next++
	}
	text := r.text[at:next]
	_, notNumber := strconv.ParseFloat(text, 64)
	cut := next == len(r.text)
	if !r.in.list && !r.in.assigned || notNumber != nil && text != "true" && text != "false" && text != "null" && !cut {
		return 0, false
	}
	if !r.in.list {
		r.in.mark(text)
	}
	return next, true
}

// mark takes a member that may tell an object from others at its place.
func (h *holder) mark(value string) {
	switch name := h.name; {
	case name == "index" || strings.HasSuffix(name, "_index") || strings.HasSuffix(name, "Index"):
		h.indexes += " " + name + "=" + value
	case name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id"):
		h.ids += " " + name + "=" + value
	case name == "type":
		h.kind = value
	}
}
