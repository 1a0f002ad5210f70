package studio

import (
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// policy lets the page load nothing but its own files. Styles may be inline because the editor and the virtual list write them.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// mediaTypes are ours because a system's own table may call JavaScript plain text, and a browser then refuses it.
var mediaTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".map":         "application/json",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".woff":        "font/woff",
	".woff2":       "font/woff2",
}

// Failed answers, in place of a studio that did not open, with a page that says why.
func Failed(w http.ResponseWriter, err error) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprintf(w, failed, html.EscapeString(err.Error())) // a reader that left needs no answer
}

const failed = `<!doctype html><meta charset="utf-8"><title>Callboard</title>
<body style="color-scheme: light dark; font: 14px/1.6 sans-serif; margin: 48px; max-width: 72ch">
<h1 style="font-size: 18px">Callboard cannot start</h1><p>%s</p><p>Nothing was changed. Close this window and try again.</p>`

const notBuilt = "Callboard's page is not built into this program. Build it with `make build`; the protocol is at /api all the same.\n"

// page serves the window's page: its files, and for every other address of the page's own the page itself.
type page struct{ assets fs.FS }

func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer") // the first address holds the token
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	content, err := p.read(name)
	if err != nil {
		if path.Ext(name) != "" && name != "index.html" {
			http.NotFound(w, r)
			return
		}
		name = "index.html"
		if content, err = p.read(name); err != nil {
			header.Set("Cache-Control", "no-store")
			http.Error(w, notBuilt, http.StatusServiceUnavailable)
			return
		}
	}
	header.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") { // their names hold a hash of what they are
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	kind := mediaTypes[strings.ToLower(path.Ext(name))]
	if kind == "" {
		kind = "application/octet-stream"
	}
	header.Set("Content-Type", kind)
	if r.Method == http.MethodGet {
		_, _ = w.Write(content) // a reader that left needs no answer
	}
}

func (p page) read(name string) ([]byte, error) {
	if p.assets == nil {
		return nil, fs.ErrNotExist
	}
	return fs.ReadFile(p.assets, name)
}
