package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"callboard/backend/tool"
)

type typeArgs struct {
	Field    string `json:"field,omitempty" jsonschema:"maxLength=500" jsonschema_description:"What the field is called, as browser_read lists it"`
	Selector string `json:"selector,omitempty" jsonschema:"maxLength=500" jsonschema_description:"A CSS selector of the field, in place of its name"`
	Index    int    `json:"index,omitempty" jsonschema:"minimum=1,maximum=1000" jsonschema_description:"Which one, from 1, where several fit"`
	Text     string `json:"text" jsonschema:"maxLength=20000" jsonschema_description:"The text that replaces what is in the field; of a choice, the option; empty clears it"`
	Submit   bool   `json:"submit,omitempty" jsonschema_description:"Press Enter after it"`
}

func (a typeArgs) element() element { return element{a.Selector, a.Field, a.Index} }

// Validate refuses text for no field, and for two.
func (a *typeArgs) Validate() error { return a.element().check("field") }

var typeCalls = tool.Presentation{Label: "Type", Icon: "keyboard"}

func presentType(in typeArgs, summary string) *tool.Presentation {
	detail := in.element().words() + ": " + clip(in.Text)
	if in.Submit {
		detail += " ⏎"
	}
	return about(typeCalls, detail, summary)
}

func (b *Browser) typeTool() (*tool.Tool, error) {
	return tool.Define(tool.Config[typeArgs, tool.Output[acted]]{
		Name:         "browser_type",
		Description:  "Writes text into a field of the page, in place of what is there, or chooses an option; with submit it presses Enter after it.",
		Category:     "browser",
		SideEffects:  []tool.SideEffect{tool.Network, tool.External},
		Approval:     b.asking(),
		Timeout:      callTimeout,
		Presentation: &typeCalls,
		Present:      func(in typeArgs) *tool.Presentation { return presentType(in, "") },
		Preview:      func(ctx tool.Context, _ typeArgs) (any, error) { return b.previewPlace(ctx), nil },
		Run: func(ctx tool.Context, in typeArgs) (out tool.Output[acted], err error) {
			err = b.with(ctx, false, func(ctx context.Context, p *page) error {
				out.Content, err = p.act(ctx, func() error { return write(ctx, in) })
				return err
			})
			if err == nil {
				out.Presentation = presentType(in, clip(out.Content.Title))
			}
			return out, err
		},
	})
}

// field is an element that is ready for text, or has it, or why it cannot.
type field struct {
	Name  string
	Done  bool
	Fault string
}

func write(ctx context.Context, in typeArgs) error {
	at, err := ask[field](ctx, "fill", struct {
		element
		Value string `json:"value"`
	}{in.element(), in.Text})
	if err == nil && at.Fault != "" {
		err = errors.New(at.Fault)
	}
	switch {
	case err != nil || at.Done:
	case in.Text == "":
		err = chromedp.Do(ctx, chromedp.KeyEvent(kb.Delete))
	default:
		_, err = chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: in.Text})
	}
	if err == nil && in.Submit {
		err = chromedp.Do(ctx, chromedp.KeyEvent(kb.Enter))
	}
	if err != nil {
		return fmt.Errorf("type into %s: %w", in.element().words(), err)
	}
	return nil
}
