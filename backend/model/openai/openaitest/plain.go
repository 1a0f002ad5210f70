package openaitest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"callboard/backend/model"

	openai "github.com/sashabaranov/go-openai"
)

// Plain is the loop one writes with go-openai alone: it asks, puts the calls of the stream together, runs them in order, and
// asks again with their results, until the model answers in words. It keeps nothing and shows nothing. It returns how many
// requests it made.
func Plain(ctx context.Context, baseURL, name string, tools []model.ToolSchema, run func(name, arguments string) string) (int, error) {
	config := openai.DefaultConfig("key")
	config.BaseURL = baseURL
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	config.HTTPClient = &http.Client{Transport: transport}
	client := openai.NewClientWithConfig(config)
	request := openai.ChatCompletionRequest{
		Model:         name,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
		Messages:      []openai.ChatCompletionMessage{{Role: "system", Content: Instructions}, {Role: "user", Content: Question}},
	}
	for _, t := range tools {
		request.Tools = append(request.Tools, openai.Tool{
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Parameters},
		})
	}
	for requests := 1; ; requests++ {
		answer, err := plainTurn(ctx, client, request)
		if err != nil {
			return requests, fmt.Errorf("request %d: %w", requests, err)
		}
		if len(answer.ToolCalls) == 0 {
			return requests, nil
		}
		request.Messages = append(request.Messages, answer)
		for _, c := range answer.ToolCalls {
			request.Messages = append(request.Messages, openai.ChatCompletionMessage{
				Role: "tool", ToolCallID: c.ID, Content: run(c.Function.Name, c.Function.Arguments),
			})
		}
	}
}

// What the loops that are compared begin with.
const (
	Instructions = "You look things up."
	Question     = "Look everything up."
)

func plainTurn(ctx context.Context, client *openai.Client, request openai.ChatCompletionRequest) (openai.ChatCompletionMessage, error) {
	answer := openai.ChatCompletionMessage{Role: "assistant"}
	stream, err := client.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return answer, err
	}
	defer func() { _ = stream.Close() }()
	var content strings.Builder
	var arguments []*strings.Builder
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return answer, err
		}
		if len(chunk.Choices) == 0 {
			continue
		}
		delta := chunk.Choices[0].Delta
		content.WriteString(delta.Content)
		for _, c := range delta.ToolCalls {
			for *c.Index >= len(answer.ToolCalls) {
				answer.ToolCalls = append(answer.ToolCalls, openai.ToolCall{Type: openai.ToolTypeFunction})
				arguments = append(arguments, &strings.Builder{})
			}
			call := &answer.ToolCalls[*c.Index]
			if c.ID != "" {
				call.ID = c.ID
			}
			if c.Function.Name != "" {
				call.Function.Name = c.Function.Name
			}
			arguments[*c.Index].WriteString(c.Function.Arguments)
		}
	}
	answer.Content = content.String()
	for i := range answer.ToolCalls {
		answer.ToolCalls[i].Function.Arguments = arguments[i].String()
	}
	return answer, nil
}
