package studio

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"callboard/backend/tool"
)

const inBusybox = `{"commands":{"in":"docker","image":"busybox:1","memory":"64 MB","pidsLimit":9,"network":"none"}}`

// nowhere is an engine that is not there.
const nowhere = "unix:///nobody/listens/here.sock"

func TestWhereCommandsRunIsASetting(t *testing.T) {
	t.Setenv("DOCKER_HOST", nowhere)
	b := openBench(t, Config{Script: script(t, `run_command {"command":"echo here > made.txt; cat made.txt"}`, "Done.")})
	b.call(http.MethodPut, "/api/studio/settings", inBusybox, http.StatusOK)
	const made = "made.txt"

	folder := t.TempDir()
	newThread := func() string {
		return b.newThread(asJSON(map[string]string{"agentName": workspaceAgent, "folder": folder})).ID
	}
	t.Run("the engine is away: the card says so, and after approval it runs on the host with a warning", func(t *testing.T) {
		run := b.send(newThread(), workspaceAgent, "Go")
		asked := b.settled(run)
		if card := asked.of("approval-required"); len(card) != 1 || !strings.Contains(card[0].raw, `"details":{"text":"Docker cannot be reached: it runs on this machine itself`) {
			t.Errorf("got the cards %v, want one that says where it runs", card)
		}
		if exists(folder, made) {
			t.Error("it ran before it was approved")
		}
		b.decideAll(asked, true)
		result := b.settled(run).of("tool-result")
		if len(result) != 1 || !strings.Contains(string(result[0].Result), `"stdout":"here\n"`) {
			t.Fatalf("got %v, want the command's result", result)
		}
		if shown := string(result[0].Presentation); !strings.Contains(shown, `"summary":"exit 0 on the host"`) || !strings.Contains(shown, `"tone":"warning"`) {
			t.Errorf("got %s, want a warning that it ran on the host", shown)
		}
		if details := string(result[0].Details); !strings.Contains(details, "Ran on the host, not in a container of busybox:1 without a network, with 64MB of memory and 9 processes at most: Docker cannot be reached") {
			t.Errorf("got %s, want why it ran there", details)
		}
		if readFile(t, folder, made) != "here\n" {
			t.Error("it did not work in the thread's folder")
		}
	})

	t.Run("a card is shown again where the place has changed since", func(t *testing.T) {
		run := b.send(newThread(), workspaceAgent, "Go")
		asked := b.settled(run)
		b.call(http.MethodPut, "/api/studio/settings", `{"allowNativeFallback":false}`, http.StatusOK)
		b.decideAll(asked, true)
		again := b.settled(run)
		if card := again.of("approval-required"); len(card) != 2 || !strings.Contains(card[1].raw, "no command runs on this machine in its place: it will fail") {
			t.Fatalf("got the cards %v, want another one that says it will fail", card)
		}
		b.decideAll(again, true)
		if result := b.settled(run).of("tool-result"); len(result) != 1 || result[0].ErrorCode != tool.CodeSandboxUnavailable {
			t.Errorf("got %v, want %s", result, tool.CodeSandboxUnavailable)
		}
	})

	t.Run("a tool that is tried by hand and an agent that was made run there too", func(t *testing.T) {
		b.makeAgent(`{"name":"mine","instructions":"x","tools":["run_command"],"approvals":{"run_command":"never"}}`)
		mine := b.newThread(asJSON(map[string]string{"agentName": "mine", "folder": folder})).ID
		if result := b.settled(b.send(mine, "mine", "Go")).of("tool-result"); len(result) != 1 || result[0].ErrorCode != tool.CodeSandboxUnavailable {
			t.Errorf("the agent: got %v, want %s", result, tool.CodeSandboxUnavailable)
		}
		if got := toolsByName(b.listed(workspaceAgent))["run_command"].Sandbox; got != tool.Docker {
			t.Errorf("the workspace's command is listed with %q, want %q", got, tool.Docker)
		}
		if got := toolsByName(b.listed(demoAgent))["run_command"].Sandbox; got != "" {
			t.Errorf("the demo's command is listed with %q, want no sandbox", got)
		}
	})

	t.Run("the demo's sample stays on the host", func(t *testing.T) {
		demo := b.newThread(`{"agentName":"demo"}`).ID
		asked := b.settled(b.send(demo, demoAgent, "Go"))
		b.decideAll(asked, true)
		if result := b.settled(b.lastRun(demo)).of("tool-result"); len(result) != 1 || !strings.Contains(string(result[0].Presentation), `"summary":"exit 0"`) {
			t.Errorf("got %v, want the plain result", result)
		}
	})
}

func exists(path ...string) bool {
	found, err := filepath.Glob(filepath.Join(path...))
	return err == nil && len(found) > 0
}

func TestAPlaceOfCommandsThatCannotBeIsRefused(t *testing.T) {
	b := openBench(t, Config{})
	for name, c := range map[string]struct{ body, want string }{
		"nowhere":               {`{"in":"cloud"}`, "none of host and docker"},
		"no image":              {`{"in":"docker","image":" "}`, "Docker needs an image"},
		"an image with a space": {`{"in":"docker","image":"a b"}`, "holds a space"},
		"too little memory":     {`{"in":"docker","image":"a","memory":"1MB"}`, `memory: memory \"1MB\" is less than the 6MB`},
		"memory that is none":   {`{"in":"docker","image":"a","memory":"lots"}`, "no size such as 512MB"},
		"negative processes":    {`{"in":"docker","image":"a","pidsLimit":-1}`, "pidsLimit: -1 is no number"},
		"two at once":           {`{"in":"docker","image":"a b","memory":"much"}`, `image: \"a b\" is no name of an image: it holds a space\nmemory: memory \"much\" is no size such as 512MB"`},
		"another network":       {`{"in":"docker","image":"a","network":"wifi"}`, "none of none, bridge and host"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := b.call(http.MethodPut, "/api/studio/settings", `{"commands":`+c.body+`}`, http.StatusBadRequest)
			if !strings.Contains(answer, c.want) {
				t.Errorf("got %s, want %q", answer, c.want)
			}
		})
	}
	set := fetch[settings](b, http.MethodPut, "/api/studio/settings", inBusybox, http.StatusOK)
	if want := (commandPlace{In: inDocker, Image: "busybox:1", Memory: "64MB", PidsLimit: 9, Network: tool.NetworkNone}); set.Commands != want {
		t.Errorf("got %+v, want %+v", set.Commands, want)
	}
}

func TestATestOfTheSandboxSaysWhyItFails(t *testing.T) {
	t.Setenv("DOCKER_HOST", nowhere)
	b := openBench(t, Config{})
	b.call(http.MethodPost, "/api/studio/sandbox/test", `{"image":"a b"}`, http.StatusBadRequest)
	got := fetch[commandsTest](b, http.MethodPost, "/api/studio/sandbox/test", `{"image":"busybox:1"}`, http.StatusOK)
	if got.OK || got.Error == nil || got.Error.Code != tool.CodeSandboxUnavailable || !strings.Contains(got.Error.Message, "Docker cannot be reached") {
		t.Errorf("got %+v, want that there is no Docker, and nothing run on the host", got)
	}
}

// T9: a fallback never skips approval, nor does a rule that was made for another place.
func TestARuleDecidesOnlyWhereItsCallsRun(t *testing.T) {
	t.Setenv("DOCKER_HOST", nowhere)
	for name, test := range map[string]struct{ made, runs, text string }{
		"a rule made for Docker, which is away":       {inBusybox, inBusybox, "Only in a container of busybox:1 without a network, with 64MB of memory and 9 processes at most: "},
		"a rule made for Docker, on this machine":     {inBusybox, `{"commands":{"in":"host"}}`, "Only in a container of busybox:1"},
		"a rule made for this machine, now in Docker": {`{"commands":{"in":"host"}}`, inBusybox, "Allows every call of run_command, for the agent workspace in every thread."},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			b := openBench(t, Config{Folder: folder, Script: script(t, `run_command {"command":"echo here > made.txt"}`, "Done.")})
			b.call(http.MethodPut, "/api/studio/settings", test.made, http.StatusOK)
			rule := b.rule(`{"toolName":"run_command","agentName":"workspace"}`)
			if !strings.Contains(rule.Text, test.text) {
				t.Errorf("the rule's text is %q, want %q in it", rule.Text, test.text)
			}
			b.call(http.MethodPut, "/api/studio/settings", test.runs, http.StatusOK)
			run := b.send(b.newThread(`{"agentName":"workspace"}`).ID, workspaceAgent, "Go")
			if got := b.settled(run).waitingFor(); got != `{"command":"echo here > made.txt"}` {
				t.Errorf("%s waits, want the command", got)
			}
			if exists(folder, "made.txt") || b.rules()[0].Uses != 0 {
				t.Error("the rule allowed it")
			}
		})
	}
	t.Run("and its place is not for a client to say", func(t *testing.T) {
		b := openBench(t, Config{})
		b.call(http.MethodPost, "/api/studio/rules", `{"toolName":"run_command","conditions":[{"op":"place","value":"a container"}]}`, http.StatusBadRequest)
	})
}
