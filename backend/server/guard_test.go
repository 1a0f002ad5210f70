package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func guarded(g Guard) http.Handler {
	return g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		_, _ = io.WriteString(w, "in")
	}))
}

func TestTheGuardLetsIn(t *testing.T) {
	g := Guard{Token: "s3cret", Port: 4820, Hosts: []string{"studio.example"}}
	cookie := "callboard_4820=" + g.cookieValue()
	for _, c := range []struct {
		name, method, target, host string
		header                     []string
		want                       int
	}{
		{"the token as a bearer", "GET", "/api/threads", "127.0.0.1:4820", []string{"Authorization", "Bearer s3cret"}, 200},
		{"the scheme in any case", "GET", "/api/threads", "127.0.0.1:4820", []string{"Authorization", "bearer s3cret"}, 200},
		{"the cookie", "GET", "/", "127.0.0.1:4820", []string{"Cookie", cookie}, 200},
		{"the cookie among others", "GET", "/", "127.0.0.1:4820", []string{"Cookie", "a=b; " + cookie}, 200},
		{"no token", "GET", "/api/threads", "127.0.0.1:4820", nil, 401},
		{"no token, for the page", "GET", "/", "127.0.0.1:4820", nil, 401},
		{"a wrong token", "GET", "/api/threads", "127.0.0.1:4820", []string{"Authorization", "Bearer s3cre"}, 401},
		{"an empty token", "GET", "/api/threads", "127.0.0.1:4820", []string{"Authorization", "Bearer "}, 401},
		{"another scheme", "GET", "/api/threads", "127.0.0.1:4820", []string{"Authorization", "Basic s3cret"}, 401},
		{"the cookie of another port", "GET", "/", "127.0.0.1:4820", []string{"Cookie", "callboard_4821=" + g.cookieValue()}, 401},
		{"the token itself in the cookie", "GET", "/", "127.0.0.1:4820", []string{"Cookie", "callboard_4820=s3cret"}, 401},
		{"a wrong token in the address", "GET", "/?token=x", "127.0.0.1:4820", nil, 401},
		{"the token in the address of another path", "GET", "/api/threads?token=s3cret", "127.0.0.1:4820", nil, 401},
		{"health without a token", "GET", "/health", "127.0.0.1:4820", nil, 200},
		{"ready under /api without a token", "GET", "/api/ready", "127.0.0.1:4820", nil, 200},
		{"a thread that is called health", "GET", "/api/threads/health", "127.0.0.1:4820", nil, 401},
		{"health with a foreign name", "GET", "/health", "evil.example", nil, 403},

		{"an IPv6 address", "GET", "/health", "[::1]:4820", nil, 200},
		{"an IPv6 address without a port", "GET", "/health", "[::1]", nil, 200},
		{"localhost", "GET", "/health", "localhost:4820", nil, 200},
		{"localhost in capitals", "GET", "/health", "LOCALHOST", nil, 200},
		{"an allowed name", "GET", "/health", "studio.example:4820", nil, 200},
		{"a name pointed here", "GET", "/api/threads", "rebind.example:4820", []string{"Authorization", "Bearer s3cret"}, 403},
		{"a name that begins like localhost", "GET", "/health", "localhost.evil.example", nil, 403},
		{"a name that begins like an address", "GET", "/health", "127.0.0.1.evil.example", nil, 403},
		{"no name", "GET", "/health", "", nil, 403},

		{"the own origin", "POST", "/api/x", "127.0.0.1:4820", []string{"Authorization", "Bearer s3cret", "Origin", "http://127.0.0.1:4820"}, 200},
		{"a foreign origin", "POST", "/api/x", "127.0.0.1:4820", []string{"Authorization", "Bearer s3cret", "Origin", "http://evil.example"}, 403},
		{"the origin of another port", "POST", "/api/x", "127.0.0.1:4820", []string{"Cookie", cookie, "Origin", "http://127.0.0.1:8080"}, 403},
		{"a hidden origin", "POST", "/api/x", "127.0.0.1:4820", []string{"Cookie", cookie, "Origin", "null"}, 403},
		{"an empty origin", "POST", "/api/x", "127.0.0.1:4820", []string{"Cookie", cookie, "Origin", ""}, 403},
		{"an origin of an extension", "POST", "/api/x", "127.0.0.1:4820", []string{"Cookie", cookie, "Origin", "chrome-extension://127.0.0.1:4820"}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), c.method, c.target, nil)
			r.Host = c.host
			for i := 0; i < len(c.header); i += 2 {
				r.Header.Set(c.header[i], c.header[i+1])
			}
			out := httptest.NewRecorder()
			guarded(g).ServeHTTP(out, r)
			if out.Code != c.want {
				t.Errorf("got %d %s, want %d", out.Code, out.Body, c.want)
			}
			if c.want != 200 && strings.Contains(out.Body.String(), "s3cret") {
				t.Errorf("the answer tells the token: %s", out.Body)
			}
		})
	}
}

func TestOpeningThePageWithTheTokenSetsACookie(t *testing.T) {
	web := httptest.NewServer(guarded(Guard{Token: "a token; with, odd \"signs\""}))
	defer web.Close()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/?token=a+token%3B+with%2C+odd+%22signs%22&thread=t1", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if got, want := response.StatusCode, http.StatusSeeOther; got != want {
		t.Fatalf("status: got %d, want %d", got, want)
	}
	if got, want := response.Header.Get("Location"), "/?thread=t1"; got != want {
		t.Errorf("location: got %q, want %q", got, want)
	}
	cookies := response.Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies: got %v", cookies)
	}
	cookie := cookies[0]
	port := web.URL[strings.LastIndex(web.URL, ":")+1:]
	if cookie.Name != "callboard_"+port || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" {
		t.Errorf("cookie: got %v", response.Header.Get("Set-Cookie"))
	}
	if strings.Contains(cookie.Value, "token") {
		t.Errorf("the cookie holds the token: %s", cookie.Value)
	}
	r, err = http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/?thread=t1", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(cookie)
	response, err = client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("with the cookie: got %d", response.StatusCode)
	}
}

func TestWithoutATokenEveryoneIsLetIn(t *testing.T) {
	for target, want := range map[string]int{"/api/threads": 200, "/?token=": 200, "/?token=x": 200} {
		out := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), "GET", target, nil)
		r.Host = "localhost"
		guarded(Guard{}).ServeHTTP(out, r)
		if out.Code != want {
			t.Errorf("%s: got %d, want %d", target, out.Code, want)
		}
	}
}

func TestTheGuardLimitsBodies(t *testing.T) {
	for _, c := range []struct {
		name string
		body io.Reader
		want int
	}{
		{"one that fits", strings.NewReader("12345678"), 200},
		{"one that says it is larger", strings.NewReader("123456789"), 413},
		{"one that does not say", struct{ io.Reader }{strings.NewReader("123456789")}, 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/x", c.body)
			r.Host = "localhost"
			guarded(Guard{MaxBody: 8}).ServeHTTP(out, r)
			if out.Code != c.want {
				t.Errorf("got %d, want %d", out.Code, c.want)
			}
		})
	}
}
