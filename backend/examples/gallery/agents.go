package main

import (
	"fmt"

	"callboard/backend/agent"
	"callboard/backend/model/scripted"
	"callboard/backend/tool"
)

// Trip is what the planner answers with.
type Trip struct {
	ID    int64    `json:"id"`
	City  string   `json:"city"`
	Days  int      `json:"days" jsonschema:"minimum=1"`
	Stops []string `json:"stops,omitempty"`
}

// planner answers with one JSON object. Its first answer does not fit, so that it is asked again.
func planner() (*agent.Agent, error) {
	trips, err := agent.OutputOf[Trip]()
	if err != nil {
		return nil, err
	}
	return &agent.Agent{
		Name: "planner", Description: "Answers with a trip as JSON", Output: trips, MaxRetries: -1,
		Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.Say(`Sure! {"id": 1, "city": "Oslo", "days": 0}`),
			scripted.Say(`{"id": 2512292042121000001, "city": "Oslo", "days": 3, "stops": ["the opera's roof", "the fjord"]}`),
		}},
	}, nil
}

type file struct {
	File string `json:"file"`
}

// step is a tool of the agent that releases.
func step(name, label, icon, result string, approval tool.Approval, effects ...tool.SideEffect) (*tool.Tool, error) {
	return tool.Define(tool.Config[file, string]{
		Name: name, Description: label + "s a file", Approval: approval, SideEffects: effects,
		Present: func(in file) *tool.Presentation {
			return &tool.Presentation{Label: label, Icon: icon, Detail: in.File}
		},
		Run: func(tool.Context, file) (string, error) { return result, nil },
	})
}

// captain lets another agent release, inside a call of its own: of the calls that one makes two are done and the last waits.
func captain() (*agent.Agent, error) {
	build, err := step("build", "Build", "hammer", "8,123,456 bytes", tool.Approval{})
	if err != nil {
		return nil, err
	}
	sign, err := step("sign", "Sign", "key-round", "signed", tool.Approval{})
	if err != nil {
		return nil, err
	}
	upload, err := step("upload", "Upload", "upload", "uploaded", tool.Always, tool.Network, tool.External)
	if err != nil {
		return nil, err
	}
	const of = `{"file":"callboard.tar.gz"}`
	release, err := agent.AsTool(&agent.Agent{
		Name: "release", Description: "Builds, signs and uploads a version", Tools: []*tool.Tool{build, sign, upload}, MaxRetries: -1,
		Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.CallTool("c1", "build", of), scripted.CallTool("c2", "sign", of), scripted.CallTool("c3", "upload", of),
			scripted.Say("Version 1.4 is released."),
		}},
	}, agent.ToolConfig{})
	if err != nil {
		return nil, fmt.Errorf("make the release a tool: %w", err)
	}
	return &agent.Agent{
		Name: "captain", Description: "Lets another agent release", Tools: []*tool.Tool{release}, MaxRetries: -1,
		Backend: &scripted.Backend{Turns: []scripted.Turn{
			scripted.CallTool("c1", "release", `{"input":"Release version 1.4"}`), scripted.Say("It is done."),
		}},
	}, nil
}

// reception hands over to an agent that has an image to show.
func reception() (*agent.Agent, error) {
	picture, err := sight()
	if err != nil {
		return nil, err
	}
	keeper := &agent.Agent{
		Name: "keeper", Description: "Keeps the images", Tools: []*tool.Tool{picture}, MaxRetries: -1,
		Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.CallTool("c2", "seen", `{}`), scripted.Say("That is the one we have.")}},
	}
	return &agent.Agent{
		Name: "reception", Description: "Hands over to who keeps the images", Handoffs: []*agent.Agent{keeper}, MaxRetries: -1,
		Backend: &scripted.Backend{Turns: []scripted.Turn{scripted.CallTool("c1", "transfer_to_keeper", `{}`)}},
	}, nil
}
