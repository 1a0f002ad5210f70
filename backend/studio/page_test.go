package studio

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"callboard/backend/server"
)

func TestThePage(t *testing.T) {
	site := page{fstest.MapFS{
		"index.html":          {Data: []byte("<!doctype html>page")},
		"assets/app-3f2a.js":  {Data: []byte("export {}")},
		"assets/app-3f2a.css": {Data: []byte("a{}")},
		"assets/i-1.woff2":    {Data: []byte("font")},
		"icon.svg":            {Data: []byte("<svg/>")},
	}}
	const forever, ask = "public, max-age=31536000, immutable", "no-cache"
	for name, c := range map[string]struct {
		site              page
		method, path      string
		status            int
		body, kind, cache string
	}{
		"the page":                     {site, "GET", "/", 200, "<!doctype html>page", "text/html; charset=utf-8", ask},
		"the page by its name":         {site, "GET", "/index.html", 200, "<!doctype html>page", "text/html; charset=utf-8", ask},
		"an address of the page's own": {site, "GET", "/t/thr_1/r/run_2", 200, "<!doctype html>page", "text/html; charset=utf-8", ask},
		"a script, for ever":           {site, "GET", "/assets/app-3f2a.js", 200, "export {}", "text/javascript; charset=utf-8", forever},
		"a style, for ever":            {site, "GET", "/assets/app-3f2a.css", 200, "a{}", "text/css; charset=utf-8", forever},
		"a font":                       {site, "GET", "/assets/i-1.woff2", 200, "font", "font/woff2", forever},
		"an icon":                      {site, "GET", "/icon.svg", 200, "<svg/>", "image/svg+xml", ask},
		"only the head":                {site, "HEAD", "/assets/app-3f2a.js", 200, "", "text/javascript; charset=utf-8", forever},
		"a file that is not there":     {site, "GET", "/assets/app-0000.js", 404, "404 page not found\n", "text/plain; charset=utf-8", ""},
		"a way out of the files":       {site, "GET", "/../../etc/passwd", 200, "<!doctype html>page", "text/html; charset=utf-8", ask},
		"a folder is no file":          {site, "GET", "/assets/", 200, "<!doctype html>page", "text/html; charset=utf-8", ask},
		"another method":               {site, "POST", "/", 405, "method not allowed\n", "text/plain; charset=utf-8", ""},
		"a program without its page":   {page{fstest.MapFS{".gitkeep": {}}}, "GET", "/", 503, notBuilt + "\n", "text/plain; charset=utf-8", "no-store"},
		"a program without any files":  {page{}, "GET", "/t/x", 503, notBuilt + "\n", "text/plain; charset=utf-8", "no-store"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := httptest.NewRecorder()
			request := httptest.NewRequestWithContext(t.Context(), c.method, "http://wails/", nil)
			request.URL.Path = c.path
			c.site.ServeHTTP(answer, request)
			header := answer.Header()
			if answer.Code != c.status || answer.Body.String() != c.body {
				t.Errorf("the answer is %d %q, want %d %q", answer.Code, answer.Body, c.status, c.body)
			}
			if header.Get("Content-Type") != c.kind || header.Get("Cache-Control") != c.cache {
				t.Errorf("it is %q, cached %q; want %q, %q", header.Get("Content-Type"), header.Get("Cache-Control"), c.kind, c.cache)
			}
			if !strings.Contains(header.Get("Content-Security-Policy"), "script-src 'self';") || header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("the page is not guarded: %v", header)
			}
		})
	}
}

func TestTheHandlerServesPageProtocolAndStudio(t *testing.T) {
	b := openBench(t, Config{Assets: fstest.MapFS{"index.html": {Data: []byte("page")}}, Version: "1.2.3"})
	if got := b.call(http.MethodGet, "/t/thr_1", "", http.StatusOK); got != "page" {
		t.Errorf("the page is %q", got)
	}
	if got := b.call(http.MethodGet, "/api/health", "", http.StatusOK); !strings.Contains(got, `"ok"`) {
		t.Errorf("health is %q", got)
	}
	agents := fetch[struct {
		Agents []struct {
			Name  string
			Tools []string
		}
	}](b, http.MethodGet, "/api/agents", "", http.StatusOK).Agents
	if len(agents) != 2 || agents[0].Name != demoAgent || agents[1].Name != workspaceAgent || len(agents[0].Tools) != 7 {
		t.Errorf("the agents are %+v, want demo and workspace with seven tools each", agents)
	}
	for path, status := range map[string]int{"/api": 404, "/api/nothing": 404, "/api/studio/nothing": 404} {
		b.call(http.MethodGet, path, "", status)
	}
	stranger := httptest.NewRecorder()
	b.studio.ServeHandler(server.Guard{Token: "secret"}).ServeHTTP(stranger, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/studio/state", nil))
	if stranger.Code != http.StatusUnauthorized {
		t.Errorf("without the token the state gave %d", stranger.Code)
	}
}
