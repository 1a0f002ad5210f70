package scheduler

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"callboard/backend/tool"
)

// Limits of schedules.
const (
	MaxMessage   = 8000 // Unicode characters
	MaxSchedules = 100  // of one owner
)

// Tools makes schedule, list_schedules and cancel_schedule. They work before Start and after Close, too.
func (s *Scheduler) Tools() ([]*tool.Tool, error) {
	if s.Store == nil {
		return nil, errors.New("make the scheduler's tools: it has no Store")
	}
	tools := make([]*tool.Tool, 0, 3)
	for _, define := range []func() (*tool.Tool, error){s.scheduleTool, s.listTool, s.cancelTool} {
		t, err := define()
		if err != nil {
			return nil, fmt.Errorf("make the scheduler's tools: %w", err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func ownerOf(ctx tool.Context) Owner { return Owner{UserID: ctx.UserID, AgentName: ctx.AgentName} }

// own are an owner's schedules, as they stand.
func (s *Scheduler) own(ctx tool.Context) ([]State, error) {
	all, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	own := []State{}
	for _, one := range all {
		if one.Owner == ownerOf(ctx) {
			own = append(own, one)
		}
	}
	return own, nil
}

// about presents one call among those of its tool.
func about(calls tool.Presentation, detail, summary string) *tool.Presentation {
	calls.Detail, calls.Summary = detail, summary
	return &calls
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

func stamp(ms int64, loc *time.Location) string {
	return time.UnixMilli(ms).In(loc).Format(time.RFC3339)
}
