package realtime_test

import (
	"encoding/base64"
	"errors"
	"testing"

	"callboard/backend/agent"
	"callboard/backend/approval"
	"callboard/backend/protocol"
	"callboard/backend/tool"
)

type file struct {
	Path string `json:"path" jsonschema_description:"Which file"`
}

type lines struct {
	Lines int `json:"lines"`
}

type payment struct {
	Euros int    `json:"euros" jsonschema:"minimum=1"`
	To    string `json:"to"`
}

type nothing struct{}

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="

// wares are the tools of the conversations. wait works until its call is cancelled, and says when it began.
func wares(t testing.TB, began func()) []*tool.Tool {
	picture, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	return []*tool.Tool{
		tool.Must(tool.Config[file, tool.Output[lines]]{
			Name: "files.read", Description: "Reads a file", Presentation: &tool.Presentation{Label: "Read file"},
			Run: func(_ tool.Context, in file) (tool.Output[lines], error) {
				if in.Path == "secret" {
					return tool.Output[lines]{}, errors.New("no such file")
				}
				return tool.Output[lines]{
					Content: lines{3}, Details: map[string]string{"text": "for people alone"},
					Presentation: &tool.Presentation{Label: "Read " + in.Path},
				}, nil
			},
		}),
		tool.Must(tool.Config[payment, string]{
			Name: "pay", Description: "Pays", Approval: tool.Always,
			Run: func(_ tool.Context, in payment) (string, error) { return "paid " + in.To, nil },
		}),
		tool.Must(tool.Config[nothing, []tool.Part]{
			Name: "look", Description: "Looks",
			Run: func(tool.Context, nothing) ([]tool.Part, error) {
				return []tool.Part{tool.TextPart("the yard"), tool.ImagePart(picture)}, nil
			},
		}),
		tool.Must(tool.Config[nothing, string]{
			Name: "wait", Description: "Waits",
			Run: func(c tool.Context, _ nothing) (string, error) {
				c.Update(tool.Update{Content: "still waiting"})
				began()
				<-c.Done()
				return "", c.Err()
			},
		}),
	}
}

// caller pays up to 100 euros without asking anybody else.
func caller() *agent.Runner {
	return &agent.Runner{Approve: func(_ tool.Context, a protocol.Approval) approval.Decision {
		if a.ArgumentsText == `{"euros": 5, "to": "the baker"}` {
			return approval.Decision{Approved: true}
		}
		return approval.Decision{Reason: "too much"}
	}}
}
