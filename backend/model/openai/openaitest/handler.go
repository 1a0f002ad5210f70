package openaitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"callboard/backend/model"
)

// ToolName is the name of the one tool the server calls, and Schema what a request says of it.
const ToolName = "lookup"

// Schema is the tool the server calls.
func Schema() model.ToolSchema {
	return model.ToolSchema{
		Name: ToolName, Description: "Looks a thing up.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}`),
	}
}

// Handler answers POST /v1/chat/completions with a stream, and GET /v1/models. The name of the model says what it answers, in
// words and numbers with dashes between: "calls-10-turns-100" makes 10 calls in each of 100 turns and then answers in words.
//
//   - calls: how many calls a turn makes, 1 when not given
//   - turns: how many turns make calls, 1 when not given
//   - args: how long the arguments of a call are, in bytes; a short object when not given
//   - piece: in pieces of how many bytes the arguments come; in one when not given
//   - flush: 1 sends every piece at once, in a packet of its own
//   - delay: how many milliseconds pass between pieces; they are sent at once
//
// It keeps nothing between requests: the turn is counted from the tool messages of the request.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"calls-1","object":"model"},{"id":"calls-10-turns-100","object":"model"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", complete)
	return mux
}

func complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	name := between(body, `"model":"`, `"`)
	plan, err := parsePlan(name)
	if err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error","code":"model_not_found"}}`, err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s := &sender{w: w, plan: plan, model: name}
	s.chunk(`{"role":"assistant","content":""}`, "")
	if turn := bytes.Count(body, []byte(`"role":"tool"`)) / plan.calls; turn < plan.turns {
		s.calls(turn)
		s.chunk(`{}`, "tool_calls")
	} else {
		s.chunk(`{"content":"Done."}`, "")
		s.chunk(`{}`, "stop")
	}
	s.event(fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1754000000,"model":%q,"choices":[],`+
		`"usage":{"prompt_tokens":%d,"completion_tokens":9,"total_tokens":%d}}`, name, len(body)/4, len(body)/4+9))
	s.event("[DONE]")
}

// plan is what a model's name says.
type plan struct {
	calls, turns, args, piece, flush, delay int
}

func parsePlan(name string) (plan, error) {
	p := plan{calls: 1, turns: 1}
	words := strings.Split(name, "-")
	for i := 0; i+1 < len(words); i += 2 {
		n, err := strconv.Atoi(words[i+1])
		if err != nil || n < 0 {
			return p, fmt.Errorf("the model %q does not exist", name)
		}
		switch words[i] {
		case "calls":
			p.calls = max(1, n)
		case "turns":
			p.turns = n
		case "args":
			p.args = n
		case "piece":
			p.piece = n
		case "flush":
			p.flush = n
		case "delay":
			p.delay = n
		default:
			return p, fmt.Errorf("the model %q does not exist", name)
		}
	}
	if len(words)%2 != 0 {
		return p, fmt.Errorf("the model %q does not exist", name)
	}
	return p, nil
}

// sender writes the chunks of one answer.
type sender struct {
	w     http.ResponseWriter
	plan  plan
	model string
	line  []byte
}

func (s *sender) calls(turn int) {
	for i := range s.plan.calls {
		s.chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d_%d","type":"function","function":{"name":%q,"arguments":""}}]}`,
			i, turn, i, ToolName), "")
		arguments := Arguments(turn, i, s.plan.args)
		size := s.plan.piece
		if size == 0 {
			size = len(arguments)
		}
		for len(arguments) > 0 {
			piece := arguments[:min(size, len(arguments))]
			arguments = arguments[len(piece):]
			delta := append([]byte(`{"tool_calls":[{"index":`), strconv.Itoa(i)...)
			delta = append(delta, `,"function":{"arguments":`...)
			delta = model.AppendQuoted(delta, piece)
			s.chunk(string(append(delta, `}}]}`...)), "")
		}
	}
}

// Arguments is the text of the arguments the server gives to call i of a turn, both counted from 0; size is the model's args.
func Arguments(turn, i, size int) string {
	const before, after = `{"query":"`, `","limit":10}`
	if rest := size - len(before) - len(after); rest > 0 {
		return before + strings.Repeat("lorem ipsum ", rest/12+1)[:rest] + after
	}
	return fmt.Sprintf(before+"item %d of turn %d"+after, i, turn)
}

func (s *sender) chunk(delta, reason string) {
	finish := "null"
	if reason != "" {
		finish = `"` + reason + `"`
	}
	s.event(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1754000000,"model":"` + s.model +
		`","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":` + finish + `}]}`)
}

func (s *sender) event(data string) {
	s.line = append(append(append(s.line[:0], "data: "...), data...), "\n\n"...)
	_, _ = s.w.Write(s.line) // a client that left ends the request
	if s.plan.flush > 0 || s.plan.delay > 0 {
		_ = http.NewResponseController(s.w).Flush()
	}
	if s.plan.delay > 0 {
		time.Sleep(time.Duration(s.plan.delay) * time.Millisecond)
	}
}

func between(b []byte, before, after string) string {
	_, rest, _ := bytes.Cut(b, []byte(before))
	found, _, _ := bytes.Cut(rest, []byte(after))
	return string(found)
}
