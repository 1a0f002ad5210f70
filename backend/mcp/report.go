package mcp

import (
	"context"
	"encoding/json"
	"math"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"callboard/backend/tool"
)

// reporter sends a call's updates as progress notifications. A call's updates come one at a time.
type reporter struct {
	ctx     context.Context
	session *sdk.ServerSession
	token   any
	last    float64
}

// report sends one. The protocol wants progress to grow with every note, so one that does not say how far it is counts for a
// very little.
func (r *reporter) report(u tool.Update) {
	p := progressOf(u.Details)
	note := &sdk.ProgressNotificationParams{ProgressToken: r.token, Progress: p.Done, Total: p.Total, Message: messageOf(u)}
	if p.Done <= r.last {
		note.Progress = math.Nextafter(r.last, math.Inf(1))
		if r.last == 0 {
			note.Progress = 1e-9
		}
	}
	r.last = note.Progress
	_ = r.session.NotifyProgress(r.ctx, note) // a client that left hears nothing; its call is cancelled
}

// progressOf finds a progress block in details, of any Go type.
func progressOf(details any) tool.Progress {
	text, err := json.Marshal(details)
	var d struct {
		Progress tool.Progress `json:"progress"`
	}
	if err != nil || json.Unmarshal(text, &d) != nil {
		return tool.Progress{}
	}
	return d.Progress
}

// messageOf is what a person reads of an update.
func messageOf(u tool.Update) string {
	switch content := u.Content.(type) {
	case nil:
		if u.Presentation != nil {
			return u.Presentation.Detail
		}
		return ""
	case string:
		return content
	default:
		text, err := json.Marshal(content)
		if err != nil {
			return ""
		}
		return string(text)
	}
}
