package studio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"unicode"

	"callboard/backend/archive"
	"callboard/backend/server"
)

// codeThreadExists says that the thread of a file is here already; threadId in the answer is its id.
const codeThreadExists = "THREAD_EXISTS"

// exportBody is what a client says of an export.
type exportBody struct {
	Format string   `json:"format"` // callboard (the default) or markdown
	Redact bool     `json:"redact"`
	Images bool     `json:"images"`
	Words  []string `json:"words"`
	Leave  []string `json:"leave"`
}

func (b *exportBody) export() (Export, error) {
	e := Export{Markdown: b.Format == "markdown", Redact: b.Redact, Images: b.Images, Words: b.Words, Leave: b.Leave}
	if b.Format != "" && b.Format != "callboard" && !e.Markdown {
		return e, invalid("format: must be callboard or markdown, got %q", b.Format)
	}
	return e, nil
}

// importPath takes files of any size up to maxImport.
const importPath = "/api/studio/import"

// shareRoutes are those of exports and imports.
func (s *Studio) shareRoutes(mux router) {
	mux.HandleFunc("GET /api/studio/threads/{id}/export", s.getExport)
	mux.HandleFunc("POST /api/studio/threads/{id}/export", s.postExport)
	mux.HandleFunc("POST /api/studio/threads/{id}/export/preview", s.previewExport)
	mux.HandleFunc("POST "+importPath, s.postImport)
}

// getExport answers with a thread's file: ?format=callboard or markdown, and &redact=true.
func (s *Studio) getExport(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	body := exportBody{Format: query.Get("format")}
	for name, to := range map[string]*bool{"redact": &body.Redact, "images": &body.Images} {
		if query.Get(name) == "" {
			continue
		}
		on, err := strconv.ParseBool(query.Get(name))
		if err != nil {
			s.fail(w, invalid("%s: must be true or false", name))
			return
		}
		*to = on
	}
	s.answerExport(w, r, body)
}

// postExport answers with a thread's file, made as the body says.
func (s *Studio) postExport(w http.ResponseWriter, r *http.Request) {
	var body exportBody
	if err := read(w, r, &body); err != nil {
		s.fail(w, err)
		return
	}
	s.answerExport(w, r, body)
}

// answerExport makes the whole file before it answers, so that what goes wrong is an error and not half a file.
func (s *Studio) answerExport(w http.ResponseWriter, r *http.Request, body exportBody) {
	e, err := body.export()
	if err != nil {
		s.fail(w, err)
		return
	}
	summary, err := s.db.ThreadSummary(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, err)
		return
	}
	kept, err := s.toFile(func(w io.Writer) error { return s.Export(r.Context(), summary.ID, e, w) })
	if err != nil {
		s.fail(w, err)
		return
	}
	defer kept.remove()
	file, err := os.Open(kept.path)
	if err != nil {
		s.fail(w, fmt.Errorf("read the file of thread %s: %w", summary.ID, err))
		return
	}
	defer func() { _ = file.Close() }() // it was only read
	sendMasked(w)                       // by what a person chose
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson")
	if e.Markdown {
		h.Set("Content-Type", "text/markdown; charset=utf-8")
	}
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": FileName(s.exportPolicy(&e, false).Text(summary.Title), e.Markdown)}))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if info, err := file.Stat(); err == nil {
		h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	}
	_, _ = io.Copy(w, file) // a reader that left needs no answer
}

// maxFileName is how long the name of a file is, without its extension, in characters.
const maxFileName = 60

// FileName is what the file of a thread with a title is called.
func FileName(title string, markdown bool) string {
	name := []rune(strings.Join(strings.FieldsFunc(title, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	}), " "))
	text := strings.TrimSpace(string(name[:min(len(name), maxFileName)]))
	if text == "" {
		text = "thread"
	}
	if markdown {
		return text + ".md"
	}
	return text + archive.Extension
}

// previewExport answers with what an export made as the body says would mask.
func (s *Studio) previewExport(w http.ResponseWriter, r *http.Request) {
	var body exportBody
	err := read(w, r, &body)
	var e Export
	if err == nil {
		e, err = body.export()
	}
	var preview *Preview
	if err == nil {
		preview, err = s.Preview(r.Context(), r.PathValue("id"), e)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusOK, preview)
}

// postImport stores the thread of the file that is the body, of any media type and larger than other bodies may be. With ?copy=true it
// gets new ids; without, a thread that is here already is a conflict that names it.
func (s *Studio) postImport(w http.ResponseWriter, r *http.Request) {
	asCopy := false
	if said := r.URL.Query().Get("copy"); said != "" {
		var err error
		if asCopy, err = strconv.ParseBool(said); err != nil {
			s.fail(w, invalid("copy: must be true or false"))
			return
		}
	}
	in, err := s.importFile(context.WithoutCancel(r.Context()), r.Body, asCopy)
	switch {
	case errors.Is(err, ErrThreadExists):
		reply(w, http.StatusConflict, map[string]any{
			"error":    map[string]string{"message": "This thread is here already.", "code": codeThreadExists},
			"threadId": in.ThreadID,
		})
	case errors.Is(err, errTooLarge):
		s.fail(w, &refusal{http.StatusRequestEntityTooLarge, server.CodePayloadTooLarge, err.Error()})
	case errors.Is(err, ErrThreadFile):
		s.fail(w, invalid("%s", strings.TrimPrefix(err.Error(), ErrThreadFile.Error()+": ")))
	case err != nil:
		s.fail(w, err)
	default:
		reply(w, http.StatusCreated, in)
	}
}
