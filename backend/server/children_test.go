package server

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
)

func TestRequestsOfAgentsInsideCallsAreWhole(t *testing.T) {
	w := start(t, func(s *Server) {
		child := &agent.Agent{Name: "child", Description: "Helps", Tools: s.Agents[0].Tools, Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.CallTool("k1", "echo", `{"n":1}`), scripted.CallTool("k2", "echo", `{"n":2}`), scripted.Say("Found."),
		}}}
		help, err := agent.AsTool(child, agent.ToolConfig{})
		if err != nil {
			t.Fatal(err)
		}
		s.Agents[0].Tools = append(s.Agents[0].Tools, help)
	}, scripted.CallTool("c1", "child", `{"input":"help"}`), scripted.Say("Done."))
	var run runAnswer
	w.json("POST", "/agents/demo/run", `{"input":"go"}`, &run)
	var answer struct{ Requests []requestAnswer }
	w.json("GET", "/runs/"+run.RunID+"/requests", "", &answer)
	var by []string
	for _, r := range answer.Requests {
		by = append(by, r.AgentName+" "+r.ParentToolCallID)
		if !json.Valid([]byte(r.Sent)) {
			t.Errorf("the request of turn %d is %s", r.Turn, r.Sent)
		}
	}
	if got := strings.Join(by, ", "); got != "demo , child c1, child c1, child c1, demo " {
		t.Fatalf("got the requests of %s", got)
	}
	if last := answer.Requests[4].Sent; !strings.Contains(last, "Found.") || strings.Contains(last, "k1") {
		t.Errorf("the caller's model was sent %s", last)
	}
	if got := answer.Requests[3].Sent; !strings.Contains(got, "k2") || strings.Contains(got, "c1") {
		t.Errorf("the model inside the call was sent %s", got)
	}
}

func TestAChatGoesOnWithTheAgentThatTookOver(t *testing.T) {
	w := start(t, func(s *Server) {
		s.Agents[0].Handoffs = []*agent.Agent{{Name: "billing", Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.Say("Yes?"), scripted.Say("Still here."),
		}}}}
	}, scripted.CallTools(model.ToolCall{ID: "c1", Name: "transfer_to_billing", Arguments: "{}"}))
	const chat = `{"threadId":"t1","messages":[{"role":"user","content":"go"}]}`
	for _, want := range []string{"Yes?", "Still here."} {
		if status, text := w.request("POST", "/chat", chat); status != 200 || !strings.Contains(text, want) {
			t.Errorf("got %d %s, want %s", status, text, want)
		}
	}
	if status, _ := w.request("POST", "/agents/billing/run", `{"input":"go"}`); status != 404 {
		t.Errorf("an agent that is not offered was started: %d", status)
	}
}

func TestAUserDoesNotSeeWhatAnAgentInsideACallWasAsked(t *testing.T) {
	w := start(t, func(s *Server) {
		help, err := agent.AsTool(&agent.Agent{Name: "child", Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.Say("Found.")}}}, agent.ToolConfig{})
		if err != nil {
			t.Fatal(err)
		}
		s.Agents[0].Tools = append(s.Agents[0].Tools, help)
	}, scripted.CallTool("c1", "child", `{"input":"look up customer 4711"}`), scripted.Say("Done."))
	var run runAnswer
	w.json("POST", "/agents/demo/run", `{"input":"go"}`, &run)
	for path, want := range map[string]bool{"": true, "&view=user": false} {
		if log, _ := w.events("/runs/" + run.RunID + "/events?after=0" + path); strings.Contains(log, "customer 4711") != want || !strings.Contains(log, `"label":"child"`) {
			t.Errorf("with %q the detail line is shown: %v, want %v, and its label: %s", path, !want, want, log)
		}
	}
}
