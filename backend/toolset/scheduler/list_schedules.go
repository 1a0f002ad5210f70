package scheduler

import (
	"fmt"
	"time"

	"callboard/backend/tool"
)

type listArgs struct{}

type listed struct {
	Now       string           `json:"now"` // RFC 3339, in the user's zone
	Schedules []listedSchedule `json:"schedules"`
}

type listedSchedule struct {
	ID       string `json:"id"`
	Message  string `json:"message"`
	Next     string `json:"next"` // RFC 3339
	Cron     string `json:"cron,omitempty"`
	Timezone string `json:"timezone,omitempty"`
	Here     bool   `json:"here"`              // it goes into this thread
	Waiting  string `json:"waiting,omitempty"` // why it was not sent yet
}

var listCalls = tool.Presentation{Label: "List schedules", Icon: "calendar-clock"}

func (s *Scheduler) listTool() (*tool.Tool, error) {
	return tool.Define(tool.Config[listArgs, tool.Output[listed]]{
		Name:         "list_schedules",
		Description:  "Lists the messages that are scheduled, in this thread and in others, and says what time it is now.",
		Category:     "scheduler",
		SideEffects:  []tool.SideEffect{tool.Database},
		Presentation: &listCalls,
		Run: func(ctx tool.Context, _ listArgs) (out tool.Output[listed], err error) {
			own, err := s.own(ctx)
			if err != nil {
				return out, err
			}
			out.Content = listed{Now: s.now().In(s.location("")).Format(time.RFC3339), Schedules: []listedSchedule{}}
			for _, one := range own {
				out.Content.Schedules = append(out.Content.Schedules, listedSchedule{
					ID: one.ID, Message: one.Message, Next: stamp(one.NextMs, s.location(one.Zone)), Cron: one.Cron, Timezone: one.Zone,
					Here: one.ThreadID == ctx.ThreadID, Waiting: one.Waiting,
				})
			}
			out.Presentation = about(listCalls, "", countSchedules(len(own)))
			return out, nil
		},
	})
}

func countSchedules(n int) string {
	switch n {
	case 0:
		return "no schedules"
	case 1:
		return "1 schedule"
	}
	return fmt.Sprintf("%d schedules", n)
}
