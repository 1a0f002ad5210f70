package scheduler

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"callboard/backend/tool"
)

func TestAnAgentSeesAndCancelsItsOwnSchedules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		id := d.schedule(`{"message":"stand up\nand stretch","cron":"0 9 * * 1-5","timezone":"Europe/Berlin"}`)
		other := tool.Context{Context: t.Context(), AgentName: "demo", ThreadID: "t2"}
		if r := d.callIn(other, "schedule", `{"message":"lunch","delay":"1h"}`); r.Err != nil {
			t.Fatal(r.Err)
		}
		foreign := tool.Context{Context: t.Context(), AgentName: "demo", ThreadID: "t1", UserID: "someone"}
		if r := d.callIn(foreign, "cancel_schedule", `{"id":"`+id+`"}`); r.Err == nil {
			t.Error("another user cancelled it, want an error")
		}
		r := d.call("list_schedules", `{}`)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		var got listed
		if err := json.Unmarshal(r.Content, &got); err != nil {
			t.Fatal(err)
		}
		for i := range got.Schedules {
			got.Schedules[i].ID = ""
		}
		want := []listedSchedule{
			{Message: "stand up\nand stretch", Next: "2000-01-03T09:00:00+01:00", Cron: "0 9 * * 1-5", Timezone: "Europe/Berlin", Here: true},
			{Message: "lunch", Next: "2000-01-01T01:00:00Z"},
		}
		if diff := cmp.Diff(want, got.Schedules); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		if r.Presentation.Summary != "2 schedules" {
			t.Errorf("summary: got %q, want 2 schedules", r.Presentation.Summary)
		}
		if r := d.callIn(foreign, "list_schedules", `{}`); string(r.Content) != `{"now":"2000-01-01T00:00:00Z","schedules":[]}` {
			t.Errorf("another user's list: got %s, want none", r.Content)
		}
	})
}

func TestACallIsPresentedByItsTimeAndMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		for arguments, want := range map[string]string{
			`{"message":"a  b","delay":"10m"}`:                                        "in 10m: a b · Sat 1 Jan 2000 00:10 UTC",
			`{"message":"a","at":"2000-01-02T08:00","timezone":"Asia/Tokyo"}`:         "at 2000-01-02T08:00 Asia/Tokyo: a · Sun 2 Jan 2000 08:00 JST",
			`{"message":"a","cron":"@daily"}`:                                         "@daily: a · Sun 2 Jan 2000 00:00 UTC",
			`{"message":"` + strings.Repeat("word ", 200) + `","cron":" 0 0 1 * * "}`: "",
		} {
			r := d.call("schedule", arguments)
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			got := r.Presentation.Detail + " · " + r.Presentation.Summary
			if want != "" && got != want || len(got) > 300 {
				t.Errorf("%s: got %q, want %q", arguments, got, want)
			}
		}
	})
}

func TestArgumentsThatCannotWorkAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		for arguments, want := range map[string]string{
			`{"message":"a"}`:                                                  "give one of delay, at and cron, not 0",
			`{"message":"a","delay":" "}`:                                      "give one of delay, at and cron, not 0",
			`{"message":"a","delay":"1m","cron":"@daily"}`:                     "give one of delay, at and cron, not 2",
			`{"message":" ","delay":"1m"}`:                                     "message is blank",
			`{"message":"` + strings.Repeat("a", 8001) + `","delay":"1m"}`:     "/message",
			`{"message":"a","delay":"soon"}`:                                   "no duration",
			`{"message":"a","at":"1999-12-31T23:00"}`:                          "is past: it is 2000-01-01T00:00:00Z now",
			`{"message":"a","cron":"* * * *"}`:                                 "fields",
			`{"message":"a","cron":"@daily","timezone":"Mars/Olympus"}`:        `timezone "Mars/Olympus" is not known`,
			`{"message":"a","cron":"@daily","timezone":"Local"}`:               `timezone "Local" is not known`,
			`{"message":"a","cron":"@daily","timezone":"../../../etc/passwd"}`: "is not known",
		} {
			if r := d.call("schedule", arguments); r.Err == nil || !strings.Contains(r.Err.Error(), want) {
				t.Errorf("%.60s: got %v, want an error with %q", arguments, r.Err, want)
			}
		}
		if r := d.callIn(tool.Context{Context: t.Context()}, "schedule", `{"message":"a","delay":"1m"}`); r.Err == nil ||
			!strings.Contains(r.Err.Error(), "belongs to no thread") {
			t.Errorf("a call without a thread: got %v", r.Err)
		}
		for range MaxSchedules {
			d.schedule(`{"message":"a","delay":"1h"}`)
		}
		if r := d.call("schedule", `{"message":"a","delay":"1h"}`); r.Err == nil || !strings.Contains(r.Err.Error(), "which is the most") {
			t.Errorf("one too many: got %v", r.Err)
		}
	})
}
