package storage

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"callboard/backend/protocol"
)

// SearchQuery says what to search for, in all threads. What is empty or 0 does not narrow it.
type SearchQuery struct {
	Terms     Terms
	Kind      Kind
	ToolName  string
	State     protocol.State // of the call a text belongs to
	AgentName string
	FromMs    int64 // the first moment
	ToMs      int64 // the last moment
	Before    int64 // SearchPage.Before of the page before
	Limit     int   // of hits; 0 is 30
	// Mask takes out of a text what is not shown, and so is not found; json says that it is JSON, or the beginning of some. May be nil.
	Mask func(text string, json bool) string
}

// Hit is a text in which all terms stand.
type Hit struct {
	ThreadID    string
	ThreadTitle string
	RunID       string // empty: it is a message that no run has
	Seq         int64  // the event to go to: the one with which the text was complete; 0 without a run
	Kind        Kind
	AgentName   string
	AtMs        int64
	ItemID      string         // of a message or a part: its id
	ToolCallID  string         // empty: of no call, as the next three
	ToolName    string         //
	Label       string         // empty: the call has no presentation
	State       protocol.State // as it is now
	Snippet     string         // the piece of the text to show
	Marks       []Mark         // where the terms stand in it
}

// SearchPage is what a search found, the newest first.
type SearchPage struct {
	Hits []Hit
	// Before is what the next page is asked with; 0: there is none. A page with few hits, or none, may have a next one: so much is
	// looked at for one page, and no more.
	Before int64
	// Behind is how many runs are not whole in the index yet: in some moments there may be more.
	Behind int
	// Fault is why the index does not get on, nil when it does. It tries again by itself.
	Fault error
}

const (
	searchPage = 30
	// lookAtOnce is how many entries are read in one go, lookAtMost in how many a page is looked for: with the terms' grams an entry
	// nearly always has the terms.
	lookAtOnce = 60
	lookAtMost = 300
)

// Search finds texts in all threads: the newest first, those of one moment by their number. It sees of each text the first SearchLimit
// bytes, and what was written in the last moments only once SearchPage.Behind is 0. A query without terms finds every text of
// the kind, tool, state or agent it names; one that names nothing finds nothing.
func (db *DB) Search(ctx context.Context, q SearchQuery) (*SearchPage, error) {
	page := &SearchPage{}
	page.Behind, page.Fault = db.writer.index.behind()
	expression := q.expression()
	if expression == "" {
		return page, nil
	}
	limit := q.Limit
	if limit <= 0 {
		limit = searchPage
	}
	before := int64(latest+1) * slots
	if q.Before > 0 {
		before = q.Before
	}
	err := db.read(ctx, func(inner context.Context, tx *sql.Tx) error {
		for range lookAtMost / lookAtOnce {
			if err := ctx.Err(); err != nil {
				return err
			}
			found, err := q.look(inner, tx, expression, before)
			if err != nil {
				return err
			}
			for i := range found {
				hit, ok, err := q.hit(inner, tx, &found[i])
				if err != nil {
					return err
				}
				before = found[i].n
				if ok {
					page.Hits = append(page.Hits, hit)
				}
				if len(page.Hits) == limit {
					page.Before = before
					return nil
				}
			}
			if len(found) < lookAtOnce {
				page.Before = 0
				return nil
			}
			page.Before = before
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return page, nil
}

// ToolLabel is the name of a tool, and what its calls are called where they are shown: empty where they have no presentation.
type ToolLabel struct{ Name, Label string }

// SearchNames returns the tools and the names of the agents that a search can be narrowed to, in their order.
func (db *DB) SearchNames(ctx context.Context) (tools []ToolLabel, agents []string, err error) {
	err = db.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			var kind, name, label string
			if err := rows.Scan(&kind, &name, &label); err != nil {
				return err
			}
			if kind == toolGram {
				tools = append(tools, ToolLabel{name, label})
			} else {
				agents = append(agents, name)
			}
			return nil
		}, `select kind, name, label from search_names where name != '' order by kind, name`)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read what a search can be narrowed to: %w", err)
	}
	return tools, agents, nil
}

// expression is the query in the language of FTS5: grams between quotation marks, all of which an entry has.
func (q *SearchQuery) expression() string {
	all := q.Terms.grams()
	for _, name := range []struct{ of, name string }{
		{kindGram, string(q.Kind)}, {toolGram, q.ToolName}, {stateGram, string(q.State)}, {agentGram, q.AgentName},
	} {
		if name.name != "" {
			all = append(all, nameGram(name.of, name.name))
		}
	}
	for i, gram := range all {
		all[i] = `"` + strings.ReplaceAll(gram, `"`, `""`) + `"`
	}
	return strings.Join(all, " AND ")
}

// looked is an entry that has all grams.
type looked struct {
	n     int64
	hit   Hit
	text  sql.NullString // where no event has it
	json  []byte         // of the event; nil of a message that no run has
	parts sql.NullString
}

func (q *SearchQuery) look(ctx context.Context, tx *sql.Tx, expression string, before int64) (found []looked, err error) {
	if q.ToMs > 0 {
		before = min(before, firstOf(q.ToMs+1))
	}
	err = each(ctx, tx, func(rows *sql.Rows) error {
		var l looked
		h := &l.hit
		err := rows.Scan(&l.n, &h.ThreadID, &h.ThreadTitle, &h.RunID, &h.Seq, &h.Kind, &h.AgentName, &h.AtMs, &h.ItemID, &h.ToolCallID,
			&h.ToolName, &h.Label, &h.State, &l.text, &l.json, &l.parts)
		found = append(found, l)
		return err
	}, `select e.n, t.id, case t.name when '' then t.title else t.name end, coalesce(r.id, ''), e.seq, e.kind, e.agent_name, e.at_ms,
		coalesce(e.message, ''), e.tool_call_id, coalesce(c.tool_name, ''), coalesce(c.label, ''), coalesce(c.state, ''),
		coalesce(e.text, m.content), v.json, v.parts
		from search_grams cross join search_entries e on e.n = search_grams.rowid left join runs r on r.n = e.run
		cross join threads t on t.n = coalesce(e.thread, r.thread)
		left join messages m on m.thread = e.thread and m.id = e.message
		left join search_calls c on c.run = e.run and c.tool_call_id = e.tool_call_id
		left join events v on v.run = e.run and v.seq = e.seq
		where search_grams match ? and search_grams.rowid < ? and search_grams.rowid >= ? order by search_grams.rowid desc limit ?`,
		expression, before, firstOf(q.FromMs), lookAtOnce)
	return found, err
}

// hit completes a hit; ok is false where the terms do not stand in what is shown.
func (q *SearchQuery) hit(ctx context.Context, tx *sql.Tx, l *looked) (hit Hit, ok bool, err error) {
	text, details, row, err := l.read(ctx, tx)
	if err != nil {
		return l.hit, false, fmt.Errorf("run %s, event %d: %w", l.hit.RunID, l.hit.Seq, err)
	}
	if q.Mask != nil {
		text = q.Mask(text, l.hit.Kind.isJSON())
		if details != "" {
			details = q.Mask(details, true)
		}
		row = q.Mask(row, false)
	}
	l.hit.Snippet, l.hit.Marks, ok = q.Terms.snippet(shown(l.hit.Kind, text, details, row))
	return l.hit, ok, nil
}

// read returns the text, the details and the row's text, and takes what else the event tells of the hit.
func (l *looked) read(ctx context.Context, tx *sql.Tx) (text, details, row string, err error) {
	if l.hit.RunID == "" {
		return searchable(l.text.String), "", "", nil
	}
	whole := l.json
	if l.parts.Valid {
		blobs := blobReader{ctx: ctx, tx: tx}
		if whole, err = blobs.refer(whole, l.parts.String); err != nil {
			return "", "", "", err
		}
	}
	f, err := protocol.DecodeFrame(l.hit.Seq, whole)
	if err != nil {
		return "", "", "", err
	}
	switch e := f.Event.(type) {
	case *protocol.Message:
		l.hit.ItemID = e.MessageID
	case *protocol.TextEnd:
		l.hit.ItemID = e.ID
	case *protocol.ReasoningEnd:
		l.hit.ItemID = e.ID
	default: // a call has its own id, and what ended a run none
	}
	if l.text.Valid {
		return l.text.String, "", "", nil
	}
	return eventTexts(f, l.hit.Kind, blobText(ctx, tx))
}
