package protocol

import (
	"callboard/backend/model"
	"callboard/backend/tool"
)

// Snapshot is the transcript as plain JSON, equal to the TypeScript one's for the same log. What is empty is left out.
func (t *Transcript) Snapshot() any {
	s := &transcriptJSON{
		RunID: t.RunID, ThreadID: t.ThreadID, AgentName: t.AgentName, MessageID: t.MessageID, Status: t.Status,
		Usage: usageOf(t.Usage), StartedAt: t.StartedMs, EndedAt: t.EndedMs, Last: t.Last, Gaps: t.Gaps,
	}
	if s.Status == "" {
		s.Status = StatusRunning
	}
	s.Items = itemsOf(t.Items)
	s.DroppedParts = itemsOf(t.DroppedParts)
	for _, c := range t.Calls() {
		s.Calls = append(s.Calls, callOf(c))
	}
	for _, c := range t.Dropped {
		s.Dropped = append(s.Dropped, callOf(c))
	}
	for _, r := range t.Turns {
		s.Turns = append(s.Turns, turnJSON{
			Turn: r.Turn, ParentToolCallID: r.ParentToolCallID, AgentName: r.AgentName, Model: r.Model, StartedAt: r.StartedMs, FirstAt: r.FirstMs, EndedAt: r.EndedMs,
			FirstTokenMs: r.FirstTokenMs, FinishReason: r.FinishReason, Usage: usageOf(r.Usage), Retries: r.Retries, Dropped: r.Dropped,
			Held: r.Held, Cut: r.Cut,
		})
	}
	for _, a := range t.Approvals {
		s.Approvals = append(s.Approvals, approvalOf(a))
	}
	if t.Error != nil && *t.Error != (Error{}) {
		s.Error = &errorJSON{Message: t.Error.Message, Code: t.Error.Code}
	}
	if t.Finish != nil {
		s.Finish = finishOf(t.Finish)
	}
	for _, e := range t.WireErrors {
		s.WireErrors = append(s.WireErrors, rawJSON{e.Seq, string(e.Raw)})
	}
	for _, f := range t.Unknown {
		if u, ok := f.Event.(*Unknown); ok {
			s.Unknown = append(s.Unknown, rawJSON{f.Seq, string(u.Raw)})
		}
	}
	for _, f := range t.Late {
		s.Late = append(s.Late, lateJSON{f.Seq, f.Event.Type()})
	}
	return s
}

type (
	transcriptJSON struct {
		RunID        string         `json:"runId,omitempty"`
		ThreadID     string         `json:"threadId,omitempty"`
		AgentName    string         `json:"agentName,omitempty"`
		MessageID    string         `json:"messageId,omitempty"`
		Status       Status         `json:"status"`
		Items        []itemJSON     `json:"items,omitempty"`
		Calls        []callJSON     `json:"calls,omitempty"`
		Dropped      []callJSON     `json:"dropped,omitempty"`
		DroppedParts []itemJSON     `json:"droppedParts,omitempty"`
		Turns        []turnJSON     `json:"turns,omitempty"`
		Approvals    []approvalJSON `json:"approvals,omitempty"`
		Usage        *model.Usage   `json:"usage,omitempty"`
		Error        *errorJSON     `json:"error,omitempty"`
		Finish       *finishJSON    `json:"finish,omitempty"`
		StartedAt    int64          `json:"startedAt"`
		EndedAt      int64          `json:"endedAt,omitempty"`
		Last         int64          `json:"last"`
		Gaps         []Gap          `json:"gaps,omitempty"`
		WireErrors   []rawJSON      `json:"wireErrors,omitempty"`
		Unknown      []rawJSON      `json:"unknown,omitempty"`
		Late         []lateJSON     `json:"late,omitempty"`
	}
	itemJSON struct {
		Kind ItemKind   `json:"kind"`
		Key  string     `json:"key"`
		ID   string     `json:"id,omitempty"`
		Role model.Role `json:"role,omitempty"`
		Turn *int       `json:"turn,omitempty"`
		Text string     `json:"text,omitempty"`
		Open bool       `json:"open,omitempty"`
	}
	callJSON struct {
		ID                string            `json:"id"`
		ToolName          string            `json:"toolName,omitempty"`
		ParentToolCallID  string            `json:"parentToolCallId,omitempty"`
		ProviderCallID    string            `json:"providerCallId,omitempty"`
		Children          []string          `json:"children,omitempty"`
		Turn              int               `json:"turn"`
		AgentName         string            `json:"agentName,omitempty"`
		State             State             `json:"state"`
		Presentation      *presentationJSON `json:"presentation,omitempty"`
		ProposedText      string            `json:"proposedText,omitempty"`
		ArgumentsText     string            `json:"argumentsText,omitempty"`
		ArgumentsReplaced bool              `json:"argumentsReplaced,omitempty"`
		Update            *updateJSON       `json:"update,omitempty"`
		UpdateCount       int               `json:"updateCount"`
		ApprovalID        string            `json:"approvalId,omitempty"`
		ArgumentsHash     string            `json:"argumentsHash,omitempty"`
		By                string            `json:"by,omitempty"`
		Reason            string            `json:"reason,omitempty"`
		ResultText        string            `json:"resultText,omitempty"`
		DetailsText       string            `json:"detailsText,omitempty"`
		ResultRef         *Ref              `json:"resultRef,omitempty"`
		DetailsRef        *Ref              `json:"detailsRef,omitempty"`
		Error             string            `json:"error,omitempty"`
		ErrorCode         string            `json:"errorCode,omitempty"`
		DurationMs        *int64            `json:"durationMs,omitempty"`
		DropReason        DropReason        `json:"dropReason,omitempty"`
		Orphan            bool              `json:"orphan,omitempty"`
		StartedAt         int64             `json:"startedAt"`
		WaitingAt         int64             `json:"waitingAt,omitempty"`
		DecidedAt         int64             `json:"decidedAt,omitempty"`
		RunningAt         int64             `json:"runningAt,omitempty"`
		EndedAt           int64             `json:"endedAt,omitempty"`
	}
	updateJSON struct {
		ContentText string `json:"contentText,omitempty"`
		DetailsText string `json:"detailsText,omitempty"`
		ContentRef  *Ref   `json:"contentRef,omitempty"`
		DetailsRef  *Ref   `json:"detailsRef,omitempty"`
	}
	turnJSON struct {
		Turn             int                `json:"turn"`
		ParentToolCallID string             `json:"parentToolCallId,omitempty"`
		AgentName        string             `json:"agentName,omitempty"`
		Model            string             `json:"model,omitempty"`
		StartedAt        int64              `json:"startedAt"`
		FirstAt          int64              `json:"firstAt,omitempty"`
		EndedAt          int64              `json:"endedAt,omitempty"`
		FirstTokenMs     *int64             `json:"firstTokenMs,omitempty"`
		FinishReason     model.FinishReason `json:"finishReason,omitempty"`
		Usage            *model.Usage       `json:"usage,omitempty"`
		Retries          []Retry            `json:"retries,omitempty"`
		Dropped          int                `json:"dropped"`
		Held             bool               `json:"held,omitempty"`
		Cut              *Cut               `json:"cut,omitempty"`
	}
	approvalJSON struct {
		ToolCallID       string            `json:"toolCallId"`
		ToolName         string            `json:"toolName,omitempty"`
		Description      string            `json:"description,omitempty"`
		SideEffects      []tool.SideEffect `json:"sideEffects,omitempty"`
		ApprovalID       string            `json:"approvalId"`
		Kind             ApprovalKind      `json:"kind"`
		ArgumentsText    string            `json:"argumentsText,omitempty"`
		ArgumentsHash    string            `json:"argumentsHash,omitempty"`
		Masked           bool              `json:"masked,omitempty"`
		Hidden           bool              `json:"hidden,omitempty"`
		Presentation     *presentationJSON `json:"presentation,omitempty"`
		DetailsText      string            `json:"detailsText,omitempty"`
		ExpiresAt        int64             `json:"expiresAt,omitempty"`
		ParentToolCallID string            `json:"parentToolCallId,omitempty"`
	}
	errorJSON struct {
		Message string `json:"message,omitempty"`
		Code    string `json:"code,omitempty"`
	}
	finishJSON struct {
		MessageID             string       `json:"messageId,omitempty"`
		Usage                 *model.Usage `json:"usage,omitempty"`
		ThreadID              string       `json:"threadId,omitempty"`
		Status                Status       `json:"status,omitempty"`
		PendingApprovals      int          `json:"pendingApprovals,omitempty"`
		StructuredText        string       `json:"structuredText,omitempty"`
		StructuredError       string       `json:"structuredError,omitempty"`
		Truncated             bool         `json:"truncated,omitempty"`
		Blocked               bool         `json:"blocked,omitempty"`
		IterationLimitReached bool         `json:"iterationLimitReached,omitempty"`
		Limit                 string       `json:"limit,omitempty"`
	}
	presentationJSON struct {
		Label   string    `json:"label,omitempty"`
		Icon    string    `json:"icon,omitempty"`
		Detail  string    `json:"detail,omitempty"`
		Summary string    `json:"summary,omitempty"`
		Tone    tool.Tone `json:"tone,omitempty"`
	}
	rawJSON struct {
		Seq int64  `json:"seq"`
		Raw string `json:"raw"`
	}
	lateJSON struct {
		Seq  int64 `json:"seq"`
		Type Type  `json:"type"`
	}
)

func itemsOf(items []*Item) []itemJSON {
	var list []itemJSON
	for _, i := range items {
		item := itemJSON{Kind: i.Kind, Key: i.Key, ID: i.ID, Role: i.Role, Text: i.Text(), Open: i.Open}
		if i.Kind == ItemText || i.Kind == ItemReasoning {
			item.Turn = &i.Turn
		}
		list = append(list, item)
	}
	return list
}

func callOf(c *Call) callJSON {
	j := callJSON{
		ID: c.ID, ToolName: c.ToolName, ParentToolCallID: c.ParentToolCallID, ProviderCallID: c.ProviderCallID, Children: c.Children,
		Turn: c.Turn, AgentName: c.AgentName, State: c.State, Presentation: presentationOf(c.Presentation),
		ProposedText: c.ProposedText(), ArgumentsText: c.ArgumentsText(), ArgumentsReplaced: c.Replaced != nil,
		UpdateCount: c.UpdateCount, ApprovalID: c.ApprovalID, ArgumentsHash: c.ArgumentsHash, By: c.By, Reason: c.Reason,
		ResultText: string(c.Result), DetailsText: string(c.Details), ResultRef: c.ResultRef, DetailsRef: c.DetailsRef, Error: c.Error, ErrorCode: c.ErrorCode, DurationMs: c.DurationMs,
		DropReason: c.DropReason, Orphan: c.Orphan,
		StartedAt: c.StartedMs, WaitingAt: c.WaitingMs, DecidedAt: c.DecidedMs, RunningAt: c.RunningMs, EndedAt: c.EndedMs,
	}
	if c.Update != nil {
		j.Update = &updateJSON{string(c.Update.Content), string(c.Update.Details), c.Update.ContentRef, c.Update.DetailsRef}
	}
	return j
}

func approvalOf(a *Approval) approvalJSON {
	return approvalJSON{
		ToolCallID: a.ToolCallID, ToolName: a.ToolName, Description: a.Description, SideEffects: a.SideEffects,
		ApprovalID: a.ApprovalID, Kind: a.Kind, ArgumentsText: a.ArgumentsText, ArgumentsHash: a.ArgumentsHash, Masked: a.Masked, Hidden: a.Hidden,
		Presentation: presentationOf(a.Presentation), DetailsText: string(a.Details), ExpiresAt: a.ExpiresAt,
		ParentToolCallID: a.ParentToolCallID,
	}
}

func finishOf(e *Finish) *finishJSON {
	j := finishJSON{
		MessageID: e.MessageID, Usage: usageOf(e.Usage), ThreadID: e.ThreadID, Status: e.Status, PendingApprovals: e.PendingApprovals,
		StructuredText: string(e.Structured), StructuredError: e.StructuredError, Truncated: e.Truncated, Blocked: e.Blocked,
		IterationLimitReached: e.IterationLimitReached, Limit: e.Limit,
	}
	if j == (finishJSON{}) {
		return nil
	}
	return &j
}

func presentationOf(p *tool.Presentation) *presentationJSON {
	if p == nil || *p == (tool.Presentation{}) {
		return nil
	}
	return &presentationJSON{Label: p.Label, Icon: p.Icon, Detail: p.Detail, Summary: p.Summary, Tone: p.Tone}
}

func usageOf(u *model.Usage) *model.Usage {
	if u == nil || *u == (model.Usage{}) {
		return nil
	}
	return u
}
