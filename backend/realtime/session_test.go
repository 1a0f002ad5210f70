package realtime_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/realtime"
	"callboard/backend/tool"
)

var _ realtime.Caller = (*agent.Runner)(nil)

func key() string { return "sk-secret" }

// listen reads events until the session is over, does what is due at a line, and returns the lines and the error at the end.
func listen(s *realtime.Session, due map[string]func()) (lines []string, end error) {
	for e, err := range s.Events() {
		if err != nil {
			return lines, err
		}
		line := told(e)
		lines = append(lines, line)
		for prefix, do := range due {
			if strings.HasPrefix(line, prefix) {
				delete(due, prefix)
				do()
			}
		}
	}
	return lines, nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestAVoiceConversation(t *testing.T) {
	audio := make([]byte, 480)
	for _, c := range []struct {
		name   string
		config realtime.Config
		begin  func(*testing.T, *realtime.Session)
		due    func(*testing.T, *realtime.Session) map[string]func()
		end    realtime.CloseError
		header map[string]string
		query  string
	}{
		{
			name: "openai_voice",
			config: realtime.Config{
				Provider: realtime.OpenAI, Model: "gpt-realtime", Instructions: "Be <brief> & kind.", Voice: "marin",
				Options: json.RawMessage(`{"audio":{"input":{"turn_detection":{"type":"semantic_vad"},"transcription":{"model":"gpt-4o-mini-transcribe"}}}}`),
			},
			begin: func(t *testing.T, s *realtime.Session) { must(t, s.SendAudio(audio)) },
			due: func(t *testing.T, s *realtime.Session) map[string]func() {
				return map[string]func(){
					`other raw={"type":"rate_limits.updated"`: func() { must(t, s.SendText("And in writing?")) },
					`other raw={"type":"something.new"`: func() {
						must(t, s.EndAudio())
						must(t, s.Send(json.RawMessage(`{"type":"input_audio_buffer.clear"}`)))
					},
				}
			},
			end:    realtime.CloseError{Code: 1001, Reason: "session_expired"},
			header: map[string]string{"Authorization": "Bearer sk-secret"},
			query:  "model=gpt-realtime",
		},
		{
			name: "gemini_voice",
			config: realtime.Config{
				Provider: realtime.Gemini, Model: "gemini-live", Instructions: "Be <brief> & kind.", Voice: "Kore",
				Options: json.RawMessage(`{"generationConfig":{"temperature":0.5},"sessionResumption":{}}`),
			},
			begin: func(t *testing.T, s *realtime.Session) {
				must(t, s.SendAudio(audio))
				must(t, s.EndAudio())
			},
			due: func(t *testing.T, s *realtime.Session) map[string]func() {
				return map[string]func(){"turn-end": func() {
					if err := s.Interrupt(0); !errors.Is(err, errors.ErrUnsupported) {
						t.Errorf("Interrupt: got %v", err)
					}
					must(t, s.SendText("Tell me more")) // the server plays on to its end
				}}
			},
			end:    realtime.CloseError{Code: 1008, Reason: "quota"},
			header: map[string]string{"X-Goog-Api-Key": "sk-secret"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, address := play(t, c.name+".jsonl")
			c.config.URL, c.config.Key = address, key
			s := dial(t, c.config)
			for name, want := range c.header {
				if got := server.request.Header.Get(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			if got := server.request.URL.RawQuery; got != c.query {
				t.Errorf("query: got %q, want %q", got, c.query)
			}
			c.begin(t, s)
			lines, end := listen(s, c.due(t, s))
			golden(t, c.name+".events", lines)
			var closed *realtime.CloseError
			if !errors.As(end, &closed) || *closed != c.end {
				t.Errorf("the end: got %v, want %v", end, &c.end)
			}
			if err := s.SendText("anybody?"); !errors.As(err, &closed) {
				t.Errorf("sending after the end: got %v", err)
			}
		})
	}
}

// The tools of these conversations are real: checked, approved and split by an agent.Runner. The endpoint holds what the model is
// sent to the letter; the golden files what the application gets.
func TestCallsAreRunCheckedApprovedAndSplit(t *testing.T) {
	for _, provider := range []realtime.Provider{realtime.OpenAI, realtime.Gemini} {
		t.Run(string(provider), func(t *testing.T) {
			file := string(provider) + "_calls"
			server, address := play(t, file+".jsonl")
			model := map[realtime.Provider]string{realtime.OpenAI: "gpt-realtime", realtime.Gemini: "models/gemini-live"}[provider]
			// files.read of late.go is done once a wait has begun; each wait lets one go.
			late := make(chan struct{}, 8)
			tools := wares(t, func() { late <- struct{}{} })
			tools[0] = patient(t, tools[0], late)
			s := dial(t, realtime.Config{Provider: provider, URL: address, Model: model, Tools: tools, Caller: caller()})
			must(t, s.SendText("Do it"))
			lines, end := listen(s, map[string]func(){
				"tool-result call=call_1 ": func() { cancel(t, s, "call_2") },
				"tool-result call=f1 ":     func() { cancel(t, s, "f2") },
				"tool-result call=f6 ":     func() { server.open("taken back") },
				"tool-result call=f5 ":     func() { server.open("f5 is over") },
				"tool-result call=f8 ":     func() { server.open("taken back too") },
				"tool-result call=f7 ":     func() { server.open("f7 is over") },
			})
			for i, line := range lines {
				if strings.Contains(line, "call=call_") && provider == realtime.Gemini {
					before, after, _ := strings.Cut(line, "call=call_")
					lines[i] = before + "call=(made)" + after[strings.Index(after, " "):]
				}
			}
			golden(t, file+".events", lines)
			var closed *realtime.CloseError
			if !errors.As(end, &closed) {
				t.Errorf("the end: got %v", end)
			}
		})
	}
}

// patient is a tool that, asked for late.go, waits for a token first.
func patient(t *testing.T, ware *tool.Tool, token <-chan struct{}) *tool.Tool {
	t.Helper()
	return tool.Must(tool.Config[file, any]{
		Name: ware.Name, Description: ware.Description, Presentation: ware.StaticPresentation(),
		Run: func(c tool.Context, in file) (any, error) {
			if in.Path == "late.go" {
				<-token
			}
			prepared, err := ware.Prepare(fmt.Sprintf(`{"path":%q}`, in.Path))
			if err != nil {
				return nil, err
			}
			r := prepared.Run(c)
			return tool.Output[any]{Content: r.Content, Details: r.Details, Presentation: r.Presentation}, r.Err
		},
	})
}

func cancel(t *testing.T, s *realtime.Session, id string) {
	t.Helper()
	if !s.CancelCall(id) {
		t.Errorf("call %s cannot be cancelled", id)
	}
	if s.CancelCall("nobody's") {
		t.Error("a call that is not there was cancelled")
	}
}

func TestTheUserSpeaksInBetween(t *testing.T) {
	server, address := play(t, "openai_bargein.jsonl")
	s := dial(t, realtime.Config{
		Provider: realtime.OpenAI, URL: address, Model: "gpt-realtime", Caller: caller(),
		Tools: wares(t, func() { server.open("waits") }),
	})
	must(t, s.SendText("Read and wait"))
	lines, end := listen(s, map[string]func(){
		"turn-end turn=resp_1 ":  func() { must(t, s.Interrupt(5*time.Millisecond)) },
		"transcript-delta":       func() { cancel(t, s, "call_3") },
		"turn-start turn=resp_4": func() { must(t, s.Interrupt(0)) },
	})
	golden(t, "openai_bargein.events", lines)
	if end == nil || end.Error() != "the server closed the session (code 1011): oops" {
		t.Errorf("the end: got %v", end)
	}
}
