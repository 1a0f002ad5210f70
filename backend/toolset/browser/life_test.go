//go:build unix

package browser

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// alive says whether anybody of a process group is left.
func alive(group int) bool { return !errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) }

func (b *Browser) group() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.window.pid
}

func TestTheBrowserEndsWithItsLastPageAndComesBack(t *testing.T) {
	b := New(Options{Allow: admitted.has, Unasked: true, Idle: 300 * time.Millisecond})
	t.Cleanup(b.Close)
	s := newSeat(t, b)
	web := site(t, map[string]string{"/": "here"})
	if b.Running() {
		t.Error("a browser runs before a page was opened")
	}
	s.do("browser_open", args{"url": web.URL})
	group := b.group()
	until(t, "the browser ends", func() bool { return !b.Running() })
	until(t, "all its processes are gone", func() bool { return !alive(group) })
	s.fails("browser_read", nil, "no page is open: open one first")
	s.do("browser_open", args{"url": web.URL})
	b.Close()
	s.fails("browser_open", args{"url": web.URL}, ErrClosed.Error())
}

func TestNothingIsLeftAfterClose(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	b := New(Options{Allow: admitted.has, Unasked: true})
	t.Cleanup(b.Close)
	s := newSeat(t, b)
	web := site(t, map[string]string{"/": "<script>alert(1)</script>"})
	for i := range 3 {
		(&seat{t, b, fmt.Sprint(i)}).do("browser_open", args{"url": web.URL})
	}
	group := b.group()
	b.Close()
	until(t, "all its processes are gone", func() bool { return !alive(group) })
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("files are left: %s", strings.Join(left, ", "))
	}
	s.fails("browser_read", nil, ErrClosed.Error())
	b.Close()
}

func TestABrowserThatDiedIsStartedAgain(t *testing.T) {
	b := New(Options{Allow: admitted.has, Unasked: true})
	t.Cleanup(b.Close)
	s := newSeat(t, b)
	web := site(t, map[string]string{"/": "here"})
	s.do("browser_open", args{"url": web.URL})
	if err := syscall.Kill(-b.group(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "its end is noticed", func() bool { return !b.Running() })
	s.fails("browser_read", nil, "no page is open: open one first")
	s.do("browser_open", args{"url": web.URL})
	s.holds(s.do("browser_read", nil), "here")
}

func TestThePageThatWasNotUsedLongestMakesRoom(t *testing.T) {
	b := New(Options{Allow: admitted.has, Unasked: true})
	t.Cleanup(b.Close)
	s := newSeat(t, b)
	web := site(t, map[string]string{"/": "here"})
	for i := range maxPages + 1 {
		s.thread = fmt.Sprint(i)
		s.do("browser_open", args{"url": web.URL})
	}
	s.thread = "0"
	s.fails("browser_read", nil, "no page is open")
	s.thread = "1"
	s.do("browser_read", nil)
}

func TestABrowserThatIsNotThereIsSaid(t *testing.T) {
	b := New(Options{Path: filepath.Join(t.TempDir(), "chromium"), Unasked: true})
	t.Cleanup(b.Close)
	s := &seat{t, b, "t"}
	s.fails("browser_open", args{"url": "http://example.com"}, "start the browser")
	t.Setenv("PATH", t.TempDir())
	if path, err := Find(); err == nil && !strings.HasPrefix(path, "/Applications/") {
		t.Errorf("found %s, want none", path)
	} else if err != nil && !errors.Is(err, ErrNoBrowser) {
		t.Errorf("got %v, want ErrNoBrowser", err)
	}
	other := New(Options{Path: "false", Unasked: true})
	t.Cleanup(other.Close)
	t.Setenv("PATH", "/bin:/usr/bin")
	(&seat{t, other, "t"}).fails("browser_open", args{"url": "http://example.com"}, "start the browser false")
}
