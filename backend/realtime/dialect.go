package realtime

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"callboard/backend/tool"
)

// dialect is one provider's protocol without a connection: it reads what the server says and writes what it is to be told. Its
// methods are called one at a time.
type dialect interface {
	endpoint() (*url.URL, http.Header, error)
	// opening is the message that sets the session up.
	opening() ([]byte, error)
	// receive reads a message. With an error it was skipped.
	receive(frame []byte) (received, error)
	// send returns the messages a command makes; there may be none.
	send(c command) ([][]byte, error)
}

// received is what a message says, in the order of the fields.
type received struct {
	events    []Event
	ready     bool // the session is set up
	group     *group
	takenBack []string // provider's ids of calls whose results nobody waits for any more
	frames    [][]byte // to be sent now
}

// command is something to be told to the server.
type command struct {
	kind   kind
	text   string
	audio  []byte
	played time.Duration
	call   *call
}

type kind string

const (
	sendText  kind = "text"
	sendAudio kind = "audio"
	endAudio  kind = "end of audio"
	interrupt kind = "interruption"
	answered  kind = "answer" // call is over, or taken back; of the last of its group whose answer is waited for, the group is
)

// group is the calls the model made together.
type group struct {
	calls []*call
	open  int // of them whose answers the model waits for: they are neither over nor taken back
}

// call is a complete call.
type call struct {
	id         string
	providerID string // may be empty
	name       string
	arguments  string
	tool       *tool.Tool // nil where there is none of the name
	group      *group

	ctx       context.Context // of its goroutine
	cancel    context.CancelCauseFunc
	over      bool
	takenBack bool
	answer    answer // once it is over
}

// answer is what the model reads of a result.
type answer struct {
	text   string
	whole  json.RawMessage // the content, where text is nothing but it
	err    string          // of a failed call; text has it too
	images []tool.Picture
}

// answerOf takes from a result what the model reads: the content, cut, or the error.
func answerOf(r tool.Result, limit int) answer {
	if r.Err != nil {
		text, _ := encode(map[string]string{"error": r.Err.Error()}) // a string always encodes
		return answer{text: string(text), err: r.Err.Error()}
	}
	split := tool.SplitContent(r.Content)
	a := answer{text: tool.Cut(split.Text, limit)}
	if len(split.Images) == 0 && a.text == split.Text {
		a.whole = r.Content
	}
	for i, picture := range split.Images {
		if picture.MediaType == "image/png" || picture.MediaType == "image/jpeg" {
			a.images = append(a.images, picture)
			continue
		}
		a.text += fmt.Sprintf("\n[image %d is not shown: this model takes PNG and JPEG]", i+1)
	}
	return a
}

// encode gives v's JSON text, with <, > and & as they are.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// encodeAll encodes messages.
func encodeAll(messages ...any) ([][]byte, error) {
	frames := make([][]byte, len(messages))
	for i, m := range messages {
		var err error
		if frames[i], err = encode(m); err != nil {
			return nil, fmt.Errorf("encode a message: %w", err)
		}
	}
	return frames, nil
}

// overlay puts the members of an object over those of another; where both have an object, its members.
func overlay(under, over json.RawMessage) (json.RawMessage, error) {
	a, b := object(under), object(over)
	if a == nil || b == nil {
		return over, nil
	}
	merged := maps.Clone(a)
	for name, value := range b {
		if below, ok := a[name]; ok {
			var err error
			if value, err = overlay(below, value); err != nil {
				return nil, err
			}
		}
		merged[name] = value
	}
	return encode(merged)
}

// object reads the members of an object; nil when it is none.
func object(text json.RawMessage) (members map[string]json.RawMessage) {
	if json.Unmarshal(text, &members) != nil {
		return nil
	}
	return members
}
