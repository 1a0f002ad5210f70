package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/protocol"
)

// Rules returns the rules, oldest first.
func (db *DB) Rules(ctx context.Context) ([]*approval.Rule, error) {
	rules := []*approval.Rule{}
	err := db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			r := &approval.Rule{}
			var conditions []byte
			if err := rows.Scan(&r.ID, &r.Name, &r.ToolName, &r.AgentName, &conditions, &r.CreatedAtMs, &r.ExpiresAtMs, &r.Enabled, &r.Uses,
				&r.LastUsedMs); err != nil {
				return err
			}
			if err := parse(conditions, &r.Conditions); err != nil {
				return fmt.Errorf("rule %s: %w", r.ID, err)
			}
			rules = append(rules, r)
			return nil
		}, `select id, name, tool_name, agent_name, conditions, created_at_ms, expires_at_ms, enabled, uses, last_used_at_ms
			from rules order by n`)
	})
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	return rules, nil
}

// PutRule keeps a rule. Of one that is there already only the name, the expiry and the switch change.
func (db *DB) PutRule(_ context.Context, r *approval.Rule) error {
	conditions := r.Conditions
	if conditions == nil {
		conditions = []approval.Condition{}
	}
	text, err := optionalJSON(&conditions)
	if err != nil {
		return fmt.Errorf("keep rule %s: %w", r.ID, err)
	}
	enabled := int64(0)
	if r.Enabled {
		enabled = 1
	}
	return db.change("keep rule "+r.ID, func(w *writer) error {
		_, err := w.putRule.exec(r.ID, r.Name, r.ToolName, r.AgentName, text, r.CreatedAtMs, r.ExpiresAtMs, enabled, r.Uses, r.LastUsedMs)
		return err
	})
}

// UseRule counts a use of a rule. ErrNotFound when no such rule is active at that moment: then it allows nothing.
func (db *DB) UseRule(_ context.Context, id string, atMs int64) error {
	return db.change("count a use of rule "+id, func(w *writer) error { return w.one(w.useRule, atMs, id) })
}

// DeleteRule removes a rule, or returns ErrNotFound.
func (db *DB) DeleteRule(_ context.Context, id string) error {
	return db.change("delete rule "+id, func(w *writer) error { return w.one(w.deleteRule, id) })
}

// PastCall is a call as a model wrote it, and what became of it.
type PastCall struct {
	RunID         string
	ThreadID      string
	AgentName     string
	ToolCallID    string
	ArgumentsText string
	State         protocol.State
	AtMs          int64 // when it was asked about, started, or ended without either
}

// PastCalls visits the calls of a tool, those that wait too, in no order.
func (db *DB) PastCalls(ctx context.Context, toolName string, visit func(PastCall)) error {
	err := db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			var c PastCall
			if err := rows.Scan(&c.RunID, &c.ThreadID, &c.AgentName, &c.ToolCallID, &c.ArgumentsText, &c.State, &c.AtMs); err != nil {
				return err
			}
			visit(c)
			return nil
		}, `select r.id, t.id, r.agent_name, c.tool_call_id, c.proposed, c.state,
			case c.started_at_ms when 0 then c.ended_at_ms else c.started_at_ms end
			from calls c join runs r on r.n = c.run join threads t on t.n = r.thread where c.tool_name = ?1
			union all
			select r.id, t.id, a.agent_name, a.tool_call_id, a.arguments_text,
			case when a.decision is null then ?2 when json_extract(a.decision, '$.approved') then ?3 else ?4 end, a.since_ms
			from approvals a join runs r on r.n = a.run join threads t on t.n = r.thread where a.tool_name = ?1
			and not exists (select 1 from calls c where c.run = a.run and c.tool_call_id = a.tool_call_id)
			and not exists (select 1 from approvals b where b.run = a.run and b.tool_call_id = a.tool_call_id and b.n > a.n)`,
			toolName, string(protocol.StateWaiting), string(protocol.StateApproved), string(protocol.StateDenied))
	})
	if err != nil {
		return fmt.Errorf("read the calls of %s: %w", toolName, err)
	}
	return nil
}

// one runs a statement that changes one row, or refuses with ErrNotFound.
func (w *writer) one(s *statement, values ...driver.Value) error {
	result, err := s.exec(values...)
	if err != nil {
		return err
	}
	if changed, err := result.RowsAffected(); err != nil || changed > 0 {
		return err
	}
	return refusal{agent.ErrNotFound}
}
