package browser

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/jpeg" // a screenshot's size is read
	_ "image/png"  // a screenshot's size is read

	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"callboard/backend/tool"
)

const (
	maxHeight  = 6000    // pixels of a whole page
	maxPNG     = 1 << 20 // bytes; what is larger is made a JPEG
	jpegOutput = 75      // quality, in percent
)

type screenshotArgs struct {
	FullPage bool `json:"fullPage,omitempty" jsonschema_description:"The whole page, not only what is in view"`
}

type screenshot struct {
	Image  []byte `json:"image"` // base64
	Width  int    `json:"width"` // pixels
	Height int    `json:"height"`
	Note   string `json:"note,omitempty"`
}

var screenshotCalls = tool.Presentation{Label: "Screenshot", Icon: "camera"}

func (b *Browser) screenshotTool() (*tool.Tool, error) {
	return tool.Define(tool.Config[screenshotArgs, tool.Output[screenshot]]{
		Name:            "browser_screenshot",
		Description:     "Takes a picture of the open page.",
		Category:        "browser",
		SideEffects:     []tool.SideEffect{tool.Network},
		Timeout:         callTimeout,
		MaxResultLength: tool.NoLimit, // an image is not text
		Presentation:    &screenshotCalls,
		Run: func(ctx tool.Context, in screenshotArgs) (out tool.Output[screenshot], err error) {
			var at place
			err = b.with(ctx, false, func(ctx context.Context, p *page) error {
				if at, err = p.where(ctx); err != nil {
					return err
				}
				out.Content, err = p.screenshot(ctx, in.FullPage)
				return err
			})
			if err != nil {
				return out, err
			}
			taken := out.Content
			sum := sha256.Sum256(taken.Image)
			_, format, err := image.DecodeConfig(bytes.NewReader(taken.Image))
			out.Details = tool.Image{Src: hex.EncodeToString(sum[:]), MediaType: "image/" + format, Alt: "Screenshot of " + at.URL}
			out.Presentation = about(screenshotCalls, at.URL, fmt.Sprintf("%d × %d", taken.Width, taken.Height))
			return out, err
		},
	})
}

func (p *page) screenshot(ctx context.Context, whole bool) (screenshot, error) {
	params := cdpage.CaptureScreenshotParams{Format: cdpage.CaptureScreenshotFormatPng}
	note := ""
	if whole {
		size, err := ask[struct{ Width, Height int }](ctx, "size", nil)
		if err != nil {
			return screenshot{}, fmt.Errorf("take a screenshot: %w", err)
		}
		if size.Height > maxHeight {
			note = fmt.Sprintf("Cut: the page is %d pixels high.", size.Height)
		}
		beyond := true
		params.CaptureBeyondViewport = &beyond
		params.Clip = &cdpage.Viewport{
			Width: float64(max(1, min(size.Width, maxHeight))), Height: float64(max(1, min(size.Height, maxHeight))), Scale: 1,
		}
	}
	taken, err := chromedp.Call(ctx, cdpage.CaptureScreenshot, params)
	if err == nil && len(taken.Data) > maxPNG {
		quality := int64(jpegOutput)
		params.Format, params.Quality = cdpage.CaptureScreenshotFormatJpeg, &quality
		taken, err = chromedp.Call(ctx, cdpage.CaptureScreenshot, params)
	}
	if err != nil {
		return screenshot{}, fmt.Errorf("take a screenshot: %w", err)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(taken.Data))
	if err != nil {
		return screenshot{}, fmt.Errorf("read the screenshot: %w", err)
	}
	return screenshot{Image: taken.Data, Width: size.Width, Height: size.Height, Note: p.takeNotes(note)}, nil
}
