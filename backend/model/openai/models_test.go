package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"callboard/backend/model/openai"
)

func TestModels(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string
		err        string
	}{
		{"as OpenAI lists them", `{"object":"list","data":[{"id":"b","created":"yesterday"},{"id":"a"},{"id":"b"}]}`, []string{"b", "a"}, ""},
		{"as Ollama lists them", `{"models":[{"name":"llama3:8b","model":"llama3:8b"}]}`, []string{"llama3:8b"}, ""},
		{"as a bare list", `[{"id":"a"}]`, []string{"a"}, ""},
		{"none", `{"data":[]}`, nil, ""},
		{"a web page", `<html><title>Sign in</title></html>`, nil, "sent no list of models but a web page (Sign in)"},
		{"an error", `{"error":"loading"}`, nil, `sent no list of models but "loading"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer k" {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, test.body)
			}))
			defer server.Close()
			for _, base := range []string{server.URL, server.URL + "/v1/"} {
				backend := &openai.Backend{BaseURL: base, HTTPClient: server.Client(), Key: func() string { return " k\n" }}
				got, err := backend.Models(t.Context())
				if !slices.Equal(got, test.want) || (err == nil) != (test.err == "") || (err != nil && !strings.Contains(err.Error(), test.err)) {
					t.Errorf("%s: got %q, %v; want %q, %q", base, got, err, test.want, test.err)
				}
			}
		})
	}
}
