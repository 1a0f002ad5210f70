package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/server"
)

// Agents are served over HTTP: the handler is mounted in any router.
func Example() {
	greeter := &agent.Agent{Name: "greeter", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Hello.")}}}
	s := &server.Server{Agents: []*agent.Agent{greeter}}
	mux := http.NewServeMux()
	mux.Handle("/api/", http.StripPrefix("/api", s.Handler()))
	web := httptest.NewServer(mux)
	defer web.Close()

	ask, err := http.NewRequestWithContext(context.Background(), http.MethodPost, web.URL+"/api/agents/greeter/stream", strings.NewReader(`{"input":"Hi."}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	ask.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = answer.Body.Close() }()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			fmt.Println("event", id)
		}
	}
	// Output:
	// event 1
	// event 2
	// event 3
	// event 4
	// event 5
	// event 6
	// event 7
	// event 8
}
