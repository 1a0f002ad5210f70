package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"

	"callboard/backend/tool"
)

// element says which element of a page is meant.
type element struct {
	Selector string `json:"selector"`
	Text     string `json:"text"`
	Index    int    `json:"index"`
}

func (e element) check(text string) error {
	if (strings.TrimSpace(e.Selector) == "") == (strings.TrimSpace(e.Text) == "") {
		return fmt.Errorf("give %s or selector, one of them", text)
	}
	return nil
}

func (e element) words() string {
	words := e.Selector
	if e.Text != "" {
		words = "“" + e.Text + "”"
	}
	if e.Index > 0 {
		words += fmt.Sprintf(" (%d)", e.Index)
	}
	return words
}

type clickArgs struct {
	Text     string `json:"text,omitempty" jsonschema:"maxLength=500" jsonschema_description:"What the link, button or other control is called, as browser_read lists it"`
	Selector string `json:"selector,omitempty" jsonschema:"maxLength=500" jsonschema_description:"A CSS selector of the element, in place of text"`
	Index    int    `json:"index,omitempty" jsonschema:"minimum=1,maximum=1000" jsonschema_description:"Which one, from 1, where several fit"`
}

func (a clickArgs) element() element { return element{a.Selector, a.Text, a.Index} }

// Validate refuses a click on nothing, and on two things.
func (a *clickArgs) Validate() error { return a.element().check("text") }

type acted struct {
	place
	Changed bool   `json:"changed"` // the address is another than before
	Note    string `json:"note,omitempty"`
}

var clickCalls = tool.Presentation{Label: "Click", Icon: "mouse-pointer-click"}

func (b *Browser) clickTool() (*tool.Tool, error) {
	return tool.Define(tool.Config[clickArgs, tool.Output[acted]]{
		Name:         "browser_click",
		Description:  "Clicks a link, a button or another element of the page, and waits for what that loads.",
		Category:     "browser",
		SideEffects:  []tool.SideEffect{tool.Network, tool.External},
		Approval:     b.asking(),
		Timeout:      callTimeout,
		Presentation: &clickCalls,
		Present:      func(in clickArgs) *tool.Presentation { return about(clickCalls, in.element().words(), "") },
		Preview:      func(ctx tool.Context, _ clickArgs) (any, error) { return b.previewPlace(ctx), nil },
		Run: func(ctx tool.Context, in clickArgs) (out tool.Output[acted], err error) {
			err = b.with(ctx, false, func(ctx context.Context, p *page) error {
				out.Content, err = p.act(ctx, func() error { return click(ctx, in.element()) })
				return err
			})
			if err == nil {
				out.Presentation = about(clickCalls, in.element().words(), clip(out.Content.Title))
			}
			return out, err
		},
	})
}

// previewPlace says in which page a call would act.
func (b *Browser) previewPlace(ctx tool.Context) tool.Text {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.window == nil || b.window.pages[key(ctx)] == nil {
		return "No page is open."
	}
	at := b.window.pages[key(ctx)].last()
	return tool.Text(strings.TrimSpace(at.Title + "\n" + at.URL))
}

// act does something in a page and waits for what it leads to.
func (p *page) act(ctx context.Context, do func() error) (acted, error) {
	before, err := p.where(ctx)
	if err != nil {
		return acted{}, err
	}
	if err := do(); err != nil {
		return acted{}, err
	}
	note := p.settle(ctx)
	if ctx.Err() != nil {
		return acted{}, ctx.Err()
	}
	at, err := p.where(ctx)
	if err != nil {
		return acted{}, err
	}
	return acted{place: at, Changed: at.URL != before.URL, Note: p.takeNotes(note)}, nil
}

// point is where an element can be clicked, or why it cannot.
type point struct {
	X, Y  float64
	Name  string
	Fault string
}

func click(ctx context.Context, e element) error {
	at, err := ask[point](ctx, "click", e)
	if err == nil && at.Fault != "" {
		err = errors.New(at.Fault)
	}
	if err == nil {
		err = chromedp.Do(ctx, chromedp.MouseClickXY(at.X, at.Y))
	}
	if err != nil {
		return fmt.Errorf("click %s: %w", e.words(), err)
	}
	return nil
}
