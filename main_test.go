package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func environment(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func TestBadUsageExitsWith2AndSaysWhy(t *testing.T) {
	for _, c := range []struct{ name, args, says string }{
		{"an unknown command", "fly", `no command "fly"`},
		{"an unknown flag", "--wings", "-wings"},
		{"a flag of another command", "run --agent a --input b --addr :1", "-addr"},
		{"a stray argument", "serve now", `"now"`},
		{"run without an agent", "run --input hi", "--agent"},
		{"run with a blank input", "run --agent demo --input=", "--input"},
		{"an address without a port", "serve --addr localhost", "HOST:PORT"},
		{"no token on an address others reach", "serve --addr 0.0.0.0:1 --token=", "loopback"},
		{"no token on every address", "serve --addr :1 --token=", "loopback"},
		{"a server without a model", "--base-url http://u", "--model"},
		{"a model without a server", "--model m", "--base-url"},
		{"MCP without a folder", "mcp", "--folder"},
		{"MCP over no folder", "mcp --folder /no/such/folder", "there is no folder /no/such/folder"},
		{"two models", "--script s --base-url http://u --model m", "--script"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			status := command(t.Context(), strings.Fields(c.args), environment(map[string]string{"HOME": "/h"}), &stdout, &stderr)
			if status != exitUsage || !strings.Contains(stderr.String(), c.says) || stdout.Len() > 0 {
				t.Errorf("got status %d, stdout %q, stderr %q; want 2 and %q", status, &stdout, &stderr, c.says)
			}
		})
	}
}

func TestHelpAndVersion(t *testing.T) {
	for args, want := range map[string]string{"--help": "callboard serve", "-h": "callboard serve", "help": "callboard serve", "version": version, "--version": version} {
		var stdout, stderr strings.Builder
		status := command(t.Context(), []string{args}, environment(map[string]string{"HOME": "/h"}), &stdout, &stderr)
		if status != exitOK || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: got status %d, %q, %q; want 0 and %q", args, status, &stdout, &stderr, want)
		}
	}
}

func TestRevision(t *testing.T) {
	of := func(pairs ...string) *debug.BuildInfo {
		built := &debug.BuildInfo{}
		for i := 0; i < len(pairs); i += 2 {
			built.Settings = append(built.Settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return built
	}
	const commit = "5bd642a0b1c2d3e4f5061728394a5b6c7d8e9f00"
	for _, c := range []struct {
		name  string
		built *debug.BuildInfo
		known bool
		want  string
	}{
		{"a commit", of("vcs", "git", "vcs.revision", commit, "vcs.modified", "false"), true, "5bd642a0b1c2"},
		{"a commit and what was not committed", of("vcs.revision", commit, "vcs.modified", "true"), true, "5bd642a0b1c2 with changes"},
		{"a short one of another system", of("vcs.revision", "42"), true, "42"},
		{"a build outside of a repository", of("-trimpath", "true"), true, ""},
		{"a build that says nothing", nil, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := revision(c.built, c.known); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

const (
	sayHello     = `{"turns":[{"chunks":[{"text":"Hello."},{"finishReason":"stop"}]}]}`
	runACommand  = `{"turns":[{"chunks":[{"toolCalls":[{"id":"c1","name":"run_command","arguments":"{\"command\":\"true\"}"}]},{"finishReason":"tool_calls"}]}]}`
	cutOff       = `{"turns":[{"chunks":[{"text":"Hel"},{"finishReason":"length"}]}]}`
	breakOff     = `{"turns":[{"chunks":[{"error":"the model is ill"}]}]}`
	speakForEver = `{"turns":[{"chunks":[{"text":"Well"},{"delayMs":600000},{"text":"."},{"finishReason":"stop"}]}]}`
)

// scripted writes a script and returns flags for a fresh data folder and it.
func scripted(t *testing.T, script string) []string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "script.json")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--data", filepath.Join(dir, "data"), "--script", path}
}

func TestAThreadGoesFromOneDataFolderToAnother(t *testing.T) {
	flags := scripted(t, runACommand)
	env := environment(map[string]string{"HOME": t.TempDir()})
	try := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		var out, errs strings.Builder
		if status := command(t.Context(), args, env, &out, &errs); status != want {
			t.Fatalf("%q exits with %d, want %d: %s", args, status, want, &errs)
		}
		return out.String(), errs.String()
	}
	try(exitWaiting, append([]string{"run", "--agent", "demo", "--input", "hush, Falcon", "--thread", "thr_1"}, flags...)...)
	file := filepath.Join(t.TempDir(), "a.callboard")
	try(exitOK, append([]string{"export", "thr_1", "--out", file}, flags[:2]...)...)
	elsewhere := []string{"--data", t.TempDir()}
	if id, _ := try(exitOK, append([]string{"import", file}, elsewhere...)...); id != "thr_1\n" {
		t.Errorf("import prints %q, want the thread's id", id)
	}
	if _, says := try(exitFailed, append([]string{"import", file}, elsewhere...)...); !strings.Contains(says, "here already, as thr_1; --copy") {
		t.Errorf("a second import says %q", says)
	}
	if id, _ := try(exitOK, append([]string{"import", file, "--copy"}, elsewhere...)...); id == "thr_1\n" || !strings.HasPrefix(id, "thr_") {
		t.Errorf("import of a copy prints %q, want another id", id)
	}
	text, _ := try(exitOK, append([]string{"export", "thr_1", "--markdown", "--mask", "falcon"}, elsewhere...)...)
	if !strings.Contains(text, "hush, [redacted]") && !strings.Contains(text, `hush, \[redacted\]`) || !strings.Contains(text, "**cancelled**") {
		t.Errorf("the thread as Markdown is\n%s", text)
	}
	try(exitUsage, append([]string{"export", "thr_2"}, elsewhere...)...)
	try(exitUsage, append([]string{"import", file + ".gone"}, elsewhere...)...)
	if err := os.WriteFile(file, []byte("GIF89a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, says := try(exitFailed, append([]string{"import", file}, elsewhere...)...); !strings.Contains(says, "not a thread file of Callboard") {
		t.Errorf("import of a picture says %q", says)
	}
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, script   string
		args           []string
		status         int
		stdout, stderr string
	}{
		{"the answer is on stdout", sayHello, []string{"--agent", "demo"}, exitOK, "Hello.\n", ""},
		{"a run that waits for an approval says how to give it", runACommand, []string{"--agent", "demo"}, exitWaiting, "", "callboard serve --data"},
		{"and repeats the flags that its model needs", runACommand, []string{"--agent", "demo"}, exitWaiting, "", "--script"},
		{"an answer that was cut says so", cutOff, []string{"--agent", "demo"}, exitOK, "Hel\n", "token limit"},
		{"a run that fails says why", breakOff, []string{"--agent", "demo"}, exitFailed, "", "the model is ill"},
		{"a script that does not load is bad usage", `{"turns":1}`, []string{"--agent", "demo"}, exitUsage, "", "script.json:1:"},
		{"a folder that is not there is bad usage", sayHello, []string{"--agent", "demo", "--folder", "/no/such"}, exitUsage, "", "/no/such"},
		{"an unknown agent is bad usage", sayHello, []string{"--agent", "nobody"}, exitUsage, "", "there are demo, workspace"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			args := append(append([]string{"run", "--input", "go"}, c.args...), scripted(t, c.script)...)
			status := command(t.Context(), args, environment(nil), &stdout, &stderr)
			if status != c.status || stdout.String() != c.stdout || !strings.Contains(stderr.String(), c.stderr) {
				t.Errorf("got status %d, stdout %q, stderr %q; want %d, %q, %q", status, &stdout, &stderr, c.status, c.stdout, c.stderr)
			}
		})
	}
}

func TestRunPrintsEachEventAsALineOfJSON(t *testing.T) {
	var stdout, stderr strings.Builder
	args := append([]string{"run", "--agent", "demo", "--input", "go", "--events"}, scripted(t, sayHello)...)
	if status := command(t.Context(), args, environment(nil), &stdout, &stderr); status != exitOK {
		t.Fatalf("got status %d, %s", status, &stderr)
	}
	var types []string
	for line := range strings.Lines(stdout.String()) {
		var event struct {
			Seq  int
			Type string
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.Seq != len(types)+1 {
			t.Fatalf("line %q: number %d, %v; want number %d", line, event.Seq, err, len(types)+1)
		}
		types = append(types, event.Type)
	}
	if len(types) < 5 || types[0] != "start" || types[len(types)-1] != "finish" {
		t.Errorf("got events %v, want start … finish", types)
	}
}

func TestAnInterruptedRunIsCancelled(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, in := io.Pipe()
	status := make(chan int, 1)
	var stderr strings.Builder
	args := append([]string{"run", "--agent", "demo", "--input", "go", "--events"}, scripted(t, speakForEver)...)
	go func() {
		status <- command(ctx, args, environment(nil), in, &stderr)
		_ = in.Close()
	}()
	last := ""
	for lines := bufio.NewScanner(out); lines.Scan(); last = lines.Text() {
		if strings.Contains(lines.Text(), `"text-delta"`) {
			interrupt()
		}
	}
	if got := <-status; got != exitFailed || !strings.Contains(last, `"status":"cancelled"`) {
		t.Errorf("got status %d, last event %s, stderr %s; want 1 and a cancelled finish", got, last, &stderr)
	}
}

func TestServePrintsOneAddressThatAnswersAndEndsWith0(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, in := io.Pipe()
	status := make(chan int, 1)
	var stderr strings.Builder
	args := append([]string{"serve", "--addr", "127.0.0.1:0"}, scripted(t, speakForEver)...)
	go func() {
		status <- command(ctx, args, environment(nil), in, &stderr)
		_ = in.Close()
	}()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("read the address: %v", err)
	}
	address, token, found := strings.Cut(strings.TrimSpace(line), "?token=")
	if !found || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("got line %q, want an address with a token", line)
	}
	get := func(path, token string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	for _, c := range []struct {
		path, token string
		want        int
	}{{"api/health", "", 200}, {"api/agents", token, 200}, {"api/agents", "wrong", 401}} {
		if got := get(c.path, c.token); got != c.want {
			t.Errorf("GET /%s with token %q: got %d, want %d", c.path, c.token, got, c.want)
		}
	}
	// Neither a live run nor a client that only listens holds the program up.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"api/agents/demo/stream", strings.NewReader(`{"input":"go"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	stream, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()
	if _, err := bufio.NewReader(stream.Body).ReadString('\n'); err != nil {
		t.Fatalf("read the stream: %v", err)
	}
	interrupt()
	select {
	case got := <-status:
		if got != exitOK {
			t.Errorf("got status %d, %s; want 0", got, &stderr)
		}
	case <-time.After(time.Minute):
		t.Fatal("serve goes on after it was interrupted")
	}
	if rest, _ := io.ReadAll(lines); len(rest) > 0 {
		t.Errorf("got %q after the address, want nothing", rest)
	}
}
