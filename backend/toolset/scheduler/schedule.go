package scheduler

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"callboard/backend/tool"
)

type scheduleArgs struct {
	Message  string `json:"message" jsonschema:"minLength=1,maxLength=8000" jsonschema_description:"What to send into this thread, in words that will be understood then"`
	Delay    string `json:"delay,omitempty" jsonschema_description:"Send it once after this time: 90s, 15m, 1h30m, 2d. Give one of delay, at and cron."`
	At       string `json:"at,omitempty" jsonschema_description:"Send it once at this time: 2026-03-29T14:30, or with an offset 2026-03-29T14:30:00+02:00"`
	Cron     string `json:"cron,omitempty" jsonschema_description:"Send it again and again: five fields (minute, hour, day of the month, month, day of the week), @daily, @every 2h and the like"`
	Timezone string `json:"timezone,omitempty" jsonschema_description:"The zone of at and cron, an IANA name like Europe/Berlin; the user's own if absent"`
}

// Validate refuses a message without a time, and one with two.
func (a *scheduleArgs) Validate() error {
	given := 0
	for _, text := range []*string{&a.Delay, &a.At, &a.Cron} {
		if *text = strings.TrimSpace(*text); *text != "" {
			given++
		}
	}
	switch {
	case strings.TrimSpace(a.Message) == "":
		return errors.New("message is blank")
	case given != 1:
		return fmt.Errorf("give one of delay, at and cron, not %d", given)
	case a.Timezone != "":
		if _, err := time.LoadLocation(a.Timezone); err != nil || a.Timezone == "Local" {
			return fmt.Errorf("timezone %q is not known: write a name like Europe/Berlin or UTC", a.Timezone)
		}
	}
	return nil
}

// words are when it is sent, as it was asked for.
func (a *scheduleArgs) words() string {
	zone := ""
	if a.Timezone != "" {
		zone = " " + a.Timezone
	}
	switch {
	case a.Delay != "":
		return "in " + a.Delay
	case a.At != "":
		return "at " + a.At + zone
	}
	return a.Cron + zone
}

type scheduled struct {
	ID   string `json:"id"`
	Next string `json:"next"` // RFC 3339
}

var scheduleCalls = tool.Presentation{Label: "Schedule", Icon: "alarm-clock-plus"}

func presentSchedule(in scheduleArgs, summary string) *tool.Presentation {
	return about(scheduleCalls, line(in.words()+": "+in.Message), summary)
}

func (s *Scheduler) scheduleTool() (*tool.Tool, error) {
	return tool.Define(tool.Config[scheduleArgs, tool.Output[scheduled]]{
		Name: "schedule",
		Description: "Sends a message into this thread later, as if the user had sent it: once after a delay or at a time, or again and again by cron. " +
			"A time that passes while the program does not run is made up for once when it runs again.",
		Category:     "scheduler",
		SideEffects:  []tool.SideEffect{tool.Database},
		Presentation: &scheduleCalls,
		Present:      func(in scheduleArgs) *tool.Presentation { return presentSchedule(in, "") },
		Run:          s.schedule,
	})
}

func (s *Scheduler) schedule(ctx tool.Context, in scheduleArgs) (out tool.Output[scheduled], err error) {
	if ctx.ThreadID == "" {
		return out, errors.New("schedule a message: this call belongs to no thread it could go into")
	}
	own, err := s.own(ctx)
	if err != nil {
		return out, err
	}
	if len(own) >= MaxSchedules {
		return out, fmt.Errorf("schedule a message: there are %d schedules already, which is the most; cancel one first", len(own))
	}
	loc, now := s.location(in.Timezone), s.now()
	var next time.Time
	switch {
	case in.Delay != "":
		next, err = delayed(in.Delay, now)
	case in.At != "":
		next, err = fixed(in.At, loc, now)
	default:
		next, err = Next(in.Cron, loc, now)
	}
	if err != nil {
		return out, err
	}
	made := Schedule{
		ID: "sch_" + strings.ToLower(rand.Text()), ThreadID: ctx.ThreadID, Owner: ownerOf(ctx), Message: in.Message,
		Cron: in.Cron, Zone: in.Timezone, NextMs: next.UnixMilli(), CreatedAtMs: now.UnixMilli(),
	}
	if err := s.Store.AddSchedule(ctx, made); err != nil {
		return out, fmt.Errorf("schedule a message: %w", err)
	}
	s.mu.Lock()
	s.ring()
	s.mu.Unlock()
	out.Content = scheduled{ID: made.ID, Next: stamp(made.NextMs, loc)}
	out.Presentation = presentSchedule(in, shown(next, loc))
	return out, nil
}
