package openai_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"callboard/backend/model"
	"callboard/backend/model/openai"
)

var bytesOf = map[string][]byte{"h1": []byte("first\x00"), "h2": []byte("second")}

func read(_ context.Context, hash string) ([]byte, error) {
	if body, known := bytesOf[hash]; known {
		return body, nil
	}
	return nil, errors.New("no blob " + hash)
}

// shots is a turn of two calls, one of which shows two images, and what the model said to it.
func shots() []*model.Message {
	image := func(hash string) model.Image { return model.Image{Hash: hash, MediaType: "image/png", Bytes: 6} }
	return []*model.Message{
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "c1", ProviderID: "p1", Name: "look"}, {ID: "c2", Name: "read"}}},
		{Role: model.RoleTool, ToolCallID: "c1", ToolName: "look", Content: "[image 1: image/png]\n[image 2: image/png]", Images: []model.Image{image("h1"), image("h2")}},
		{Role: model.RoleTool, ToolCallID: "c2", ToolName: "read", Content: "text"},
		{Role: model.RoleAssistant, Content: "I see."},
	}
}

func TestImagesFollowTheResultsOfTheirTurn(t *testing.T) {
	url := func(hash string) string {
		return "data:image/png;base64," + base64.StdEncoding.EncodeToString(bytesOf[hash])
	}
	shown := func(first, second string) string {
		return `{"role":"tool","tool_call_id":"p1","content":"[image 1: image/png]\n[image 2: image/png]"},` +
			`{"role":"tool","tool_call_id":"c2","content":"text"},` +
			`{"role":"user","content":[{"type":"text","text":"Image 1 of the result of look (p1):"},{"type":"image_url","image_url":{"url":"` + first + `"}},` +
			`{"type":"text","text":"Image 2 of the result of look (p1):"},{"type":"image_url","image_url":{"url":"` + second + `"}}]}`
	}
	messages := shots()
	var memo any
	backend := &openai.Backend{Model: "m"}
	body, sent := ask(t, backend, &model.Request{Messages: messages[:3], Memo: &memo, Image: read})
	if want := shown(url("h1"), url("h2")) + "]}"; !strings.HasSuffix(body, want) {
		t.Errorf("the request ends %s\nwant %s", body, want)
	}
	recorded := string(sent.Tail)
	if want := shown("blob:h1", "blob:h2") + "]}"; !strings.HasSuffix(recorded, want) {
		t.Errorf("the request is recorded as %s\nwant %s", recorded, want)
	}

	// The next request of the run is this one and more, and so is the one after a restart.
	next, delta := ask(t, backend, &model.Request{Messages: messages, Memo: &memo, Image: read})
	if want := strings.TrimSuffix(body, "]}") + `,{"role":"assistant","content":"I see."}]}`; next != want {
		t.Errorf("the next request is %s\nwant %s", next, want)
	}
	if delta.Keep != len(recorded)-len("]}") || string(delta.Tail) != `,{"role":"assistant","content":"I see."}]}` {
		t.Errorf("the next request keeps %d bytes and adds %s; the one before was recorded in %d", delta.Keep, delta.Tail, len(recorded))
	}
	if again, _ := ask(t, backend, &model.Request{Messages: shots(), Image: read}); again != next {
		t.Errorf("after a restart the request is %s\nwant %s", again, next)
	}
}

func TestAServerGetsAsManyBytesAsItIsTold(t *testing.T) {
	var told int64
	var got []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told = r.ContentLength
		got, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, events(said("ok"), stop("stop"))) // the client reads it, or fails
	}))
	defer server.Close()
	backend := &openai.Backend{BaseURL: server.URL + "/v1", Model: "m"}
	for _, err := range backend.Stream(t.Context(), &model.Request{Messages: shots(), Image: read}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if told != int64(len(got)) || !strings.Contains(string(got), `"url":"data:image/png;base64,`) {
		t.Errorf("%d bytes were promised, %d came: %s", told, len(got), got)
	}
}

func TestImagesThatCannotBeReadFailTheRequest(t *testing.T) {
	missing := shots()
	missing[1].Images[1].Hash = "h3"
	for name, c := range map[string]struct {
		request *model.Request
		want    string
	}{
		"bytes that are gone":      {&model.Request{Messages: missing, Image: read}, "read an image of the history: no blob h3"},
		"nobody who has the bytes": {&model.Request{Messages: shots()}, "nothing gives their bytes"},
	} {
		w := &wire{pieces: []string{events(said("ok"), stop("stop"))}}
		backend := &openai.Backend{BaseURL: "http://model.test/v1", HTTPClient: &http.Client{Transport: w}}
		var failure error
		for _, err := range backend.Stream(t.Context(), c.request) {
			failure = err
		}
		if failure == nil || !strings.Contains(failure.Error(), c.want) || len(w.bodies) > 0 {
			t.Errorf("%s: %v after %d requests, want an error with %q and no request", name, failure, len(w.bodies), c.want)
		}
	}
}

func TestAModelThatRefusesImagesIsToldOfThem(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"llama.cpp":        {500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"}}`},
		"OpenRouter":       {404, `{"error":{"message":"No endpoints found that support image input","code":404}}`},
		"OpenAI":           {400, `{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error"}}`},
		"vLLM":             {400, `{"object":"error","message":"deepseek is not a multimodal model","code":400}`},
		"a server of text": {422, `{"detail":[{"loc":["body","messages",3,"content"],"msg":"Input should be a valid string"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := &wire{status: c.status, pieces: []string{c.body}}
			backend := &openai.Backend{BaseURL: "http://model.test/v1", Model: "m", HTTPClient: &http.Client{Transport: w}}
			var memo any
			request := &model.Request{Messages: shots(), Image: read, Memo: &memo}
			failure, _ := failureOf(t, backend, request)
			if failure == nil || !failure.Retryable || !strings.Contains(failure.Message, `the model "m" did not take them: the next one tells of them in words.`) {
				t.Errorf("the error is %+v", failure)
			}
			failure, _ = failureOf(t, backend, request)
			if failure == nil || strings.Contains(failure.Message, "did not take them") {
				t.Errorf("without images the error is %+v", failure)
			}
			if body := string(w.bodies[1]); strings.Contains(body, "image_url") || !strings.Contains(body, `{"role":"user","content":"Image 1 of the result of look (p1) cannot be shown to you.`) {
				t.Errorf("the images went out again: %s", body)
			}
			another := shots()
			another[1].Images[0].Hash = "h9"
			seen := &model.Request{Messages: another, Image: func(context.Context, string) ([]byte, error) { return []byte("9"), nil }}
			if _, _ = failureOf(t, backend, seen); strings.Count(string(w.bodies[2]), `"image_url":`) != 1 || !strings.Contains(string(w.bodies[2]), "cannot be shown to you.\"}") {
				t.Errorf("one that was not refused is not shown: %s", w.bodies[2])
			}
			if _, _ = failureOf(t, backend, &model.Request{Messages: shots(), Image: read, Model: "other"}); !strings.Contains(string(w.bodies[3]), "image_url") {
				t.Errorf("another model is not shown them: %s", w.bodies[3])
			}
		})
	}
}
