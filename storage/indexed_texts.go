package storage

import (
	"unicode/utf8"

	"callboard/backend/protocol"
)

// searchable is what of a text is searched.
func searchable(text string) string {
	if len(text) <= SearchLimit {
		return text
	}
	end := SearchLimit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// eventTexts are the text, the details and the row's text that an event has, as they are searched.
func eventTexts(f protocol.Frame, kind Kind, read func(hash string) (string, error)) (text, details, row string, err error) {
	switch e := f.Event.(type) {
	case *protocol.Message:
		text = e.Content
	case *protocol.Error:
		text = e.Message
	case *protocol.ToolUpdate:
		switch {
		case kind == KindProgress:
			text, err = progressText(e, read)
		case e.ArgumentsText != nil:
			text = *e.ArgumentsText
		default:
			text = string(e.Arguments)
		}
	case *protocol.ToolResult:
		_, text, details, err = resultTexts(e, read)
		return text, details, rowText(e.Presentation), err
	default: // no entry refers to another
	}
	return searchable(text), "", "", err
}
