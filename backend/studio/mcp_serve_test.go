package studio

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
)

func TestTheWorkspaceToolsAreServedOverAFolder(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, "of a file", folder, "a.txt")
	in, client := io.Pipe()
	server, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- ServeTools(t.Context(), folder, "1", in, out, slog.New(slog.DiscardHandler)) }()
	answers := bufio.NewScanner(server)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"run_command","arguments":{"command":"true"}}}`,
	} {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	var got string
	for range 3 {
		if !answers.Scan() {
			t.Fatalf("after %s came %v, want three answers", got, answers.Err())
		}
		got += answers.Text()
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Errorf("serving ended with %v", err)
	}
	for _, want := range []string{`of a file`, `this client cannot ask one`} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %q in it", got, want)
		}
	}
}

func TestToolsAreNotServedOverNoFolder(t *testing.T) {
	err := ServeTools(t.Context(), t.TempDir()+"/gone", "1", nil, nil, nil)
	if !errors.Is(err, ErrConfig) {
		t.Errorf("got %v, want ErrConfig", err)
	}
}
