package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The example is built and run as a reader would, and spoken to over HTTP.
func TestTheExampleServesItsAgent(t *testing.T) {
	address := start(t)

	answer := post(t, address+"/agents/weather/run", `{"input":"How is the weather in Oslo?"}`)
	var run struct {
		Output    string
		Status    string
		ToolCalls []struct{ Name, ArgumentsText string }
	}
	if err := json.Unmarshal([]byte(answer), &run); err != nil {
		t.Fatalf("read the answer %s: %v", answer, err)
	}
	if run.Status != "completed" || !strings.Contains(run.Output, "-3 °C") {
		t.Errorf("the run gave %s, want a completed one that names the temperature", answer)
	}
	if len(run.ToolCalls) != 1 || run.ToolCalls[0].ArgumentsText != `{"city":"Oslo"}` {
		t.Errorf("the calls are %+v, want one for Oslo", run.ToolCalls)
	}

	stream := post(t, address+"/agents/weather/stream", `{"input":"And now?"}`)
	for _, want := range []string{
		"id: 1\ndata: {\"type\":\"start\"", `"label":"Weather","icon":"cloud-sun","detail":"Oslo"`, `"result":{"celsius":-3,"sky":"snow"}`, "data: [DONE]",
	} {
		if !strings.Contains(stream, want) {
			t.Errorf("the stream has no %s:\n%s", want, stream)
		}
	}
}

// start builds and starts the example without a key, and returns its address.
func start(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "weather.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build the example: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "-addr", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=")
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the example did not end well: %v", err)
		}
	})
	var address string
	if _, err := fmt.Fscanf(bufio.NewReader(out), "serving on %s\n", &address); err != nil {
		t.Fatalf("read the example's address: %v", err)
	}
	return address
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: 20 * time.Second}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("POST %s: %s\n%s", url, response.Status, answer)
	}
	return string(answer)
}
