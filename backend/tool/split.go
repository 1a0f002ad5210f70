package tool

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // its size is told to the model
	_ "image/jpeg" // its size is told to the model
	_ "image/png"  // its size is told to the model
	"net/http"
	"strings"
	"unicode/utf8"
)

// Split is content taken apart by who reads it.
type Split struct {
	// Text is what a model reads: a string as it is, the texts of parts, of anything else the JSON; where an image stood it says
	// "[image 1: image/png, 1280x800]", counted from 1.
	Text string
	// Shown is the content with {"src": hash, "mediaType", "bytes", "width", "height"} where an image stood (of a part, these
	// members in place of its data), and otherwise byte for byte as it was.
	Shown  json.RawMessage
	Images []Picture // what a model sees, in the order of their place holders
	// Faults says, for people, what was named for an image and is none. It is left where it stood.
	Faults []string
}

// Picture is an image a tool gave.
type Picture struct {
	Hash          string // hex SHA-256 of Bytes
	MediaType     string // as its bytes say
	Width, Height int    // in pixels; 0 where only a decoder says, as of WebP
	Bytes         []byte
}

// SplitContent takes the images out of a call's content. They stand in image parts, where the content is an array of nothing but
// parts, or in the members "image" and "imageBase64" of an object, as base64 or a data: URL. An image is a PNG, a JPEG, a GIF or a
// WebP by its bytes, whatever its media type is said to be.
func SplitContent(content json.RawMessage) Split {
	s := Split{Shown: content}
	switch trimmed := bytes.TrimLeft(content, " \t\r\n"); {
	case bytes.HasPrefix(trimmed, []byte("[")) && s.parts(content):
	case bytes.HasPrefix(trimmed, []byte("{")) && s.object(content):
	case bytes.HasPrefix(trimmed, []byte(`"`)) && json.Unmarshal(content, &s.Text) == nil:
	default:
		s.Text = string(content)
	}
	return s
}

// parts reads an array of parts; false when it is another array.
func (s *Split) parts(content []byte) bool {
	var elements []json.RawMessage
	if json.Unmarshal(content, &elements) != nil || len(elements) == 0 {
		return false
	}
	read := make([]writtenPart, len(elements))
	for i, element := range elements {
		var err error
		if read[i], err = readPart(element); err != nil {
			return false
		}
	}
	texts := make([]string, len(elements))
	for i, p := range read {
		if p.Type == PartText {
			texts[i] = *p.Text
			continue
		}
		picture, err := readPicture(*p.Data)
		if err != nil {
			s.Faults = append(s.Faults, fmt.Sprintf("part %d: %v", i+1, err))
			texts[i] = string(elements[i])
			continue
		}
		texts[i] = s.take(picture)
		elements[i], _ = encode(struct { // strings and numbers always encode
			Type PartType `json:"type"`
			reference
		}{PartImage, referTo(picture)})
	}
	s.Text = strings.Join(texts, "\n")
	if len(s.Images) > 0 {
		s.Shown, _ = encode(elements) // they were just read
	}
	return true
}

func readPart(text []byte) (p writtenPart, err error) {
	if err := json.Unmarshal(text, &p); err != nil {
		return p, err
	}
	if p.Type == PartText && p.Text != nil || p.Type == PartImage && p.Data != nil {
		return p, nil
	}
	return p, errNoPart
}

// object reads an object; false when no member of it is named for an image.
func (s *Split) object(content []byte) bool {
	if !bytes.Contains(content, []byte(`"image`)) {
		return false
	}
	var text, shown bytes.Buffer
	kept := 0
	d := json.NewDecoder(bytes.NewReader(content))
	_, err := d.Token()
	for err == nil && d.More() {
		var key json.Token
		var value json.RawMessage
		if key, err = d.Token(); err != nil {
			break
		}
		if err = d.Decode(&value); err != nil {
			break
		}
		var written string
		if key != "image" && key != "imageBase64" || json.Unmarshal(value, &written) != nil {
			continue
		}
		picture, fault := readPicture(written)
		if fault != nil {
			s.Faults = append(s.Faults, fmt.Sprintf("field %q: %v", key, fault))
			continue
		}
		end := int(d.InputOffset())
		between := content[kept : end-len(value)]
		kept = end
		holder, _ := encode(s.take(picture)) // a string always encodes
		ref, _ := encode(referTo(picture))   // and so do strings and numbers
		text.Write(append(bytes.Clone(between), holder...))
		shown.Write(append(bytes.Clone(between), ref...))
	}
	if err != nil || len(s.Images) == 0 {
		s.Images = nil
		return false
	}
	text.Write(content[kept:])
	shown.Write(content[kept:])
	s.Text, s.Shown = text.String(), shown.Bytes()
	return true
}

// take keeps a picture and returns what stands in its place.
func (s *Split) take(p Picture) string {
	s.Images = append(s.Images, p)
	return fmt.Sprintf("[image %d: %s]", len(s.Images), p.about())
}

func (p Picture) about() string {
	if p.Width == 0 {
		return p.MediaType
	}
	return fmt.Sprintf("%s, %dx%d", p.MediaType, p.Width, p.Height)
}

// reference stands for a picture where its bytes stood. Among details it draws as an image.
type reference struct {
	Src       string `json:"src"`
	MediaType string `json:"mediaType"`
	Bytes     int    `json:"bytes"`
	Width     int    `json:"width,omitempty"`
	Height    int    `json:"height,omitempty"`
}

func referTo(p Picture) reference {
	return reference{Src: p.Hash, MediaType: p.MediaType, Bytes: len(p.Bytes), Width: p.Width, Height: p.Height}
}

// readPicture reads base64 or a data: URL.
func readPicture(text string) (Picture, error) {
	if url, ok := strings.CutPrefix(text, "data:"); ok {
		head, body, _ := strings.Cut(url, ",")
		if !strings.HasSuffix(head, ";base64") {
			return Picture{}, errors.New("it is a data: URL that is not base64")
		}
		text = body
	}
	text = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(text), "=")
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return Picture{}, errors.New("it is no base64")
	}
	mediaType, ok := imageType(data)
	if !ok {
		return Picture{}, fmt.Errorf("its bytes are %s, not a PNG, JPEG, GIF or WebP", mediaType)
	}
	sum := sha256.Sum256(data)
	p := Picture{Hash: hex.EncodeToString(sum[:]), MediaType: mediaType, Bytes: data}
	if size, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		p.Width, p.Height = size.Width, size.Height
	}
	return p, nil
}

// Cut shortens a text a model reads to limit Unicode characters with a marker that says how much is gone; limit <= 0 cuts nothing.
func Cut(s string, limit int) string {
	if limit <= 0 || len(s) <= limit {
		return s
	}
	total := utf8.RuneCountInString(s)
	if total <= limit {
		return s
	}
	end := 0
	for range limit {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return fmt.Sprintf("%s\n[cut: %d of %d characters are not shown]", s[:end], total-limit, total)
}

// IsImage reports whether bytes are an image that SplitContent takes: a PNG, a JPEG, a GIF or a WebP.
func IsImage(data []byte) bool {
	_, ok := imageType(data)
	return ok
}

// imageType reads a media type off bytes; ok for the images that models take.
func imageType(data []byte) (mediaType string, ok bool) {
	mediaType = http.DetectContentType(data)
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return mediaType, true
	}
	return mediaType, false
}
