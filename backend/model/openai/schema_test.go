package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"callboard/backend/model"
	"callboard/backend/model/openai"
)

var answerSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)

func TestTheSchemaOfAnAnswerGoesToTheServerOrToTheModel(t *testing.T) {
	format := `,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":` + string(answerSchema) + `}}`
	words := `It has to fit this JSON Schema: {\"type\":\"object\"`
	system := &model.Message{Role: model.RoleSystem, Content: "Be brief."}
	user := &model.Message{Role: model.RoleUser, Content: "How many?"}
	tools := []model.ToolSchema{{Name: "count"}}
	for name, c := range map[string]struct {
		request     model.Request
		has, hasNot []string
	}{
		"to the server, where no calls can be made": {
			model.Request{Messages: []*model.Message{system, user}},
			[]string{format, `"content":"Be brief."}`},
			[]string{words},
		},
		"to the server, in a turn without tools": {
			model.Request{Messages: []*model.Message{system, user}, Tools: tools, NoTools: true},
			[]string{format, `"tool_choice":"none"`},
			[]string{words},
		},
		"into the instructions, where the model may make calls": {
			model.Request{Messages: []*model.Message{system, user}, Tools: tools},
			[]string{`{"role":"system","content":"Be brief.\n\nWhen you give your answer`, words, `"How many?"`},
			[]string{"response_format"},
		},
		"into instructions of their own, where there are none": {
			model.Request{Messages: []*model.Message{user}, Tools: tools},
			[]string{`"messages":[{"role":"system","content":"When you give your answer`, words, `},{"role":"user"`},
			[]string{"response_format"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.request.ResponseSchema = answerSchema
			body, sent := ask(t, &openai.Backend{Model: "m"}, &c.request)
			if !json.Valid([]byte(body)) || string(sent.Tail) != body {
				t.Errorf("the body is no JSON, or not what the backend says: %s", body)
			}
			for _, want := range c.has {
				if !strings.Contains(body, want) {
					t.Errorf("the body lacks %s: %s", want, body)
				}
			}
			for _, unwanted := range append(c.hasNot, "system\",\"content\":\"Be brief.\"},{\"role\":\"system") {
				if strings.Contains(body, unwanted) {
					t.Errorf("the body has %s: %s", unwanted, body)
				}
			}
		})
	}
}

func TestAServerThatRefusesTheSchemaIsAskedInWordsOnce(t *testing.T) {
	for _, refusal := range []string{
		"'response_format' of type 'json_schema' is not supported with this model", "json_schema: unknown field",
	} {
		backend := &openai.Backend{BaseURL: "http://model.test/v1"}
		var memo any
		request := &model.Request{
			Messages: []*model.Message{{Role: model.RoleUser, Content: "How many?"}}, ResponseSchema: answerSchema, Memo: &memo,
		}
		w := &wire{status: 400, pieces: []string{`{"error":{"message":"` + refusal + `"}}`}}
		backend.HTTPClient = &http.Client{Transport: w}
		if failure, _ := failureOf(t, backend, request); failure == nil || !failure.Retryable || !strings.Contains(failure.Message, "in words") {
			t.Errorf("%s: got %+v, want an error to try again on", refusal, failure)
		}
		if failure, _ := failureOf(t, backend, request); failure == nil || failure.Retryable {
			t.Errorf("refused for the same reason again: got %+v, want an end", failure)
		}
		second := string(w.bodies[1])
		if strings.Contains(second, "response_format") || !strings.Contains(second, "It has to fit this JSON Schema") {
			t.Errorf("%s: the second request is %s", refusal, second)
		}
	}
}
