package server

import (
	"net/http"
	"strings"
	"testing"

	"callboard/backend/model"
	"callboard/backend/model/scripted"
)

// CASES E7; PROTOCOL.md: absent fields are left out, never null.
func TestArgumentsThatAreNoJSONAreLeftOut(t *testing.T) {
	w := start(t, nil, scripted.Turn{Chunks: []scripted.Chunk{{ToolCalls: []model.ToolCall{{ID: "c1", Name: "echo", Arguments: `{"text":`}}}}}, scripted.Say("done"))
	run := w.begin("go")
	w.eventually("the run ends", func() bool { return w.statusOf(run.RunID).Ended() })
	status, body := w.request("GET", "/threads/"+run.ThreadID, "")
	if status != http.StatusOK || !strings.Contains(body, `"argumentsText":"{\"text\":"`) || strings.Contains(body, `"arguments":`) {
		t.Errorf("got %d %s, want the text of the arguments alone", status, body)
	}
}
