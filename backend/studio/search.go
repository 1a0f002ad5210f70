package studio

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"callboard/backend/protocol"
	"callboard/storage"
)

// maxQuery is how long a search may be, in bytes.
const maxQuery = 1000

// searchView is a page of what a search found, the newest first.
type searchView struct {
	Hits []hitView `json:"hits"`
	// Before is what the next page is asked with. It is absent on the last page; a page without hits may have a next one.
	Before int64 `json:"before,omitempty"`
	// Behind is how many runs are not whole in the index yet: ask again in a moment.
	Behind int    `json:"behind,omitempty"`
	Fault  string `json:"fault,omitempty"` // why it does not get on
	// Tools and Agents are what the search can be narrowed to, Labels what calls of the tools are called where they are shown.
	Tools  []string          `json:"tools"`
	Labels map[string]string `json:"labels,omitempty"`
	Agents []string          `json:"agents"`
	Limit  int               `json:"limit"` // how many bytes of each text are searched
}

// hitView is a text in which all words stand. Its marks count UTF-16 code units of the snippet.
type hitView struct {
	ThreadID    string         `json:"threadId"`
	ThreadTitle string         `json:"threadTitle"`
	RunID       string         `json:"runId"` // empty: it is a message that no run has
	Seq         int64          `json:"seq"`   // the event to go to; 0 without a run
	Kind        storage.Kind   `json:"kind"`
	AgentName   string         `json:"agentName"`
	At          int64          `json:"at"`               // Unix ms
	ItemID      string         `json:"itemId,omitempty"` // of a message or a part of the answer
	ToolCallID  string         `json:"toolCallId,omitempty"`
	Tool        string         `json:"tool,omitempty"`
	Label       string         `json:"label,omitempty"`
	State       protocol.State `json:"state,omitempty"`
	Dropped     bool           `json:"dropped,omitempty"` // the call has no row in the thread
	Snippet     string         `json:"snippet"`
	Marks       []storage.Mark `json:"marks"`
}

// states are those a call can be searched by.
var states = []protocol.State{
	protocol.StateProposed, protocol.StateWaiting, protocol.StateApproved, protocol.StateDenied, protocol.StateExpired, protocol.StateRunning,
	protocol.StateDone, protocol.StateFailed, protocol.StateCancelled, protocol.StateUnknown, protocol.StateDropped,
}

// getSearch searches all threads: ?q= for words and "phrases", narrowed by ?kind=, ?tool=, ?state=, ?agent=, ?from= and ?to= (Unix ms,
// both included); ?before= goes on from the page before.
func (s *Studio) getSearch(w http.ResponseWriter, r *http.Request) {
	query, err := searchQuery(r.URL.Query())
	if err != nil {
		s.fail(w, err)
		return
	}
	query.Mask = s.maskSearched
	page, err := s.db.Search(r.Context(), *query)
	if err != nil {
		s.fail(w, err)
		return
	}
	tools, agents, err := s.db.SearchNames(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	answer := searchView{
		Hits: []hitView{}, Before: page.Before, Behind: page.Behind, Tools: []string{}, Labels: map[string]string{},
		Agents: slices.Concat([]string{}, agents), Limit: storage.SearchLimit,
	}
	for _, tool := range tools {
		answer.Tools = append(answer.Tools, tool.Name)
		if tool.Label != "" {
			answer.Labels[tool.Name] = s.redact.Text(tool.Label)
		}
	}
	if page.Fault != nil {
		answer.Fault = page.Fault.Error()
	}
	for i := range page.Hits {
		answer.Hits = append(answer.Hits, s.viewHit(&page.Hits[i]))
	}
	reply(w, http.StatusOK, answer)
}

// maskSearched takes secrets out of a text before it is looked into: what is not shown is not found either.
func (s *Studio) maskSearched(text string, json bool) string {
	if json {
		return string(s.redact.JSON([]byte(text)))
	}
	return s.redact.Text(text)
}

func (s *Studio) viewHit(h *storage.Hit) hitView {
	return hitView{
		ThreadID: h.ThreadID, ThreadTitle: h.ThreadTitle, RunID: h.RunID, Seq: h.Seq, Kind: h.Kind, AgentName: h.AgentName,
		At: h.AtMs, ItemID: h.ItemID, ToolCallID: h.ToolCallID, Tool: h.ToolName, Label: h.Label, State: h.State,
		Dropped: h.State == protocol.StateDropped, Snippet: h.Snippet, Marks: slices.Concat([]storage.Mark{}, h.Marks),
	}
}

// searchQuery reads what a search is asked for.
func searchQuery(values url.Values) (*storage.SearchQuery, error) {
	text := values.Get("q")
	if len(text) > maxQuery {
		return nil, invalid("q: %d bytes, more than the %d a search may have", len(text), maxQuery)
	}
	q := &storage.SearchQuery{
		Terms: storage.ParseTerms(text), Kind: storage.Kind(values.Get("kind")), ToolName: values.Get("tool"),
		State: protocol.State(values.Get("state")), AgentName: values.Get("agent"),
	}
	if q.Kind != "" && !slices.Contains(storage.Kinds, q.Kind) {
		return nil, invalid("kind: %q is none of %s", q.Kind, join(storage.Kinds))
	}
	if q.State != "" && !slices.Contains(states, q.State) {
		return nil, invalid("state: %q is none of %s", q.State, join(states))
	}
	for _, number := range []struct {
		name string
		to   *int64
	}{{"from", &q.FromMs}, {"to", &q.ToMs}, {"before", &q.Before}} {
		given := values.Get(number.name)
		if given == "" {
			continue
		}
		n, err := strconv.ParseInt(given, 10, 64)
		if err != nil || n < 0 {
			return nil, invalid("%s: %q is no whole number from 0 on", number.name, given)
		}
		*number.to = n
	}
	if q.ToMs > 0 && q.FromMs > q.ToMs {
		return nil, invalid("from: %d is later than to, %d", q.FromMs, q.ToMs)
	}
	return q, nil
}

func join[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i, each := range all {
		texts[i] = string(each)
	}
	return strings.Join(texts, ", ")
}
