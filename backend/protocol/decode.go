package protocol

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"sync"

	"callboard/backend/model"
	"callboard/backend/tool"
)

// WireError is something on the wire that is not an event.
type WireError struct {
	Seq int64
	Raw []byte
	Err error
}

func (e *WireError) Error() string { return fmt.Sprintf("decode event %d: %v", e.Seq, e.Err) }

// Unwrap returns the error beneath.
func (e *WireError) Unwrap() error { return e.Err }

// DecodeFrame reads the JSON of an event. A field of the wrong kind, or a needed one that is missing, makes it a *WireError; null
// counts as absent, and fields that are not known are let through. An unknown type gives an *Unknown.
func DecodeFrame(seq int64, data []byte) (Frame, error) {
	f := decoders.Get().(*fields)
	defer f.release()
	frame, err := f.frame(seq, data)
	if err != nil {
		return Frame{}, &WireError{Seq: seq, Raw: bytes.Clone(data), Err: err}
	}
	return frame, nil
}

// decoders keeps the room for an event's members.
var decoders = sync.Pool{New: func() any { return &fields{list: make([]member, 0, 24)} }}

func (f *fields) release() {
	clear(f.list)
	f.list, f.err = f.list[:0], nil
	decoders.Put(f)
}

func (f *fields) frame(seq int64, data []byte) (Frame, error) {
	list, err := scanMembers(f.list, data)
	if err != nil {
		return Frame{}, err
	}
	f.list = list
	frame := Frame{Seq: seq, AtMs: f.integerOr0("at")}
	kind := f.find("type")
	switch {
	case kind == nil:
		return Frame{}, errors.New("it has no type")
	case kind[0] != '"':
		return Frame{}, errors.New("its type is not a string")
	}
	if frame.Event = decodeEvent(kind[1:len(kind)-1], f); frame.Event == nil {
		if frame.Event, err = f.unknown(data); err != nil {
			return Frame{}, err
		}
	}
	return frame, f.err
}

// unknown also takes the types whose name is written with escapes.
func (f *fields) unknown(data []byte) (Event, error) {
	kind := f.text("type")
	if kind == "" {
		return nil, errors.New("it has no type")
	}
	if event := decodeEvent([]byte(kind), f); event != nil {
		return event, nil
	}
	return &Unknown{Kind: Type(kind), Raw: bytes.Clone(data)}, nil
}

var (
	told = []State{ // the others are derived
		StateWaiting, StateApproved, StateDenied, StateExpired, StateRunning, StateCancelled, StateUnknown,
	}
	phases   = []TurnPhase{TurnStart, TurnRetry, TurnEnd}
	roles    = []model.Role{model.RoleSystem, model.RoleUser, model.RoleAssistant, model.RoleTool}
	statuses = []Status{StatusRunning, StatusPaused, StatusCompleted, StatusFailed, StatusCancelled}
)

// decodeEvent returns nil for a type that is not known.
func decodeEvent(kind []byte, f *fields) Event {
	switch Type(kind) {
	case TypeTextDelta:
		return &TextDelta{ID: f.id("id"), Delta: f.text("delta")}
	case TypeReasoningDelta:
		return &ReasoningDelta{ID: f.id("id"), Delta: f.text("delta")}
	case TypeToolCallDelta:
		return &ToolCallDelta{ID: f.id("id"), ArgsTextDelta: f.text("argsTextDelta")}
	case TypeTextStart:
		return &TextStart{ID: f.id("id")}
	case TypeReasoningStart:
		return &ReasoningStart{ID: f.id("id")}
	case TypeTextEnd:
		return &TextEnd{ID: f.id("id"), Dropped: f.flag("dropped")}
	case TypeReasoningEnd:
		return &ReasoningEnd{ID: f.id("id"), Dropped: f.flag("dropped")}
	case TypeToolCallEnd:
		return &ToolCallEnd{ID: f.id("id"), Dropped: f.flag("dropped")}
	case TypeToolCallStart:
		return &ToolCallStart{
			ID:               f.id("id"),
			ToolName:         f.text("toolName"),
			Presentation:     decodePresentation(f),
			ParentToolCallID: f.optionalText("parentToolCallId"),
			ProviderCallID:   f.optionalText("providerCallId"),
		}
	case TypeToolUpdate:
		return decodeToolUpdate(f)
	case TypeCallState:
		return &CallState{
			ToolCallID:    f.id("toolCallId"),
			State:         oneOf(f, "state", told),
			By:            f.optionalText("by"),
			Reason:        f.optionalText("reason"),
			ApprovalID:    f.optionalText("approvalId"),
			ArgumentsHash: f.optionalText("argumentsHash"),
		}
	case TypeToolResult:
		return decodeToolResult(f)
	case TypeApprovalRequired:
		return decodeApprovalRequired(f)
	case TypeTurn:
		return decodeTurn(f)
	case TypeStart:
		return &Start{
			MessageID: f.optionalText("messageId"),
			ThreadID:  f.optionalText("threadId"),
			RunID:     f.optionalText("runId"),
			AgentName: f.optionalText("agentName"),
		}
	case TypeMessage:
		return &Message{MessageID: f.optionalText("messageId"), Role: oneOf(f, "role", roles), Content: f.text("content")}
	case TypeError:
		return &Error{Message: f.text("message"), Code: f.optionalText("code")}
	case TypeFinish:
		return decodeFinish(f)
	default:
		return nil
	}
}

func decodeToolUpdate(f *fields) *ToolUpdate {
	u := &ToolUpdate{
		ToolCallID:   f.id("toolCallId"),
		Content:      f.rawOrNull("content"),
		Details:      f.raw("details"),
		Presentation: decodePresentation(f),
		Arguments:    f.raw("arguments"),
		ContentRef:   decodeRef(f, "contentRef"),
		DetailsRef:   decodeRef(f, "detailsRef"),
	}
	if text := cmp.Or(f.optionalText("argumentsText"), string(u.Arguments)); text != "" {
		u.ArgumentsText = &text
	}
	return u
}

func decodeToolResult(f *fields) *ToolResult {
	r := &ToolResult{
		ID:           f.optionalText("id"),
		ToolCallID:   f.id("toolCallId"),
		Result:       f.rawOrNull("result"),
		Details:      f.raw("details"),
		Presentation: decodePresentation(f),
		Error:        f.optionalText("error"),
		ErrorCode:    f.optionalText("errorCode"),
		DurationMs:   f.integer("durationMs"),
		Dropped:      f.flag("dropped"),
		ResultRef:    decodeRef(f, "resultRef"),
		DetailsRef:   decodeRef(f, "detailsRef"),
	}
	if reason := DropReason(f.optionalText("reason")); reason == Incomplete || reason == Discarded {
		r.Reason = reason
	}
	return r
}

func decodeApprovalRequired(f *fields) *ApprovalRequired {
	e := &ApprovalRequired{ThreadID: f.optionalText("threadId")}
	if f.find("approvals") == nil {
		f.fail("approvals is not a list")
	}
	for _, text := range f.elements("approvals") {
		list, err := scanMembers(nil, text)
		if err != nil {
			f.fail("an approval is not an object")
			return e
		}
		inner := &fields{list: list}
		e.Approvals = append(e.Approvals, decodeApproval(inner))
		f.check(inner)
	}
	return e
}

func decodeApproval(f *fields) Approval {
	a := Approval{
		ToolCallID:       f.id("toolCallId"),
		ToolName:         f.optionalText("toolName"),
		Arguments:        f.raw("arguments"),
		Description:      f.optionalText("description"),
		Kind:             KindApproval,
		ArgumentsHash:    f.optionalText("argumentsHash"),
		Masked:           f.flag("masked"),
		Hidden:           f.flag("hidden"),
		Presentation:     decodePresentation(f),
		Details:          f.raw("details"),
		ExpiresAt:        f.integerOr0("expiresAt"),
		ParentToolCallID: f.optionalText("parentToolCallId"),
	}
	a.ApprovalID = cmp.Or(f.optionalText("approvalId"), a.ToolCallID)
	a.ArgumentsText = cmp.Or(f.optionalText("argumentsText"), string(a.Arguments))
	if f.optionalText("kind") == string(KindUnknown) {
		a.Kind = KindUnknown
	}
	for _, text := range f.elements("sideEffects") {
		if text[0] != '"' {
			f.fail("a side effect is not a string")
			break
		}
		a.SideEffects = append(a.SideEffects, tool.SideEffect(unquote(text)))
	}
	return a
}

func decodeTurn(f *fields) *Turn {
	return &Turn{
		Turn:         int(f.integerOr0("turn")),
		Phase:        oneOf(f, "phase", phases),
		AgentName:    f.optionalText("agentName"),
		Model:        f.optionalText("model"),
		FinishReason: model.FinishReason(f.optionalText("finishReason")),
		Usage:        decodeUsage(f),
		FirstTokenMs: f.integer("firstTokenMs"),
		Reason:       f.optionalText("reason"),
		Code:         f.optionalText("code"),

		ParentToolCallID: f.optionalText("parentToolCallId"),

		Held: f.flag("held"),
		Cut:  decodeCut(f),
	}
}

func decodeCut(parent *fields) *Cut {
	f := parent.object("cut")
	if f == nil {
		return nil
	}
	c := &Cut{
		Messages:        int(f.integerOr0("messages")),
		BeforeMessageID: f.optionalText("beforeMessageId"),
		Limit:           int(f.integerOr0("limit")),
		Refused:         f.flag("refused"),
	}
	parent.check(f)
	return c
}

func decodeFinish(f *fields) *Finish {
	e := &Finish{
		MessageID:             f.optionalText("messageId"),
		Usage:                 decodeUsage(f),
		ThreadID:              f.optionalText("threadId"),
		PendingApprovals:      int(f.integerOr0("pendingApprovals")),
		Structured:            f.raw("structured"),
		StructuredError:       f.optionalText("structuredError"),
		Truncated:             f.flag("truncated"),
		Blocked:               f.flag("blocked"),
		IterationLimitReached: f.flag("iterationLimitReached"),
		Limit:                 f.optionalText("limit"),
	}
	if f.optionalText("status") != "" {
		e.Status = oneOf(f, "status", statuses)
	}
	return e
}

func decodePresentation(parent *fields) *tool.Presentation {
	f := parent.object("presentation")
	if f == nil {
		return nil
	}
	p := &tool.Presentation{
		Label:   f.optionalText("label"),
		Icon:    f.optionalText("icon"),
		Detail:  f.optionalText("detail"),
		Summary: f.optionalText("summary"),
	}
	if tone := tool.Tone(f.optionalText("tone")); tone == tool.ToneWarning {
		p.Tone = tone
	}
	parent.check(f)
	return p
}

func decodeUsage(parent *fields) *model.Usage {
	f := parent.object("usage")
	if f == nil {
		return nil
	}
	u := &model.Usage{
		InputTokens:       f.integer("inputTokens"),
		OutputTokens:      f.integer("outputTokens"),
		TotalTokens:       f.integer("totalTokens"),
		ReasoningTokens:   f.integer("reasoningTokens"),
		CachedInputTokens: f.integer("cachedInputTokens"),
	}
	parent.check(f)
	return u
}
