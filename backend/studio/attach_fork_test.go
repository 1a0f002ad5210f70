package studio

import (
	"context"
	"encoding/base64"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/model"
	"callboard/backend/server"
	"callboard/backend/tool"
)

// dot is a GIF of one pixel.
var dot, _ = base64.StdEncoding.DecodeString("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=")

// repeating is a model that calls see when it is told to look, and else repeats all it was told.
type repeating struct{}

func (repeating) Stream(_ context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		last := request.Messages[len(request.Messages)-1]
		if last.Role == model.RoleUser && strings.HasPrefix(last.Content, "Look") {
			yield(model.Chunk{ToolCalls: []model.ToolCall{{Name: "see", Arguments: `{ "at":"Oslo" }`}}, FinishReason: model.FinishToolCalls}, nil)
			return
		}
		var told []string
		for _, m := range request.Messages {
			line := string(m.Role) + " " + m.Content
			for _, c := range m.ToolCalls {
				line += c.Name + c.Arguments
			}
			if len(m.Images) > 0 {
				line += fmt.Sprintf(" with %d image", len(m.Images))
			}
			told = append(told, line)
		}
		yield(model.Chunk{Text: strings.Join(told, "\n"), FinishReason: model.FinishStop}, nil)
	}
}

func TestALaterMessageToAnAttachedAgentIsSentAgainInOtherWords(t *testing.T) {
	see := tool.Must(tool.Config[struct {
		At string `json:"at"`
	}, []tool.Part]{
		Name: "see", Description: "Shows a place",
		Run: func(tool.Context, struct {
			At string `json:"at"`
		},
		) ([]tool.Part, error) {
			return []tool.Part{tool.TextPart("A fjord."), tool.ImagePart(dot)}, nil
		},
	})
	there := &server.Server{Agents: []*agent.Agent{{Name: "guide", Backend: repeating{}, Tools: []*tool.Tool{see}}}}
	handler := there.Handler()
	refuses := false
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuses && strings.HasSuffix(r.URL.Path, "/messages") {
			http.NotFound(w, r)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		if err := there.Close(context.Background()); err != nil {
			t.Error(err)
		}
		web.CloseClientConnections()
		web.Close()
	})
	b := openBench(t, Config{})
	b.attachAs("there", web.URL)
	thread := b.newThread(`{"agentName":"guide@there"}`)
	b.settled(b.send(thread.ID, "guide@there", "Look at Oslo."))
	second := b.send(thread.ID, "guide@there", "And now?")
	b.settled(second)
	body := asJSON(map[string]string{"messageId": b.messageOf(second)})
	refuses = true
	if got := b.call(http.MethodPost, "/api/studio/threads/"+thread.ID+"/fork", body, http.StatusBadRequest); !strings.Contains(got, "there does not take the beginning") {
		t.Errorf("a server that does not take a history: got %s", got)
	}
	refuses = false
	fork := fetch[threadView](b, http.MethodPost, "/api/studio/threads/"+thread.ID+"/fork", body, http.StatusCreated)
	log := b.settled(b.send(fork.ID, "guide@there", "And then?"))
	for _, want := range []string{
		`user Look at Oslo.`, `assistant see{ \"at\":\"Oslo\" }`, `tool [{\"type\":\"text\",\"text\":\"A fjord.\"},`, ` with 1 image`, `assistant user Look`, `user And then?`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("its model was told\n%s\nwant %s in it", log, want)
		}
	}
	if strings.Contains(log.String(), "And now?") {
		t.Errorf("its model was told what stood in place of the message:\n%s", log)
	}
}
