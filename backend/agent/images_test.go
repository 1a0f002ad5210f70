package agent_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"log/slog"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
)

// drawing is a PNG of a size; noise makes it big.
func drawing(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type shotInput struct {
	Of string `json:"of"`
}

func TestImagesOfResultsAreStoredOnceAndShown(t *testing.T) {
	picture := drawing(t, 1280, 800)
	shot := tool.Must(tool.Config[shotInput, map[string]any]{
		Name: "screenshot", Description: "Takes one",
		Run: func(_ tool.Context, in shotInput) (map[string]any, error) {
			if in.Of == "container" {
				return map[string]any{"image": "python:3.12-alpine"}, nil
			}
			return map[string]any{"of": in.Of, "image": picture}, nil
		},
	})
	chart := tool.Must(tool.Config[shotInput, []tool.Part]{
		Name: "chart", Description: "Draws one",
		Run: func(tool.Context, shotInput) ([]tool.Part, error) {
			return []tool.Part{tool.TextPart("Drawn."), tool.ImagePart(picture)}, nil
		},
	})
	call := func(id, name, of string) model.ToolCall {
		return model.ToolCall{ID: id, Name: name, Arguments: `{"of":"` + of + `"}`}
	}
	a := demo(
		[]*tool.Tool{shot, chart},
		scripted.CallTools(call("c1", "screenshot", "page"), call("c2", "chart", "week"), call("c3", "screenshot", "container")),
		scripted.Say("I see."),
	)
	w := newWorld(t, a)
	var logged bytes.Buffer
	w.r.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	outcome := w.run("Look.")
	log := w.golden("images", outcome.ID)
	if strings.Contains(log, base64.StdEncoding.EncodeToString(picture)) {
		t.Error("the log has the bytes of the image")
	}
	hash := tool.SplitContent(mustJSON(t, map[string]any{"image": picture})).Images[0].Hash
	body, mediaType, err := w.store.Blob(t.Context(), hash)
	if !bytes.Equal(body, picture) || mediaType != "image/png" || err != nil {
		t.Errorf("the blob has %d bytes of %s (%v), want %d", len(body), mediaType, err, len(picture))
	}
	w.checkHistory()
	want := []model.Image{{Hash: hash, MediaType: "image/png", Bytes: len(picture), Width: 1280, Height: 800}}
	for i, read := range map[int]string{2: `{"image":"[image 1: image/png, 1280x800]","of":"page"}`, 3: "Drawn.\n[image 1: image/png, 1280x800]"} {
		m := w.history()[i]
		if m.Content != read || len(m.Images) != 1 || m.Images[0] != want[0] {
			t.Errorf("message %d is %q with the images %+v, want %q with %+v", i, m.Content, m.Images, read, want)
		}
	}
	if m := w.history()[4]; m.Content != `{"image":"python:3.12-alpine"}` || len(m.Images) > 0 || !strings.Contains(logged.String(), "call=c3") {
		t.Errorf("a name of an image is read as %q with %d images; the log says %s", m.Content, len(m.Images), logged.String())
	}
	requests, err := w.store.(*agent.Memory).RunRequests(t.Context(), outcome.ID)
	if err != nil {
		t.Fatal(err)
	}
	if sent := string(requests[1].Sent.Tail); strings.Count(sent, `"images":["blob:`+hash+`"]`) != 2 {
		t.Errorf("the second request is recorded as %s", sent)
	}
}

func mustJSON(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
