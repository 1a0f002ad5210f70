package agent_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
)

// parts are what the snapshots of these tests name.
func parts(t *testing.T) agent.Parts {
	t.Helper()
	var did runs
	registry := &tool.Registry{}
	if err := registry.RegisterMany(echo(&did), danger(&did)); err != nil {
		t.Fatal(err)
	}
	return agent.Parts{
		Tools:      registry,
		Backends:   map[string]model.Backend{"script": &scripted.Backend{}, "func": backendFunc(nil)},
		Middleware: []agent.Middleware{{Name: "guard", HoldBack: true}, {Name: "log"}},
		Outputs:    map[string]*agent.Output{"report": agent.MustOutput[report]()},
		Agents:     []*agent.Agent{{Name: "billing"}},
	}
}

func full(p agent.Parts) *agent.Agent {
	warm := 0.5
	return &agent.Agent{
		Name: "demo", Description: "d", Instructions: "i", Backend: p.Backends["script"], Model: "m", Tools: p.Tools.All(), OwnToolsOnly: true,
		Middleware: p.Middleware, Output: p.Outputs["report"], ContextTokens: 1, Handoffs: p.Agents, Parallel: true, MaxTurns: 2,
		MaxRepeats: -1, MaxResultLength: 3, ApprovalTTL: 4 * time.Second, Timeout: 5 * time.Second, Temperature: &warm, MaxTokens: 6, MaxRetries: -1,
	}
}

func TestAnAgentComesBackFromItsSnapshot(t *testing.T) {
	p := parts(t)
	a := full(p)
	// A field that is new has to be in the snapshot, or said to be in none.
	for i := range reflect.TypeFor[agent.Agent]().NumField() {
		f := reflect.TypeFor[agent.Agent]().Field(i)
		if f.Name != "CountTokens" && f.Name != "OnToolError" && reflect.ValueOf(a).Elem().Field(i).IsZero() {
			t.Errorf("the test leaves %s out", f.Name)
		}
	}
	s, err := a.Snapshot(p)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"tools":["echo","danger"]`) || !strings.Contains(string(text), `"version":1`) {
		t.Errorf("got %s", text)
	}
	if s, err = agent.ReadSnapshot(text); err != nil {
		t.Fatal(err)
	}
	back, err := s.Restore(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[agent.Agent]().NumField() {
		name := reflect.TypeFor[agent.Agent]().Field(i).Name
		got, want := reflect.ValueOf(back).Elem().Field(i).Interface(), reflect.ValueOf(a).Elem().Field(i).Interface()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	*back.Temperature = 1
	if *a.Temperature != 0.5 || *s.Temperature != 0.5 {
		t.Error("the restored agent shares its temperature")
	}
}

func TestASnapshotNamesWhatIsMissing(t *testing.T) {
	p := parts(t)
	s, err := full(p).Snapshot(p)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Restore(agent.Parts{})
	for _, want := range []string{`backend "script"`, `output "report"`, `tool "echo"`, `tool "danger"`, `middleware "guard"`, `agent to hand over to "billing"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("restoring from nothing says %v, want %s in it", err, want)
		}
	}
	_, err = full(p).Snapshot(agent.Parts{Backends: map[string]model.Backend{"func": backendFunc(nil)}})
	for _, want := range []string{"its backend", "its Output", `tool "echo"`, `middleware "guard"`, `agent "billing"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a snapshot without parts says %v, want %s in it", err, want)
		}
	}
}

func TestASnapshotThatCannotBeReadSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":2,"name":"a"}`:                   "version 2",
		`{"name":"a"}`:                               "version 0",
		`{"version":1,"name":"a","maxTurn":1}`:       `"maxTurn"`,
		`{"version":1}`:                              "'name'",
		`{"version":1,"name":""}`:                    "names no agent",
		`{"version":1,"name":"a","name":"b"}`:        "name",
		`{"version":1,"name":"a","NAME":"b"}`:        `'NAME'`,
		`{"version":1,"name":"a","tools":["t","t"]}`: `tools has "t" twice`,
		`{"version":1,"name":"a","maxTurns":"3"}`:    "maxTurns",
		`{"version":1,"name":"a"}{}`:                 "after",
		`[]`:                                         "cannot unmarshal array",
	} {
		if _, err := agent.ReadSnapshot([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s in it", text, err, want)
		}
	}
}
