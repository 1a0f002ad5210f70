package agent

import (
	"encoding/json"

	"callboard/backend/approval"
	"callboard/backend/protocol"
)

// ruleBy stands before the name of a rule that decided.
const ruleBy = "rule:"

// allowed asks the rules about a call. What a rule allows is decided, in the store and in the log, as by a person: the call runs
// once nothing of its turn waits, whatever becomes of the rule until then.
func (x *run) allowed(c *call) bool {
	if x.runner.Rules == nil || x.ctx.Err() != nil || c.tool.Sandbox != nil && x.runner.Sandbox == nil {
		return false
	}
	var name string
	var ok bool
	guarded(x.runner.logger(), "Rules", func() {
		name, ok = x.runner.Rules(x.ctx, RuleCall{
			RunID: x.id, ThreadID: x.threadID, AgentName: x.agent.Name, ToolCallID: c.id, ToolName: c.name, ArgumentsText: c.arguments,
			Sandbox: c.tool.Sandbox, ParentToolCallID: c.parentID,
		})
	})
	if !ok {
		return false
	}
	p := x.newQuestion(c)
	if c.tool.Sandbox != nil { // it says where the call runs: where that has changed by then, a person is asked
		p.Details = x.preview(c)
	}
	p.Decision = &approval.Decision{Approved: true, ArgumentsHash: p.ArgumentsHash, By: ruleBy + name}
	p.DecidedAtMs = p.SinceMs
	c.asked = p
	x.sink.write(func(b *Batch, _ *Run) { b.Approvals = append(b.Approvals, p) }, &protocol.CallState{
		ToolCallID: c.id, State: protocol.StateApproved, By: p.Decision.By, ApprovalID: p.ApprovalID, ArgumentsHash: p.ArgumentsHash,
	})
	return true
}

// question asks whether a call may run, with the preview its tool declares.
func (x *run) question(c *call) *approval.Pending {
	p := x.newQuestion(c)
	if c.prepared != nil {
		p.Details = x.preview(c)
	}
	if ttl := x.agent.ApprovalTTL; ttl > 0 {
		p.ExpiresAt = p.SinceMs + max(1, ttl.Milliseconds())
	}
	return p
}

func (x *run) newQuestion(c *call) *approval.Pending {
	p := newQuestion(x.runner, c, protocol.KindApproval)
	p.RunID, p.ThreadID, p.AgentName = x.id, x.threadID, x.agent.Name
	return p
}

func newQuestion(r *Runner, c *call, kind protocol.ApprovalKind) *approval.Pending {
	p := &approval.Pending{
		Approval: protocol.Approval{
			ToolCallID: c.id, ToolName: c.name, Arguments: parsed(c.arguments), ApprovalID: r.newID("apr"), Kind: kind,
			ArgumentsText: c.arguments, ArgumentsHash: approval.Hash(c.arguments), ParentToolCallID: c.parentID,
		},
		SinceMs: r.now().UnixMilli(),
	}
	if p.Arguments == nil {
		p.Arguments = json.RawMessage("null")
	}
	if c.tool != nil {
		p.Description, p.SideEffects = c.tool.Description, c.tool.SideEffects
	}
	if c.prepared != nil {
		p.Presentation = c.prepared.Presentation()
	}
	return p
}

func (x *run) preview(c *call) json.RawMessage {
	details, err := c.prepared.Preview(x.toolContext(x.ctx, c))
	if err != nil {
		details, _ = json.Marshal(map[string]string{"text": "No preview: " + err.Error()})
	}
	return details
}

// previewChanged asks again when what an approved call would do is no longer what was shown.
func (x *run) previewChanged(c *call, p *approval.Pending) *approval.Pending {
	if p.Kind != protocol.KindApproval || c.edited || p.Details == nil {
		return nil
	}
	if now := x.preview(c); string(now) == string(p.Details) {
		return nil
	}
	return x.question(c)
}
