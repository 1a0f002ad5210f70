package browser

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// signal sends a signal to the processes of a browser that draw its pages.
func (s *seat) signal(number syscall.Signal) {
	s.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		s.Fatal(err)
	}
	sent := 0
	for _, path := range all {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		line, err := os.ReadFile(path)
		if group, groupErr := syscall.Getpgid(pid); err != nil || groupErr != nil || group != s.browser.group() || !strings.Contains(string(line), "--type=renderer") {
			continue
		}
		if err := syscall.Kill(pid, number); err == nil {
			sent++
		}
	}
	if sent == 0 {
		s.Fatal("no process draws pages")
	}
}

func TestAPageThatCannotBeRousedIsClosed(t *testing.T) {
	b := New(Options{Allow: admitted.has, Unasked: true})
	t.Cleanup(b.Close)
	s := newSeat(t, b)
	web := site(t, map[string]string{"/": "here"})
	s.do("browser_open", args{"url": web.URL})
	s.signal(syscall.SIGSTOP)
	b.wake = 500 * time.Millisecond
	s.fails("browser_read", nil, "did not answer, and was closed: open it again")
	s.signal(syscall.SIGCONT)
	b.wake = wakeTime
	s.do("browser_open", args{"url": web.URL})
	s.holds(s.do("browser_read", nil), "here")
}
