package mcp_test

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"callboard/backend/mcp"
	"callboard/backend/tool"
)

// installed returns the path of a program of testdata/npm, which make installs, and skips the test where it is not there.
func installed(t *testing.T, name string) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node")
	}
	program, err := filepath.Abs(filepath.Join("testdata", "npm", "node_modules", ".bin", name))
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		t.Skipf("%s is not installed: run npm ci --ignore-scripts in backend/mcp/testdata/npm, or make test-go", name)
	}
	return program
}

func TestTheReferenceServer(t *testing.T) {
	program := installed(t, "mcp-server-everything")
	for name, source := range map[string]func(*testing.T) *mcp.Source{
		"over stdio": func(*testing.T) *mcp.Source {
			return &mcp.Source{Name: "all", Command: "node", Args: []string{program}}
		},
		"over HTTP": func(t *testing.T) *mcp.Source { return &mcp.Source{Name: "all", URL: referenceOverHTTP(t, program)} },
	} {
		t.Run(name, func(t *testing.T) {
			s := source(t)
			t.Cleanup(s.Close)
			tools := toolsOf(t, s)
			for _, o := range s.Offers() {
				if o.Err != nil {
					t.Errorf("tool %s cannot be used: %v", o.Name, o.Err)
				}
			}
			if echo := tools["all_echo"]; echo == nil || echo.NeedsApproval(`{}`) || len(echo.SideEffects) > 0 {
				t.Fatalf("got %+v, want echo to be read-only, as it says", echo)
			}
			content := func(one, arguments string) string {
				r := call(t, tools[one], tool.Context{}, arguments)
				if r.Err != nil {
					t.Errorf("%s: %v", one, r.Err)
				}
				return string(r.Content)
			}
			if got := content("all_echo", `{"message":"hello"}`); got != `"Echo: hello"` {
				t.Errorf("got %s, want the echo", got)
			}
			var weather struct{ Conditions string }
			if got := content("all_get-structured-content", `{"location":"Chicago"}`); json.Unmarshal([]byte(got), &weather) != nil || weather.Conditions == "" {
				t.Errorf("got %s, want structured content", got)
			}
			if got := tool.SplitContent([]byte(content("all_get-tiny-image", `{}`))); len(got.Images) != 1 || got.Images[0].MediaType != "image/png" {
				t.Errorf("got %d images and %s, want one", len(got.Images), got.Text)
			}
			if got := content("all_get-resource-links", `{"count":2}`); strings.Count(got, "[resource ") != 2 {
				t.Errorf("got %s, want two links", got)
			}
			if got := content("all_get-resource-reference", `{"resourceType":"Blob","resourceId":1}`); !strings.Contains(got, "[resource demo://") {
				t.Errorf("got %s, want a resource named", got)
			}
			if _, err := tools["all_get-sum"].Prepare(`{"a":"one","b":2}`); err == nil || !strings.Contains(err.Error(), "at '/a': got string, want number") {
				t.Errorf("got %v, want the arguments refused here", err)
			}
			steps := 0
			long := call(t, tools["all_trigger-long-running-operation"], tool.Context{OnUpdate: func(u tool.Update) {
				text, err := json.Marshal(u.Details)
				if steps++; err != nil || string(text) != `{"progress":{"done":`+strconv.Itoa(steps)+`,"total":5}}` {
					t.Errorf("update %d: got %s, %v", steps, text, err)
				}
			}}, `{"duration":0.5,"steps":5}`)
			if long.Err != nil || steps < 4 { // the last note and the result come together
				t.Errorf("got %d updates and %v, want one for each step", steps, long.Err)
			}
		})
	}
}

// referenceOverHTTP starts the reference server on a free port.
func referenceOverHTTP(t *testing.T, program string) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", program, "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // it is killed with the test's context
	for range 3000 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
			return "http://" + address + "/mcp"
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the reference server does not listen")
	return ""
}

func TestTheFilesystemServer(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &mcp.Source{Name: "files", Command: "node", Args: []string{installed(t, "mcp-server-filesystem"), folder}}
	t.Cleanup(s.Close)
	tools := toolsOf(t, s)
	if write := tools["files_write_file"]; write == nil || !write.NeedsApproval(`{}`) || !slices.Contains(write.SideEffects, tool.External) {
		t.Fatalf("got %+v, want a tool that writes to ask", write)
	}
	if read := tools["files_read_text_file"]; read == nil || read.NeedsApproval(`{}`) {
		t.Fatalf("got %+v, want a tool that reads not to ask", read)
	}
	file := strconv.Quote(filepath.Join(folder, "a.txt"))
	if r := call(t, tools["files_write_file"], tool.Context{}, `{"path":`+file+`,"content":"of a file"}`); r.Err != nil {
		t.Errorf("write: %v", r.Err)
	}
	if r := call(t, tools["files_read_text_file"], tool.Context{}, `{"path":`+file+`}`); r.Err != nil || !strings.Contains(string(r.Content), "of a file") {
		t.Errorf("read: got %s, %v", r.Content, r.Err)
	}
	if r := call(t, tools["files_read_text_file"], tool.Context{}, `{"path":"/etc/hostname"}`); r.Err == nil || !strings.Contains(r.Err.Error(), "Access denied") {
		t.Errorf("read outside: got %s, %v, want the server's refusal", r.Content, r.Err)
	}
}

// The inspector is a client of others; the server it speaks with is this test's program.
func TestTheInspectorAtOurServer(t *testing.T) {
	inspector := installed(t, "mcp-inspector")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	inspect := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), inspector, append([]string{"--cli", "-e", serverVariable + "=ours", "-e", "GORACE=atexit_sleep_ms=0", self}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir()) // it keeps a catalogue of servers
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil && len(out) == 0 { // of a result that is an error it makes an exit status
			t.Fatalf("inspect %v: %v\n%s", args, err, stderr.String())
		}
		return string(out)
	}
	var list struct{ Tools []struct{ Name string } }
	if out := inspect("--method", "tools/list"); json.Unmarshal([]byte(out), &list) != nil || len(list.Tools) != len(wares()) {
		t.Errorf("got %s, want %d tools", out, len(wares()))
	}
	for name, want := range map[string]string{
		"get_weather": `"degrees": 2512292042121000`, // JavaScript has no more digits
		"draw":        `"mimeType": "image/png"`,
		"raze":        "nobody to ask",
	} {
		args := []string{"--method", "tools/call", "--tool-name", name}
		if name != "draw" {
			args = append(args, "--tool-arg", "name=Oslo")
		}
		if out := inspect(args...); !strings.Contains(out, want) {
			t.Errorf("%s: got %s, want %s", name, out, want)
		}
	}
}
