package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Guard stands before everything that listens on TCP. It lets a request through when its Host is one of the server's own names
// (a name an attacker points here is not), its Origin is absent or the server's own, and it brings the token.
type Guard struct {
	// Token is what clients send as "Authorization: Bearer T", or as the cookie that opening /?token=T sets. Empty lets everyone
	// in: for loopback only, which the caller sees to.
	Token string
	// Port names the cookie callboard_<port>, so that two servers on one machine do not share it; 0 is the port a request came to.
	Port int
	// Hosts are names to answer to beside localhost and IP addresses, without a port.
	Hosts []string
	// Open are the paths that need no token; nil is /health and /ready, there and under /api.
	Open []string
	// MaxBody limits a request's body, in bytes; 0 is DefaultMaxBody.
	MaxBody int64
	// Unlimited are the paths whose handlers limit a body themselves.
	Unlimited []string
}

var openPaths = []string{"/health", "/ready", "/api/health", "/api/ready"}

// Wrap returns next behind the guard.
func (g Guard) Wrap(next http.Handler) http.Handler {
	if g.Open == nil {
		g.Open = openPaths
	}
	if g.MaxBody == 0 {
		g.MaxBody = DefaultMaxBody
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limited := !slices.Contains(g.Unlimited, r.URL.Path)
		switch {
		case !g.knownHost(r.Host):
			refuse(w, http.StatusForbidden, CodeForbidden, fmt.Sprintf("this server does not answer to the name %q; --host adds a name", r.Host))
		case !ownOrigin(r):
			refuse(w, http.StatusForbidden, CodeForbidden, fmt.Sprintf("requests from %s are not allowed", r.Header.Get("Origin")))
		case g.isOpening(r):
			g.open(w, r)
		case !g.admitted(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, CodeUnauthorized,
				"a token is needed: open the address that was printed at the start, or send Authorization: Bearer")
		case limited && r.ContentLength > g.MaxBody:
			refuse(w, http.StatusRequestEntityTooLarge, CodePayloadTooLarge, fmt.Sprintf("the body is over %d bytes", g.MaxBody))
		default:
			if limited && r.Body != nil {
				r.Body = http.MaxBytesReader(w, r.Body, g.MaxBody)
			}
			next.ServeHTTP(w, r)
		}
	})
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, errorAnswer{Error: errorBody{Message: message, Code: code}})
}

func (g Guard) knownHost(host string) bool {
	name := hostname(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return strings.EqualFold(name, "localhost") || slices.ContainsFunc(g.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// hostname is a Host header without its port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// ownOrigin reports whether a request comes from a page of this server, or from no page.
func ownOrigin(r *http.Request) bool {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return true
	}
	origin, err := url.Parse(values[0])
	return err == nil && len(values) == 1 && (origin.Scheme == "http" || origin.Scheme == "https") && strings.EqualFold(origin.Host, r.Host)
}

// isOpening reports whether a request opens the page with the token in its address.
func (g Guard) isOpening(r *http.Request) bool {
	return g.Token != "" && r.URL.Path == "/" && r.Method == http.MethodGet && same(r.URL.Query().Get("token"), g.Token)
}

// open trades the token in the address for a cookie, so that it stays out of the browser's history.
func (g Guard) open(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name: g.cookie(r), Value: g.cookieValue(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	clean := url.URL{Path: "/"}
	query := r.URL.Query()
	query.Del("token")
	clean.RawQuery = query.Encode()
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, clean.String(), http.StatusSeeOther)
}

func (g Guard) admitted(r *http.Request) bool {
	if g.Token == "" || slices.Contains(g.Open, r.URL.Path) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") && same(strings.TrimSpace(token), g.Token) {
		return true
	}
	cookie, err := r.Cookie(g.cookie(r))
	return err == nil && same(cookie.Value, g.cookieValue())
}

func (g Guard) cookie(r *http.Request) string {
	port := g.Port
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && port == 0 {
		port = local.Port
	}
	return "callboard_" + strconv.Itoa(port)
}

// cookieValue stands for the token in the cookie: fit for one whatever the token holds, and not the token itself.
func (g Guard) cookieValue() string {
	sum := sha256.Sum256([]byte("callboard cookie\x00" + g.Token))
	return hex.EncodeToString(sum[:])
}

// same compares in a time that tells nothing of the wanted text, its length neither.
func same(got, want string) bool {
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
