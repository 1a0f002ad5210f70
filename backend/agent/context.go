package agent

import (
	"slices"

	"callboard/backend/model"
	"callboard/backend/protocol"
)

// EstimateTokens guesses how many tokens a message is: four, and one for each four bytes, begun ones too, of its content and of the
// names and arguments of its calls, and 1,000 for each image it shows. For English that is close, for code and other languages
// mostly more than it is.
func EstimateTokens(m *model.Message) int {
	bytes := len(m.Content)
	for _, c := range m.ToolCalls {
		bytes += len(c.Name) + len(c.Arguments)
	}
	return 4 + (bytes+3)/4 + 1000*len(m.Images)
}

// window is the part of a history that goes to the model. It is a function of the history alone: who reads it message by message
// and who reads it at once come to the same.
//
// An exchange is a user's message and all that came of it until the next. Once a history is over its limit, whole exchanges are
// left out, the oldest first, until three quarters of the limit are left, so that not every turn cuts anew and what providers
// cache of a prompt stays good for some turns. Of the newest exchange the user's message stays, and after it whole turns, each with
// the results of its calls, go in the same way; the last turn stays. The instructions always stay, and count, as the tools do.
type window struct {
	agent   *Agent
	limit   int // 0 is none
	count   func(*model.Message) int
	refused bool // the limit is what a provider refused
	fixed   int  // tokens of the instructions and the tools
	head    int  // messages that always go first: the instructions
	read    int  // messages that are counted
	from    int  // the first one after the head that goes
	kept    int  // the user's message that goes though it stands before from; -1 is none
	tokens  int  // of what goes, without fixed
	told    protocol.Cut
}

func (a *Agent) newWindow(tools []model.ToolSchema) *window {
	w := &window{agent: a, limit: a.ContextTokens, count: a.CountTokens, kept: -1}
	if w.count == nil {
		w.count = EstimateTokens
	}
	if a.Instructions != "" {
		w.head, w.from, w.read = 1, 1, 1
		w.fixed = w.count(&model.Message{Role: model.RoleSystem, Content: a.Instructions})
	}
	for _, t := range tools {
		w.fixed += (len(t.Name) + len(t.Description) + len(t.Parameters) + 3) / 4
	}
	return w
}

// take reads what is new in a history.
func (w *window) take(history []*model.Message) {
	for ; w.read < len(history); w.read++ {
		if history[w.read].Role != model.RoleTool {
			w.fit(history)
		}
		w.tokens += w.count(history[w.read])
	}
	w.fit(history)
}

// fit leaves out what is too much of the messages read so far.
func (w *window) fit(history []*model.Message) {
	if w.limit <= 0 || w.fixed+w.tokens <= w.limit {
		return
	}
	for w.fixed+w.tokens > w.limit/4*3 && w.drop(history[:w.read]) {
	}
}

// drop leaves out the oldest exchange, or the oldest turn of the newest one.
func (w *window) drop(history []*model.Message) bool {
	for next := w.from + 1; next < len(history); next++ {
		if history[next].Role != model.RoleUser {
			continue
		}
		if w.kept >= 0 {
			w.tokens -= w.count(history[w.kept])
			w.kept = -1
		}
		w.leave(history, next)
		return true
	}
	first := w.from // of the oldest turn
	if first < len(history) && history[first].Role == model.RoleUser {
		first++
	}
	next := first + 1
	for next < len(history) && history[next].Role == model.RoleTool {
		next++
	}
	if next >= len(history) {
		return false
	}
	if first > w.from {
		w.kept = w.from
		w.from = first
	}
	w.leave(history, next)
	return true
}

func (w *window) leave(history []*model.Message, next int) {
	for ; w.from < next; w.from++ {
		w.tokens -= w.count(history[w.from])
	}
}

// goes are the messages that go to the model.
func (w *window) goes(history []*model.Message) []*model.Message {
	if w.from == w.head {
		return history
	}
	messages := slices.Clone(history[:w.head])
	if w.kept >= 0 {
		messages = append(messages, history[w.kept])
	}
	return append(messages, history[w.from:]...)
}

// cut tells what is left out; nil when nothing is.
func (w *window) cut(history []*model.Message) *protocol.Cut {
	if w.from == w.head {
		return nil
	}
	c := &protocol.Cut{Messages: w.from - w.head, Limit: w.limit, Refused: w.refused}
	if w.kept >= 0 {
		c.Messages--
	}
	if w.refused {
		c.Limit = 0
	}
	if w.from < len(history) {
		c.BeforeMessageID = history[w.from].ID
	}
	return c
}

// cutHistory fits the history to the model, and tells what is left out where the run has not told so.
func (x *run) cutHistory() *protocol.Cut {
	if x.window == nil || x.window.agent != x.agent {
		x.window = x.agent.newWindow(x.schemas)
	}
	w := x.window
	w.take(x.history)
	c := w.cut(x.history)
	if c == nil || *c == w.told {
		return nil
	}
	w.told = *c
	return c
}

// refuseHistory halves what goes to a model that refused to read so much, for the rest of the run. It reports whether that leaves
// anything out.
func (x *run) refuseHistory() bool {
	w := x.window
	before := w.from
	w.limit, w.refused = (w.fixed+w.tokens)/2, true
	w.fit(x.history)
	return w.from != before
}

// reads are the messages of a request.
func (x *run) reads(said []*model.Message) []*model.Message {
	messages := slices.Clip(x.window.goes(x.history)) // a middleware may append
	if len(said) > 0 {
		messages = slices.Concat(messages, said)
	}
	return messages
}

// remember takes note of what is sent: a backend's memo holds as long as each request goes on where the one before ended.
func (x *run) remember(messages []*model.Message) {
	if len(messages) < len(x.sent) || !slices.Equal(messages[:len(x.sent)], x.sent) {
		x.memo = nil
	}
	x.sent = messages
}
