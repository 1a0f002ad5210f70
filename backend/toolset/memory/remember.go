package memory

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"callboard/backend/tool"
)

type rememberArgs struct {
	Text string   `json:"text" jsonschema:"minLength=1,maxLength=8000" jsonschema_description:"What to remember, in words that will be understood without this conversation"`
	Tags []string `json:"tags,omitempty" jsonschema:"maxItems=16" jsonschema_description:"A few words to find it by"`
}

// Validate refuses what could never be found again.
func (a *rememberArgs) Validate() error {
	if strings.TrimSpace(a.Text) == "" {
		return errors.New("text is blank")
	}
	for _, tag := range a.Tags {
		switch {
		case strings.TrimSpace(tag) == "":
			return errors.New("tags: one is blank")
		case utf8.RuneCountInString(tag) > MaxTag:
			return fmt.Errorf("tags: one is longer than %d characters", MaxTag)
		}
	}
	return nil
}

type remembered struct {
	ID string `json:"id"`
}

var rememberCalls = tool.Presentation{Label: "Remember", Icon: "notebook-pen"}

func (s *set) remember() (*tool.Tool, error) {
	return tool.Define(tool.Config[rememberArgs, tool.Output[remembered]]{
		Name: "remember",
		Description: "Keeps a note that can be recalled in later conversations. Use it for what the user wants remembered and for lasting facts; " +
			"never for passwords or keys.",
		Category:     "memory",
		SideEffects:  []tool.SideEffect{tool.Database},
		Presentation: &rememberCalls,
		Present:      func(in rememberArgs) *tool.Presentation { return about(rememberCalls, line(in.Text), "") },
		Run: func(ctx tool.Context, in rememberArgs) (out tool.Output[remembered], err error) {
			n := Note{
				ID: "note_" + strings.ToLower(rand.Text()), Owner: ownerOf(ctx), Text: in.Text, Tags: in.Tags,
				CreatedAtMs: time.Now().UnixMilli(),
			}
			if err := s.store.AddNote(ctx, n); err != nil {
				return out, fmt.Errorf("remember: %w", err)
			}
			out.Content = remembered{n.ID}
			return out, nil
		},
	})
}

// line is the beginning of a text, on one line.
func line(text string) string {
	const most = 120
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
