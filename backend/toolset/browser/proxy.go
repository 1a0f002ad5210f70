package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	dialTime  = 15 * time.Second
	maxFaults = 1000
)

// refused is an address the browser may not reach.
type refused struct{ host, address string }

func (r *refused) Error() string {
	where := r.host
	if host, _, err := net.SplitHostPort(r.host); err == nil && host != r.address {
		where += " (" + r.address + ")"
	}
	return where + " is not on the public net, and the browser may not reach it: the user can allow the host"
}

// proxy is what the browser reaches the net through.
type proxy struct {
	allow    func(hostPort string) bool
	listener net.Listener
	server   *http.Server
	through  *httputil.ReverseProxy
	serving  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]struct{} // of tunnels
	faults map[string]error      // why a host could not be reached the last time, by "name:port"
}

func newProxy(allow func(string) bool) (*proxy, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the browser: %w", err)
	}
	p := &proxy{allow: allow, listener: listener, open: map[net.Conn]struct{}{}, faults: map[string]error{}}
	p.through = &httputil.ReverseProxy{
		Rewrite:      func(*httputil.ProxyRequest) {}, // the request names its host
		Transport:    &http.Transport{DialContext: p.dial, ResponseHeaderTimeout: callTimeout, IdleConnTimeout: dialTime, DisableCompression: true},
		ErrorHandler: p.fail,
		ErrorLog:     log.New(io.Discard, "", 0), // what fails is told to the browser
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: dialTime, ErrorLog: p.through.ErrorLog}
	p.serving.Go(func() { _ = p.server.Serve(listener) }) // it ends with close
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) close() error {
	p.mu.Lock()
	p.closed = true
	for c := range p.open {
		_ = c.Close() // the tunnel ends with it
	}
	p.mu.Unlock()
	err := p.server.Close()
	p.serving.Wait()
	p.through.Transport.(*http.Transport).CloseIdleConnections()
	return err
}

// ServeHTTP serves a request as a proxy.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.Scheme != "http" || r.URL.Host == "":
		http.Error(w, "this is the proxy of a browser", http.StatusBadRequest)
	default:
		p.through.ServeHTTP(w, r)
	}
}

func (p *proxy) fail(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusBadGateway
	if r := (*refused)(nil); errors.As(err, &r) {
		status, err = http.StatusForbidden, r
	}
	http.Error(w, err.Error(), status)
}

// tunnel passes bytes both ways.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	there, err := p.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = there.Close() // nothing went through it
		p.fail(w, r, err)
		return
	}
	if !p.keep(here, there) {
		return
	}
	defer p.serving.Done()
	_, err = io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n")
	if err != nil {
		p.drop(here, there)
		return
	}
	p.serving.Go(func() {
		defer p.drop(here, there)
		_, _ = io.Copy(there, buffered) // either side may break it off
	})
	p.serving.Go(func() {
		defer p.drop(here, there)
		_, _ = io.Copy(here, there)
	})
}

// keep notes the ends of a tunnel, which close waits for until serving is done; false when it is too late for one.
func (p *proxy) keep(connections ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		for _, c := range connections {
			_ = c.Close()
		}
		return false
	}
	for _, c := range connections {
		p.open[c] = struct{}{}
	}
	p.serving.Add(1)
	return true
}

func (p *proxy) drop(connections ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range connections {
		_ = c.Close() // perhaps for the second time
		delete(p.open, c)
	}
}

// dial connects to a host that may be reached. What counts is the address that is connected to, not the one a name led to before.
func (p *proxy) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	hostPort = strings.ToLower(hostPort)
	dialer := net.Dialer{Timeout: dialTime}
	if !p.allow(hostPort) {
		dialer.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("read the address %s: %w", address, err)
			}
			if !isPublic(at.Addr()) {
				return &refused{hostPort, at.Addr().String()}
			}
			return nil
		}
	}
	c, err := dialer.DialContext(ctx, network, hostPort)
	if r := (*refused)(nil); errors.As(err, &r) {
		err = r
	}
	p.note(hostPort, err)
	return c, err
}

func (p *proxy) note(hostPort string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		delete(p.faults, hostPort)
		return
	}
	if len(p.faults) >= maxFaults {
		clear(p.faults)
	}
	p.faults[hostPort] = err
}

// fault says why the host of an address could not be reached the last time; nil when it could.
func (p *proxy) fault(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return nil //nolint:nilerr // an address that is none has no host
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.faults[strings.ToLower(net.JoinHostPort(u.Hostname(), port))]
}
