package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"callboard/backend/tool"
)

type openArgs struct {
	URL string `json:"url" jsonschema:"minLength=1,maxLength=4000" jsonschema_description:"The address, with http:// or https://"`
}

// Validate refuses what is no address of a page.
func (a *openArgs) Validate() error {
	u, err := url.Parse(strings.TrimSpace(a.URL))
	if err != nil {
		return fmt.Errorf("url %q is no address", clip(a.URL))
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("url %q is no http or https address: nothing else is opened", clip(a.URL))
	}
	a.URL = u.String()
	return nil
}

type opened struct {
	place
	Status int64  `json:"status,omitempty"` // of HTTP
	Note   string `json:"note,omitempty"`
}

var openCalls = tool.Presentation{Label: "Open page", Icon: "globe"}

func (b *Browser) openTool() (*tool.Tool, error) {
	return tool.Define(tool.Config[openArgs, tool.Output[opened]]{
		Name:         "browser_open",
		Description:  "Opens a web page in a browser. Then read it, click, type, or take a screenshot. There is one page; another address takes its place.",
		Category:     "browser",
		SideEffects:  []tool.SideEffect{tool.Network, tool.External},
		Approval:     b.asking(),
		Timeout:      callTimeout,
		Presentation: &openCalls,
		Present:      func(in openArgs) *tool.Presentation { return about(openCalls, in.URL, "") },
		Run: func(ctx tool.Context, in openArgs) (out tool.Output[opened], err error) {
			err = b.with(ctx, true, func(ctx context.Context, p *page) error {
				out.Content, err = p.open(ctx, in.URL)
				return err
			})
			if err == nil {
				out.Presentation = about(openCalls, out.Content.URL, clip(out.Content.Title))
			}
			return out, err
		},
	})
}

func (p *page) open(ctx context.Context, address string) (opened, error) {
	loading, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	response, err := chromedp.Run(loading, chromedp.NavigateResponse(address))
	note := ""
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		note = "The page did not finish loading."
		_, err = chromedp.Call(ctx, cdpage.StopLoading, cdp.Empty{})
	}
	if ctx.Err() != nil {
		// It would take the place of the page later. It fails only when the page went away.
		p.asides.start(func() { _, _ = chromedp.Call(p.ctx, cdpage.StopLoading, cdp.Empty{}) })
		return opened{}, ctx.Err()
	}
	at, fault := p.where(ctx)
	switch {
	case fault != nil:
		return opened{}, fault
	case err != nil:
		if because := p.proxy.fault(address); because != nil {
			return opened{}, fmt.Errorf("open %s: %w", address, because)
		}
		return opened{}, loadFault(address, err)
	}
	if response != nil && response.MimeType == "application/pdf" {
		note = strings.TrimSpace(note + " It is a PDF: its text cannot be read, a screenshot may show its first page.")
	}
	return opened{place: at, Status: statusOf(response), Note: p.takeNotes(note)}, nil
}

func statusOf(r *network.Response) int64 {
	if r == nil {
		return 0
	}
	return r.Status
}
