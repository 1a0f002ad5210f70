package studio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/backend/server"
)

// serveAsChild is the test program as a Callboard of its own: it serves a data folder until it is killed.
func serveAsChild(dir string) int {
	s, err := open(context.Background(), Config{
		Dir: dir, Script: os.Getenv("STUDIO_TEST_SCRIPT"), LocalServers: []LocalServer{}, Logger: slog.New(slog.DiscardHandler),
	}, quick)
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	unpaced(s)
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Printf("http://%s\n", listener.Addr())
	web := &http.Server{Handler: s.ServeHandler(server.Guard{Token: "secret"}), ReadHeaderTimeout: time.Minute}
	fmt.Println("error:", web.Serve(listener))
	return 1
}

// child is a studio in another process.
type child struct {
	*bench
	cmd *exec.Cmd
}

func startChild(t *testing.T, dir, script string) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "STUDIO_TEST_CHILD="+dir, "STUDIO_TEST_SCRIPT="+script, "CHECK_PAUSE=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: cmd}
	t.Cleanup(c.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.HasPrefix(line, "error:") {
		t.Fatalf("start another studio: %q %v", line, err)
	}
	c.bench = &bench{T: t, url: strings.TrimSpace(line), client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	return c
}

// kill ends the process as kill -9 does.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may be gone already
	_ = c.cmd.Wait()
}

func TestAnApprovalOutlivesTheProcessThatAskedForIt(t *testing.T) {
	dir := t.TempDir()
	first := startChild(t, dir, "")
	thread := first.newThread(`{"agentName":"demo"}`)
	runID := first.send(thread.ID, demoAgent, demoMessage)
	asked := first.settled(runID)
	if asked.status != "paused" {
		t.Fatalf("the run is %s, want it paused:\n%s", asked.status, asked)
	}

	if err := InUse(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("an open folder: got %v, want %v", err, ErrInUse)
	}
	if err := InUse(t.TempDir()); err != nil {
		t.Errorf("a folder nobody has open: %v", err)
	}
	if _, err := Open(t.Context(), Config{Dir: dir}); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "--data") {
		t.Errorf("a second process got %v, want that %s is in use, and what to do", err, dir)
	}
	first.kill()

	second := openBench(t, Config{Dir: dir})
	back := second.settled(runID)
	if back.String() != asked.String() {
		t.Errorf("the log after the restart is another one:\n%s\nwant\n%s", back, asked)
	}
	second.decideAll(back, true)
	done := second.settled(runID)
	if done.status != "completed" || !strings.HasPrefix(done.String(), asked.String()) {
		t.Fatalf("the run ended %s:\n%s", done.status, done)
	}
	if note := readFile(t, thread.Folder, "dist/staging/RELEASE"); !strings.Contains(note, "port 9090") {
		t.Errorf("the release note is %q", note)
	}
	seqsInOrder(t, done)
}

func TestACallThatRanWhenTheProcessDiedIsUnknownUntilAPersonDecides(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	script := writeFile(t, `{"turns": [
		{"chunks": [{"toolCalls": [{"id": "c1", "name": "run_command", "arguments": "{\"command\": \"echo x >> ran; sleep ${NAP:-600}\"}"}]}]},
		{"chunks": [{"text": "Done."}]}
	]}`, t.TempDir(), "script.json")
	first := startChild(t, dir, script)
	thread := first.newThread(asJSON(map[string]string{"agentName": workspaceAgent, "folder": folder}))
	runID := first.send(thread.ID, workspaceAgent, "Go")
	first.decideAll(first.settled(runID), true)
	ran := filepath.Join(folder, "ran")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if content, err := os.ReadFile(ran); err == nil && len(content) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the command did not run")
		}
	}
	first.kill()

	t.Setenv("NAP", "0")
	second := openBench(t, Config{Dir: dir, Script: script})
	back := second.settled(runID)
	required := back.of("approval-required")
	if back.status != "paused" || len(required) != 2 || required[1].Approvals[0].Kind != "unknown" {
		t.Fatalf("after the restart the run is %s:\n%s", back.status, back)
	}
	if got := readFile(t, ran); got != "x\n" {
		t.Errorf("the command ran again before anyone decided: %q", got)
	}
	second.decideAll(back, true)
	done := second.settled(runID)
	if done.status != "completed" || readFile(t, ran) != "x\nx\n" {
		t.Errorf("after the decision the run is %s and the command left %q:\n%s", done.status, readFile(t, ran), done)
	}
	seqsInOrder(t, done)
}

func seqsInOrder(t *testing.T, log runLog) {
	t.Helper()
	if at := slices.IndexFunc(log.events, func(e logged) bool { return e.Seq < 1 }); at >= 0 {
		t.Errorf("event %d has no number", at)
	}
	for i, event := range log.events {
		if event.Seq != int64(i+1) {
			t.Fatalf("event %d has the number %d", i+1, event.Seq)
		}
	}
}
