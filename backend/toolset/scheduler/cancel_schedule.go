package scheduler

import (
	"fmt"
	"slices"

	"callboard/backend/tool"
)

type cancelArgs struct {
	ID string `json:"id" jsonschema:"minLength=1,maxLength=100" jsonschema_description:"The schedule's id, as schedule and list_schedules give it"`
}

type cancelled struct {
	Cancelled bool `json:"cancelled"`
}

var cancelCalls = tool.Presentation{Label: "Cancel schedule", Icon: "alarm-clock-off"}

func (s *Scheduler) cancelTool() (*tool.Tool, error) {
	return tool.Define(tool.Config[cancelArgs, tool.Output[cancelled]]{
		Name:         "cancel_schedule",
		Description:  "Cancels a scheduled message for good.",
		Category:     "scheduler",
		SideEffects:  []tool.SideEffect{tool.Database},
		Presentation: &cancelCalls,
		Present:      func(in cancelArgs) *tool.Presentation { return about(cancelCalls, in.ID, "") },
		Run: func(ctx tool.Context, in cancelArgs) (out tool.Output[cancelled], err error) {
			own, err := s.own(ctx)
			if err != nil {
				return out, err
			}
			at := slices.IndexFunc(own, func(one State) bool { return one.ID == in.ID })
			if at < 0 {
				return out, fmt.Errorf("cancel the schedule %s: %w: list_schedules gives the ids there are", in.ID, ErrNotFound)
			}
			if err := s.Cancel(ctx, in.ID); err != nil {
				return out, err
			}
			out.Content = cancelled{true}
			out.Presentation = about(cancelCalls, line(own[at].Message), "")
			return out, nil
		},
	})
}
