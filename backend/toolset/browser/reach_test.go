package browser

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

func TestOnlyAddressesOfThePublicNetArePublic(t *testing.T) {
	for text, want := range map[string]bool{
		"93.184.215.14": true, "1.1.1.1": true, "172.32.0.1": true, "2606:4700:4700::1111": true, "64:ff9b::101:101": true, "2002:101:101::": true,
		"127.0.0.1": false, "127.9.9.9": false, "0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "192.0.0.8": false, "198.18.0.1": false, "224.0.0.1": false, "240.0.0.1": false,
		"255.255.255.255": false, "::1": false, "::": false, "::7f00:1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "fe80::1": false,
		"fe80::1%eth0": false, "fc00::1": false, "fd12::1": false, "fec0::1": false, "ff02::1": false, "64:ff9b::7f00:1": false,
		"64:ff9b::a9fe:a9fe": false, "2002:7f00:1::": false, "2002:a00:1::": false, "2001:db8::1": false, "100::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
}

func TestAddressesThatAreNoPagesAreRefused(t *testing.T) {
	needBrowser(t)
	s := newSeat(t, shared)
	for _, address := range []string{
		"file:///etc/passwd", "chrome://version", "about:blank", "data:text/html,x", "javascript:alert(1)", "view-source:http://example.com", "ftp://example.com",
		"example.com", "localhost:80", "//example.com", "http://", "http:///x", "", "http://%zz", "http://a b/",
	} {
		if _, err := s.prepare("browser_open", fmt.Sprintf(`{"url":%q}`, address)); err == nil {
			t.Errorf("%q was taken, want it refused", address)
		}
	}
}

// hidden is a server the browser may not reach, and how often it was reached all the same.
func hidden(t *testing.T) (address string, reached *atomic.Int64) {
	t.Helper()
	reached = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		put(w, "<title>inner</title>the crown jewels")
	}))
	t.Cleanup(server.Close)
	return server.URL, reached
}

func TestWhatIsNotOnThePublicNetIsNotReached(t *testing.T) {
	s := newSeat(t, shared)
	inner, reached := hidden(t)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(inner, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, inner, http.StatusFound)
		case "/page":
			put(w, `<title>outer</title><a href="%[1]s">in</a><img src="%[1]s/img"><iframe src="%[1]s/frame"></iframe><p id="p">waiting</p>
				<script>(async () => {
					const tried = [];
					for (const url of ["%[1]s", "https://127.0.0.1:%[2]s", "http://localhost:%[2]s"]) {
						const r = await fetch(url).then((r) => r.status, () => "failed"); tried.push(r) }
					await new Promise((done) => { const w = new WebSocket("ws://127.0.0.1:%[2]s"); w.onerror = w.onopen = (e) => { tried.push(e.type); done() } });
					p.textContent = tried.join(" ") })()</script>`, inner, port)
		}
	}))
	for _, address := range []string{
		inner, "http://localhost:" + port, "http://127.1:" + port, "http://2130706433:" + port, "http://[::ffff:127.0.0.1]:" + port,
		"https://127.0.0.1:" + port, web.URL + "/redirect", "http://0.0.0.0:" + port,
	} {
		s.fails("browser_open", args{"url": address}, "is not on the public net, and the browser may not reach it: the user can allow the host")
	}
	s.do("browser_open", args{"url": web.URL + "/page"})
	text := ""
	until(t, "the page has tried everything", func() bool {
		text = s.do("browser_read", args{"selector": "#p"})
		return !strings.Contains(text, "waiting")
	})
	s.holds(text, "failed failed failed error")
	s.fails("browser_click", args{"text": "in"}, "is not on the public net")
	if n := reached.Load(); n != 0 {
		t.Errorf("the server was reached %d times, want never", n)
	}

	u, err := url.Parse(inner)
	if err != nil {
		t.Fatal(err)
	}
	admitted.hosts.Store(u.Host, true)
	s.do("browser_open", args{"url": inner})
	s.holds(s.do("browser_read", nil), "the crown jewels")
}

func TestAHostThatCannotBeReachedIsSaid(t *testing.T) {
	s := newSeat(t, shared)
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	admitted.hosts.Store(address, true)
	s.fails("browser_open", args{"url": "http://" + address}, "connection refused")
	s.fails("browser_open", args{"url": "https://" + address}, "connection refused")
	s.fails("browser_open", args{"url": "http://nobody.invalid"}, "nobody.invalid")
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	secure.Config.ErrorLog = log.New(t.Output(), "", 0)
	admitted.hosts.Store(strings.TrimPrefix(secure.URL, "https://"), true)
	s.fails("browser_open", args{"url": secure.URL}, "ERR_CERT_AUTHORITY_INVALID")
}

func TestTheProxyCarriesWhatIsAdmitted(t *testing.T) {
	for name, start := range map[string]func(http.Handler) *httptest.Server{"plain": httptest.NewServer, "TLS": httptest.NewTLSServer} {
		t.Run(name, func(t *testing.T) {
			server := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				put(w, "%s %s of %d bytes, forwarded for %q", r.Method, r.Host, len(body), r.Header.Get("X-Forwarded-For"))
			}))
			defer server.Close()
			u, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			p, err := newProxy(Hosts(u.Host))
			if err != nil {
				t.Fatal(err)
			}
			transport := server.Client().Transport.(*http.Transport)
			transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: p.address()})
			response, err := server.Client().Post(server.URL, "text/plain", strings.NewReader(strings.Repeat("x", 1<<20))) //nolint:noctx // the server is here
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			if err = errors.Join(err, response.Body.Close()); err != nil {
				t.Fatal(err)
			}
			if got, want := string(body), "POST "+u.Host+" of 1048576 bytes, forwarded for \"\""; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if err := p.close(); err != nil { // with the connection still open
				t.Error(err)
			}
			transport.CloseIdleConnections()
		})
	}
}

func TestHostsAreAdmittedByNameWithOrWithoutAPort(t *testing.T) {
	allow := Hosts("localhost", "10.0.0.5:8080", "[::1]", "Intranet")
	for hostPort, want := range map[string]bool{
		"localhost:80": true, "localhost:3000": true, "10.0.0.5:8080": true, "10.0.0.5:80": false, "[::1]:80": true, "intranet:443": true,
		"x.localhost:80": false, "127.0.0.1:80": false, "localhost": true,
	} {
		if got := allow(hostPort); got != want {
			t.Errorf("%s: got %t, want %t", hostPort, got, want)
		}
	}
}

func TestTheProxyServesNoOneElse(t *testing.T) {
	p, err := newProxy(Hosts())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	}()
	inner, reached := hidden(t)
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: " + p.address() + "\r\n\r\n",
		"GET " + inner + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"CONNECT " + strings.TrimPrefix(inner, "http://") + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET https://127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		c, err := net.Dial("tcp", p.address()) //nolint:noctx // the server is here
		if err != nil {
			t.Fatal(err)
		}
		put(c, "%s", request)
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode/100 != 4 {
			t.Errorf("%q: got %s, want it refused", request, response.Status)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the server was reached %d times, want never", n)
	}
}
