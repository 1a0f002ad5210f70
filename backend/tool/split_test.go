package tool

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// picture is a PNG of a size.
func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	drawn := image.NewNRGBA(image.Rect(0, 0, width, height))
	drawn.Set(0, 0, color.NRGBA{R: 200, A: 255})
	if err := png.Encode(&out, drawn); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestContentIsSplitByWhoReadsIt(t *testing.T) {
	data := picture(t, 3, 2)
	b64 := base64.StdEncoding.EncodeToString(data)
	raw, err := readPicture(b64)
	if err != nil {
		t.Fatal(err)
	}
	ref := `{"src":"` + raw.Hash + `","mediaType":"image/png","bytes":` + itoa(len(data)) + `,"width":3,"height":2}`
	inPart := `{"type":"image",` + ref[1:]
	for name, c := range map[string]struct {
		content, text, shown string
		images, faults       int
	}{
		"a string is read as it is":      {`"a \"b\""`, `a "b"`, `"a \"b\""`, 0, 0},
		"anything else as its JSON":      {`{"n":1.0}`, `{"n":1.0}`, `{"n":1.0}`, 0, 0},
		"nothing is nothing":             {``, ``, ``, 0, 0},
		"a field with base64":            {`{"w":1.0,"image":"` + b64 + `","z":[]}`, `{"w":1.0,"image":"[image 1: image/png, 3x2]","z":[]}`, `{"w":1.0,"image":` + ref + `,"z":[]}`, 1, 0},
		"the other field, a data: URL":   {`{"imageBase64":"data:text/plain;base64,` + b64 + `"}`, `{"imageBase64":"[image 1: image/png, 3x2]"}`, `{"imageBase64":` + ref + `}`, 1, 0},
		"both fields, spaces kept":       {`{ "image" : "` + b64 + `" , "imageBase64":"` + b64 + `" }`, `{ "image" : "[image 1: image/png, 3x2]" , "imageBase64":"[image 2: image/png, 3x2]" }`, `{ "image" : ` + ref + ` , "imageBase64":` + ref + ` }`, 2, 0},
		"a field deeper in is no image":  {`{"a":{"image":"` + b64 + `"}}`, `{"a":{"image":"` + b64 + `"}}`, `{"a":{"image":"` + b64 + `"}}`, 0, 0},
		"a name in the field stays text": {`{"image":"python:3.12-alpine"}`, `{"image":"python:3.12-alpine"}`, `{"image":"python:3.12-alpine"}`, 0, 1},
		"bytes that are no image stay":   {`{"image":"aGVsbG8gd29ybGQ="}`, `{"image":"aGVsbG8gd29ybGQ="}`, `{"image":"aGVsbG8gd29ybGQ="}`, 0, 1},
		"an SVG stays text":              {`{"image":"data:image/svg+xml;utf8,<svg/>"}`, `{"image":"data:image/svg+xml;utf8,<svg/>"}`, `{"image":"data:image/svg+xml;utf8,<svg/>"}`, 0, 1},
		"a block of details is no field": {`{"image":{"src":"x"}}`, `{"image":{"src":"x"}}`, `{"image":{"src":"x"}}`, 0, 0},
		"parts": {
			`[{"type":"text","text":"Before."},{"type":"image","data":"` + b64 + `","mediaType":"image/jpeg"},{"type":"text","text":"After."}]`,
			"Before.\n[image 1: image/png, 3x2]\nAfter.",
			`[{"type":"text","text":"Before."},` + inPart + `,{"type":"text","text":"After."}]`, 1, 0,
		},
		"parts of text alone":            {`[{"type":"text","text":"a"},{"type":"text","text":""}]`, "a\n", `[{"type":"text","text":"a"},{"type":"text","text":""}]`, 0, 0},
		"a part whose data is no image":  {`[{"type":"image","data":"aGk="}]`, `{"type":"image","data":"aGk="}`, `[{"type":"image","data":"aGk="}]`, 0, 1},
		"an array with something else":   {`[{"type":"text","text":"a"},7]`, `[{"type":"text","text":"a"},7]`, `[{"type":"text","text":"a"},7]`, 0, 0},
		"an empty array":                 {`[]`, `[]`, `[]`, 0, 0},
		"base64 for addresses, unpadded": {`{"image":"` + strings.TrimRight(base64.URLEncoding.EncodeToString(data), "=") + `"}`, `{"image":"[image 1: image/png, 3x2]"}`, `{"image":` + ref + `}`, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := SplitContent(json.RawMessage(c.content))
			if got.Text != c.text {
				t.Errorf("the model reads %q, want %q", got.Text, c.text)
			}
			if string(got.Shown) != c.shown {
				t.Errorf("shown is %s, want %s", got.Shown, c.shown)
			}
			if len(got.Images) != c.images || len(got.Faults) != c.faults {
				t.Errorf("%d images and the faults %q, want %d and %d", len(got.Images), got.Faults, c.images, c.faults)
			}
			for _, p := range got.Images {
				if !bytes.Equal(p.Bytes, data) {
					t.Errorf("an image has %d bytes, want %d", len(p.Bytes), len(data))
				}
			}
		})
	}
}

func itoa(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

func TestImagesAreKnownByTheirBytes(t *testing.T) {
	drawn := image.NewPaletted(image.Rect(0, 0, 5, 4), color.Palette{color.Black, color.White})
	var asJPEG, asGIF bytes.Buffer
	if err := jpeg.Encode(&asJPEG, drawn, nil); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&asGIF, drawn, nil); err != nil {
		t.Fatal(err)
	}
	for want, data := range map[string][]byte{
		"image/png, 5x4":  picture(t, 5, 4),
		"image/jpeg, 5x4": asJPEG.Bytes(),
		"image/gif, 5x4":  asGIF.Bytes(),
		"image/webp":      []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"),
	} {
		text, err := json.Marshal([]Part{ImagePart(data)})
		if err != nil {
			t.Fatal(err)
		}
		if got := SplitContent(text).Text; got != "[image 1: "+want+"]" {
			t.Errorf("%s is read as %q", want, got)
		}
	}
}

func TestPartsKeepTheirJSON(t *testing.T) {
	parts := []Part{TextPart("a <b>"), ImagePart(picture(t, 1, 1)), TextPart("")}
	text, err := encode(parts)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), `[{"type":"text","text":"a <b>"},{"type":"image","data":"iVBO`) || !strings.HasSuffix(string(text), `","mediaType":"image/png"},{"type":"text","text":""}]`) {
		t.Errorf("parts are written %s", text)
	}
	var back []Part
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if len(back) != 3 || back[0].Text != "a <b>" || !bytes.Equal(back[1].Data, parts[1].Data) || back[1].MediaType != "image/png" {
		t.Errorf("parts come back as %v", back)
	}
	for _, wrong := range []string{`{"type":"text"}`, `{"type":"image","text":"x"}`, `{"type":"audio","data":""}`, `{"type":"image","data":"%"}`} {
		if err := json.Unmarshal([]byte(wrong), new(Part)); err == nil {
			t.Errorf("%s is read as a part", wrong)
		}
	}
	if _, err := json.Marshal(Part{Type: "audio"}); err == nil || !strings.Contains(err.Error(), `"audio"`) {
		t.Errorf("a part of an unknown type is written; the error is %v", err)
	}
}

func TestAToolGivesParts(t *testing.T) {
	chart := Must(Config[struct{}, Output[[]Part]]{
		Name: "render_chart", Description: "Draws a chart",
		Run: func(Context, struct{}) (Output[[]Part], error) {
			return Output[[]Part]{Content: []Part{TextPart("Drawn."), ImagePart(picture(t, 2, 2))}}, nil
		},
	})
	call, err := chart.Prepare("{}")
	if err != nil {
		t.Fatal(err)
	}
	result := call.Run(Context{})
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	if got := SplitContent(result.Content).Text; got != "Drawn.\n[image 1: image/png, 2x2]" {
		t.Errorf("the model reads %q", got)
	}
}
