package aisdk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/backend/model"
	"callboard/backend/model/scripted"
)

// seen is what a real useChat made of its steps.
type seen struct {
	Messages []struct {
		ID, Role string
		Metadata json.RawMessage
		Parts    []map[string]any
	}
	Status           string
	Data             []map[string]any
	Errors, Requests []string
}

// parts are those of the last message, each as JSON, without the steps' marks and what no two runs share.
func (s seen) parts(t *testing.T) string {
	t.Helper()
	var lines []string
	for _, part := range s.Messages[len(s.Messages)-1].Parts {
		if part["type"] == "step-start" {
			continue
		}
		if metadata, ok := part["toolMetadata"].(map[string]any); ok {
			delete(metadata, "durationMs")
			if len(metadata) == 0 {
				delete(part, "toolMetadata")
			}
		}
		if approval, ok := part["approval"].(map[string]any); ok {
			delete(approval, "descriptor")
			delete(approval, "id")
		}
		delete(part, "providerExecuted")
		text, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	return strings.Join(lines, "\n")
}

func call(id, name, arguments string) scripted.Chunk {
	return scripted.Chunk{ToolCalls: []model.ToolCall{{ID: id, Name: name, Arguments: arguments}}}
}

func say(chunks ...scripted.Chunk) scripted.Turn { return scripted.Turn{Chunks: chunks} }

func written(kind model.ToolInputType, delta string) scripted.Chunk {
	return scripted.Chunk{ToolInput: &model.ToolInput{Type: kind, ToolCallID: "c1", ToolName: "edit", Delta: delta}}
}

// TestARealUseChat lets the hook of @ai-sdk/react talk to a server.
