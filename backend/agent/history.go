package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"sort"
	"strconv"
	"strings"

	"callboard/backend/model"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

func turnMessageID(runID string, turn int) string { return fmt.Sprintf("%s_%d", runID, turn) }

// turnOf is the turn a message of a run came of; 0 when it is of none.
func turnOf(runID, messageID string) int {
	number, found := strings.CutPrefix(messageID, runID+"_")
	turn, err := strconv.Atoi(number)
	if !found || err != nil {
		return 0
	}
	return turn
}

func resultID(runID, toolCallID string) string { return runID + "/" + toolCallID }

// resultMessage is what the model reads of a call, with what only clients read in its metadata (Cogitator, Results and Progress).
func resultMessage(runID string, c *call, event *protocol.ToolResult, split tool.Split, state protocol.State, limit int, atMs int64) *model.Message {
	content := split.Text
	images := imagesOf(split)
	if event.Error != "" {
		images = nil
		text, _ := encode(map[string]string{"error": event.Error})
		content = string(text)
	}
	content = tool.Cut(content, limit)
	if c.edited {
		content = fmt.Sprintf("A person changed the arguments of this call before it ran. It ran with %s\n%s", c.arguments, content)
	}
	metadata, _ := encode(struct {
		State        protocol.State     `json:"state"`
		Details      json.RawMessage    `json:"details,omitempty"`
		Presentation *tool.Presentation `json:"presentation,omitempty"`
		Error        string             `json:"error,omitempty"`
		ErrorCode    string             `json:"errorCode,omitempty"`
		DurationMs   *int64             `json:"durationMs,omitempty"`
	}{state, event.Details, event.Presentation, event.Error, event.ErrorCode, event.DurationMs})
	return &model.Message{
		ID: resultID(runID, c.id), Role: model.RoleTool, Content: content, ToolCallID: c.id, ToolName: c.name, RunID: runID, AtMs: atMs,
		Metadata: metadata, Images: images,
	}
}

func encode(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Repair is what had to be done to a history before a model could read it.
type Repair struct {
	MessageID string
	Why       string
	Left      bool // the message is left out
}

// repair returns a history in which every call has exactly one result, right after its turn and in call order, whatever ended the
// run that made it, and what it did: providers refuse any other. The calls of the message open get theirs later.
func repair(messages []*model.Message, open string) (whole []*model.Message, repairs []Repair) {
	results := map[string]int{}
	for i, m := range messages {
		if m.Role == model.RoleTool {
			results[resultID(m.RunID, m.ToolCallID)] = i
		}
	}
	whole = make([]*model.Message, 0, len(messages))
	taken := make([]bool, len(messages))
	for i, m := range messages {
		if m.Role == model.RoleTool {
			continue
		}
		whole = append(whole, m)
		if m.ID == open && open != "" {
			continue
		}
		next := i + 1
		for _, c := range m.ToolCalls {
			id := resultID(m.RunID, c.ID)
			at, found := results[id]
			if !found {
				whole = append(whole, &model.Message{
					ID: id, Role: model.RoleTool, ToolCallID: c.ID, ToolName: c.Name, RunID: m.RunID,
					Content: `{"error":"The run ended before this call gave a result."}`,
				})
				repairs = append(repairs, Repair{MessageID: id, Why: "The history has no result of this call."})
				continue
			}
			if at != next {
				repairs = append(repairs, Repair{MessageID: messages[at].ID, Why: "It did not stand right after its call, in the order of the calls."})
			}
			next = at + 1
			taken[at] = true
			whole = append(whole, messages[at])
		}
	}
	for i, m := range messages {
		if m.Role == model.RoleTool && !taken[i] {
			repairs = append(repairs, Repair{MessageID: m.ID, Why: "It is the result of no call.", Left: true})
		}
	}
	return whole, repairs
}

// historyOf is what an agent's model reads of a thread, and what had to be repaired for that.
func (a *Agent) historyOf(thread *Thread, open string) ([]*model.Message, []Repair) {
	messages, repairs := repair(thread.Messages, open)
	return a.instructed(messages), repairs
}

// instructed puts the agent's instructions before what its model reads.
func (a *Agent) instructed(messages []*model.Message) []*model.Message {
	if a.Instructions == "" {
		return messages
	}
	return append([]*model.Message{{Role: model.RoleSystem, Content: a.Instructions}}, messages...)
}

// addUsage sums what turns cost. What a turn did not tell stays untold.
func addUsage(sum, turn *model.Usage) *model.Usage {
	if turn == nil {
		return sum
	}
	if sum == nil {
		sum = &model.Usage{}
	}
	add := func(a, b *int64) *int64 {
		if a == nil || b == nil {
			if a == nil {
				return b
			}
			return a
		}
		total := *a + *b
		return &total
	}
	total := turn.TotalTokens
	if total == nil && turn.InputTokens != nil && turn.OutputTokens != nil {
		both := *turn.InputTokens + *turn.OutputTokens
		total = &both
	}
	return &model.Usage{
		InputTokens: add(sum.InputTokens, turn.InputTokens), OutputTokens: add(sum.OutputTokens, turn.OutputTokens),
		TotalTokens: add(sum.TotalTokens, total), ReasoningTokens: add(sum.ReasoningTokens, turn.ReasoningTokens),
		CachedInputTokens: add(sum.CachedInputTokens, turn.CachedInputTokens),
	}
}

// repeats counts turns in a row that made the same calls with the same results.
type repeats struct {
	seed  maphash.Seed
	last  uint64
	count int
}

func (r *repeats) note(calls []*call) {
	if r.count == 0 {
		r.seed = maphash.MakeSeed()
	}
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, c := range calls {
		for _, s := range []string{c.name, c.arguments, c.record.Message.Content} {
			h.WriteString(s)
			h.WriteByte(0)
		}
	}
	if sum := h.Sum64(); r.count == 0 || sum != r.last {
		r.last, r.count = sum, 1
		return
	}
	r.count++
}

func (r *repeats) reached(limit int) bool { return limit > 0 && r.count >= limit }

// nearest returns up to three names that differ from name in few letters.
func nearest(name string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d <= max(2, len(name)/3) {
			near = append(near, candidate{n, d})
		}
	}
	sort.SliceStable(near, func(i, j int) bool { return near[i].distance < near[j].distance })
	var found []string
	for _, c := range near[:min(3, len(near))] {
		found = append(found, c.name)
	}
	return found
}

// distance is Levenshtein's, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}
