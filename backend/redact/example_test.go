package redact_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"callboard/backend/protocol"
	"callboard/backend/redact"
)

func ExamplePolicy_Stream() {
	policy := &redact.Policy{Patterns: redact.Patterns()}
	stream := policy.Stream(redact.Operator)
	for seq, event := range []protocol.Event{
		&protocol.TextStart{ID: "p"},
		&protocol.TextDelta{ID: "p", Delta: "The key is sk-proj-abc"},
		&protocol.TextDelta{ID: "p", Delta: "defghijklmnop, keep it."},
		&protocol.TextEnd{ID: "p"},
	} {
		for _, f := range stream.Push(protocol.Frame{Seq: int64(seq + 1), Event: event}) {
			text, _ := f.AppendJSON(nil)
			fmt.Println(f.Seq, string(text))
		}
	}
	// Output:
	// 1 {"type":"text-start","at":0,"id":"p"}
	// 2 {"type":"text-delta","at":0,"id":"p","delta":"The key is "}
	// 3 {"type":"text-delta","at":0,"id":"p","delta":"[redacted], keep it."}
	// 4 {"type":"text-end","at":0,"id":"p"}
}

func ExamplePolicy_JSON() {
	policy := &redact.Policy{Patterns: redact.Patterns()}
	fmt.Println(string(policy.JSON([]byte(`{"user": "ada", "password": "hunter2", "id": 2512292042121000001}`))))
	// Output: {"user": "ada", "password": "[redacted]", "id": 2512292042121000001}
}

func ExamplePolicy_Handler() {
	policy := &redact.Policy{Secrets: func() []string { return []string{"s3cr3t-of-ada"} }, Patterns: redact.Patterns()}
	plain := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	log := slog.New(policy.Handler(plain)).With("key", "s3cr3t-of-ada", "password", "hunter2")
	log.Error("no access", "error", errors.New("the server refuses s3cr3t-of-ada"), slog.Group("sent", "header", "Bearer s3cr3t-of-ada"))
	// Output: level=ERROR msg="no access" key=[redacted] password=[redacted] error="the server refuses [redacted]" sent.header="Bearer [redacted]"
}

func ExamplePolicy_Find() {
	policy := &redact.Policy{Patterns: redact.Patterns(), Words: []string{"falcon"}}
	for _, hit := range policy.Find("Deploy Falcon with token=hunter22.") {
		fmt.Printf("%s: %s•••%s\n", hit.Rule, hit.Before, hit.After)
	}
	// Output:
	// word of your own: Deploy ••• with token=[redacted]
	// value named password, token, secret or key: Deploy [redacted] with token=•••
}
