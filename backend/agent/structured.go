package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"callboard/backend/model"
	"callboard/backend/tool"
)

// Output is what the answer of a run has to be: one JSON object of a Go type, held to it as strictly as a tool's arguments. It is
// not changed once an agent runs.
//
// The schema goes to the provider with each request (model.Request.ResponseSchema). Of an answer that fits, Finish.Structured has
// the text as the model wrote it, every digit kept; a Markdown fence around it is taken off. An answer that does not fit is taken
// back and asked for again, with what is wrong with it, up to MaxRepairs times: tries of the same turn, with a reason, whose
// tokens count to the run. The model may not call tools in them, and the thread keeps only the last. Finish.StructuredError says
// what was wrong with that one; the run has completed all the same.
//
// Text that went out cannot be repaired (Cogitator, Streaming Tool Input): an agent whose Output streams gets no repair once text or
// reasoning of the turn went out. One whose Output does not logs the text once it is whole; its calls are streamed as they are
// written.
type Output struct {
	Stream     bool // text goes out as it comes
	MaxRepairs int  // 0 is DefaultMaxRepairs, negative is none

	text  json.RawMessage
	check func(text string) error
}

// DefaultMaxRepairs is how often an answer that does not fit is asked for again.
const DefaultMaxRepairs = 2

// OutputOf makes the Output of a Go type: a struct, a map with string keys or a json.RawMessage, tagged as tool.Config says.
func OutputOf[T any]() (*Output, error) {
	t, err := tool.TypeOf[T]()
	if err != nil {
		return nil, fmt.Errorf("make an output: %w", err)
	}
	return &Output{text: t.Schema(), check: func(text string) error {
		_, err := t.Decode(text)
		return err
	}}, nil
}

// MustOutput is OutputOf for package variables and examples: it panics where OutputOf returns an error.
func MustOutput[T any]() *Output {
	o, err := OutputOf[T]()
	if err != nil {
		panic(err)
	}
	return o
}

// Structured returns the answer of a run of an agent with OutputOf[T]. It fails where the run gave none that fits.
func Structured[T any](o *Outcome) (value T, err error) {
	switch {
	case o == nil || o.Finish == nil:
		return value, errors.New("read the answer: the run did not finish")
	case o.Finish.StructuredError != "":
		return value, fmt.Errorf("read the answer: %s", o.Finish.StructuredError)
	case o.Finish.Structured == nil:
		return value, fmt.Errorf("read the answer: the run is %s and gave none", o.Finish.Status)
	}
	t, err := tool.TypeOf[T]()
	if err != nil {
		return value, fmt.Errorf("read the answer: %w", err)
	}
	if value, err = t.Decode(string(o.Finish.Structured)); err != nil {
		return value, fmt.Errorf("read the answer: %w", err)
	}
	return value, nil
}

func (o *Output) schema() json.RawMessage { return o.text }

func (o *Output) isQuiet() bool { return o != nil && !o.Stream }

func (o *Output) maxRepairs() int {
	if o == nil || o.MaxRepairs == 0 {
		return DefaultMaxRepairs
	}
	return o.MaxRepairs
}

// read returns the object an answer is.
func (o *Output) read(text string) (json.RawMessage, error) {
	text = unfenced(text)
	if text == "" {
		return nil, errors.New("it is empty")
	}
	if o.check == nil {
		return nil, errors.New("the agent's Output was not made by OutputOf")
	}
	if err := o.check(text); err != nil {
		return nil, err
	}
	return json.RawMessage(text), nil
}

// unfenced is a text without the Markdown fence models like to put around JSON.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "```") || !strings.HasSuffix(text, "```") {
		return text
	}
	_, inner, found := strings.Cut(strings.TrimSuffix(text, "```"), "\n")
	if !found {
		return text
	}
	return strings.TrimSpace(inner)
}

// review holds an answer that came whole to what is wanted, and shows what was held back of it. Its error is the model's, a
// middleware's, or an *unfit: the answer is to be asked for again.
func (a *answer) review(mayCall, mayRepair bool) error {
	mayCall = mayCall && a.finish != model.FinishLength
	a.end(mayCall)
	if err := a.afterModel(mayCall); err != nil {
		return err
	}
	if o := a.agent.Output; o != nil && len(a.kept) == 0 && a.finish != model.FinishFilter {
		if a.structured, a.unfit = o.read(a.text.String()); a.unfit != nil {
			if a.finish == model.FinishLength {
				a.unfit = fmt.Errorf("it was cut at the token limit: %w", a.unfit)
			}
			if mayRepair && !a.saidAny() {
				return &unfit{a.unfit}
			}
		}
	}
	a.release()
	return nil
}

// unfit is an answer that may be asked for again.
type unfit struct{ err error }

func (u *unfit) Error() string { return doesNotFit + ": " + u.err.Error() }

const doesNotFit = "The answer does not fit what is wanted"

// retries is what the tries of a turn left.
type retries struct {
	failed  int // tries the provider failed
	repairs int // answers that did not fit
	cut     bool
	spent   *model.Usage     // by answers that did not fit
	said    []*model.Message // the last of them, and what is wrong with it
}

// after says whether and when a turn is tried again after an error, and why.
func (r *retries) after(a *answer, err error) (reason string, wait time.Duration, again bool) {
	var failure *model.Error
	var wrong *unfit
	switch {
	case a.ctx.Err() != nil:
		return "", 0, false
	case errors.As(err, &wrong):
		r.repairs++
		r.spent = addUsage(r.spent, a.usage)
		r.said = nil
		if text := a.text.String(); text != "" { // providers refuse an empty message
			r.said = []*model.Message{{Role: model.RoleAssistant, Content: text, Reasoning: a.thought.String()}}
		}
		r.said = append(r.said, &model.Message{
			Role: model.RoleUser, Content: wrong.Error() + "\nAnswer again with one JSON object that fits, and nothing else: no tool can be called now.",
		})
		return doesNotFit + ".", 0, true // what is wrong with it may quote what has not gone out
	case !errors.As(err, &failure):
		return "", 0, false
	case failure.Code == model.CodeContextLength && !r.cut:
		r.cut = true
		return failure.Message, 0, a.refuseHistory()
	case failure.Retryable && r.failed < a.agent.maxRetries():
		r.failed++
		return failure.Message, a.runner.retryDelay(r.failed-1, failure.RetryAfter), true
	}
	return "", 0, false
}
