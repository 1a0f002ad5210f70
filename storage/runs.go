package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/model"
)

// Runs returns the runs that match, oldest first.
func (db *DB) Runs(ctx context.Context, q agent.RunQuery) ([]*agent.RunState, error) {
	var states []*agent.RunState
	err := db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		ns, err := readRuns(ctx, tx, q, &states)
		if err != nil || q.Bare {
			return err
		}
		for i, state := range states {
			if err := errors.Join(
				readCalls(ctx, tx, ns[i], state), readApprovals(ctx, tx, ns[i], state), readChildren(ctx, tx, ns[i], state),
			); err != nil {
				return fmt.Errorf("run %s: %w", state.ID, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	return states, nil
}

// readRuns appends the rows that match to states and returns the n of each.
func readRuns(ctx context.Context, tx *sql.Tx, q agent.RunQuery, states *[]*agent.RunState) (ns []int64, err error) {
	where, args := conditions(q)
	return ns, each(ctx, tx, func(rows *sql.Rows) error {
		s := &agent.RunState{}
		var n int64
		var usage, context []byte
		err := rows.Scan(&n, &s.ID, &s.ThreadID, &s.AgentName, &s.Input, &s.Status, &s.MessageID, &s.Turn, &s.Last, &s.CallCount,
			&usage, &s.Error, &s.ErrorCode, &context, &s.CreatedAtMs, &s.UpdatedAtMs)
		if err != nil {
			return err
		}
		s.Context = raw(context)
		ns = append(ns, n)
		*states = append(*states, s)
		return parse(usage, &s.Usage)
	}, `select r.n, r.id, t.id, r.agent_name, i.input, r.status, r.message_id, r.turn,
		(select coalesce(max(seq), 0) from events where run = r.n), r.call_count, r.usage, r.error, r.error_code, i.context,
		r.created_at_ms, r.updated_at_ms
		from runs r join threads t on t.n = r.thread join run_inputs i on i.run = r.n`+where+` order by r.n`, args...)
}

func conditions(q agent.RunQuery) (where string, args []any) {
	var all []string
	add := func(condition string, values ...any) {
		all = append(all, condition)
		args = append(args, values...)
	}
	if q.ID != "" {
		add(`r.id = ?`, q.ID)
	}
	if q.ThreadID != "" {
		add(`t.id = ?`, q.ThreadID)
	}
	if q.ApprovalID != "" {
		add(`r.n = (select run from approvals where id = ?)`, q.ApprovalID)
	}
	if len(q.Statuses) > 0 {
		values := make([]any, len(q.Statuses))
		for i, status := range q.Statuses {
			values[i] = string(status)
		}
		add(`r.status in (?`+strings.Repeat(`, ?`, len(values)-1)+`)`, values...)
	}
	if len(all) == 0 {
		return "", nil
	}
	return ` where ` + strings.Join(all, ` and `), args
}

func readCalls(ctx context.Context, tx *sql.Tx, run int64, state *agent.RunState) error {
	return eachCall(ctx, tx, run, state.ID, func(c *agent.Call) error {
		state.Calls = append(state.Calls, *c)
		return nil
	})
}

// eachCall reads the calls of a run one after the other: all of them together may be large.
func eachCall(ctx context.Context, tx *sql.Tx, run int64, runID string, do func(c *agent.Call) error) error {
	images, err := readImages(ctx, tx, imagesOfCalls, run)
	if err != nil {
		return err
	}
	return each(ctx, tx, func(rows *sql.Rows) error {
		c := agent.Call{RunID: runID}
		blobs := blobReader{ctx: ctx, tx: tx}
		var executed, message, content, parts sql.NullString
		var at sql.NullInt64
		var metadata []byte
		err := rows.Scan(&c.ToolCallID, &c.ParentToolCallID, &c.ToolName, &c.Turn, &c.State, &c.Proposed, &executed, &c.StartedMs, &c.EndedMs,
			&message, &content, &at, &metadata, &parts)
		if err != nil {
			return err
		}
		c.Executed = c.Proposed
		if executed.Valid {
			c.Executed = executed.String
		}
		if message.Valid {
			c.Message = &model.Message{
				ID: message.String, Role: model.RoleTool, Content: content.String, ToolCallID: c.ToolCallID, ToolName: c.ToolName,
				RunID: runID, AtMs: at.Int64, Images: images[message.String],
			}
			if c.Message.Metadata, err = blobs.whole(metadata, parts); err != nil {
				return fmt.Errorf("call %s: %w", c.ToolCallID, err)
			}
		}
		return do(&c)
	}, `select tool_call_id, parent_tool_call_id, tool_name, turn, state, proposed, executed, started_at_ms, ended_at_ms, message, content, at_ms,
		metadata, metadata_parts from calls where run = ? order by i`, run)
}

func readApprovals(ctx context.Context, tx *sql.Tx, run int64, state *agent.RunState) error {
	return each(ctx, tx, func(rows *sql.Rows) error {
		p := &approval.Pending{RunID: state.ID, ThreadID: state.ThreadID}
		var arguments, effects, presentation, details, decision, result []byte
		var decided sql.NullString
		err := rows.Scan(&p.ApprovalID, &p.AgentName, &p.ToolCallID, &p.ParentToolCallID, &p.ToolName, &p.Kind, &p.Description,
			&arguments, &p.ArgumentsText, &p.ArgumentsHash, &effects, &presentation, &details, &p.SinceMs, &p.ExpiresAt, &decision,
			&decided, &result, &p.DecidedAtMs)
		if err != nil {
			return err
		}
		p.Arguments, p.Details = raw(arguments), raw(details)
		if err := errors.Join(parse(effects, &p.SideEffects), parse(presentation, &p.Presentation), parse(decision, &p.Decision)); err != nil {
			return fmt.Errorf("approval %s: %w", p.ApprovalID, err)
		}
		if p.Decision != nil {
			p.Decision.Result = raw(result)
			if decided.Valid {
				p.Decision.ArgumentsText = &decided.String
			}
		}
		state.Approvals = append(state.Approvals, p)
		return nil
	}, `select id, agent_name, tool_call_id, parent_tool_call_id, tool_name, kind, description, arguments, arguments_text,
		arguments_hash, side_effects, presentation, details, since_ms, expires_at_ms, decision, decided_arguments, decided_result,
		decided_at_ms from approvals where run = ? order by n`, run)
}

// readChildren reads what agents inside calls of a run said.
func readChildren(ctx context.Context, tx *sql.Tx, run int64, state *agent.RunState) error {
	var thread int64
	byID := map[string]*model.Message{}
	blobs := blobReader{ctx: ctx, tx: tx}
	err := each(ctx, tx, func(rows *sql.Rows) error {
		c := agent.ChildMessage{Message: &model.Message{}}
		m := c.Message
		var metadata []byte
		var parts sql.NullString
		err := rows.Scan(&thread, &c.ParentToolCallID, &m.ID, &m.Role, &m.Content, &m.Reasoning, &m.RunID, &m.AtMs, &metadata, &parts)
		if err != nil {
			return err
		}
		state.Children = append(state.Children, c)
		byID[m.ID] = m
		m.Metadata, err = blobs.whole(metadata, parts)
		return err
	}, `select m.thread, c.parent_tool_call_id, m.id, m.role, m.content, m.reasoning, m.run_id, m.at_ms, m.metadata, m.metadata_parts
		from child_messages c join runs r on r.n = c.run join messages m on m.thread = r.thread and m.id = c.message
		where c.run = ? order by c.i`, run)
	if err != nil || len(byID) == 0 {
		return err
	}
	return readMessageCalls(ctx, tx, thread, byID)
}

// RunRequests returns what a run sent to its models and what came back, in the order it was asked.
func (db *DB) RunRequests(ctx context.Context, runID string) ([]agent.Request, error) {
	var requests []agent.Request
	err := db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		run, err := find(ctx, tx, "runs", runID)
		if err != nil {
			return err
		}
		requests, err = readRequests(ctx, tx, run, runID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the requests of run %s: %w", runID, err)
	}
	return requests, nil
}

func readRequests(ctx context.Context, tx *sql.Tx, run int64, runID string) ([]agent.Request, error) {
	var requests []agent.Request
	type key struct{ turn, try int }
	at := map[key]int{}
	err := each(ctx, tx, func(rows *sql.Rows) error {
		r := agent.Request{RunID: runID}
		var keep sql.NullInt64
		var tail []byte
		if err := rows.Scan(&r.ThreadID, &r.AgentName, &r.Turn, &r.Try, &r.AtMs, &r.ParentToolCallID, &keep, &tail); err != nil {
			return err
		}
		if keep.Valid {
			r.Sent = &model.Sent{Keep: int(keep.Int64), Tail: tail}
		}
		at[key{r.Turn, r.Try}] = len(requests)
		requests = append(requests, r)
		return nil
	}, `select t.id, q.agent_name, q.turn, q.try, q.at_ms, q.parent_tool_call_id, q.keep, q.tail from requests q
		join runs r on r.n = q.run join threads t on t.n = r.thread where q.run = ? order by q.turn, q.try`, run)
	if err != nil {
		return nil, err
	}
	return requests, each(ctx, tx, func(rows *sql.Rows) error {
		var k key
		var pieces []byte
		if err := rows.Scan(&k.turn, &k.try, &pieces); err != nil {
			return err
		}
		r := &requests[at[k]]
		var err error
		r.Received, err = readPieces(r.Received, pieces)
		return err
	}, `select turn, try, pieces from received where run = ? order by turn, try, i`, run)
}
