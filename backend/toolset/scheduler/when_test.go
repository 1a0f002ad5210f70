package scheduler

import (
	"strings"
	"testing"
	"time"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

func TestTheNextTimesOfACronExpression(t *testing.T) {
	for name, c := range map[string]struct {
		cron, zone, after string
		want              []string
	}{
		"weekdays at nine": {
			"0 9 * * 1-5", "Europe/Berlin", "2026-11-27T10:00:00+01:00",
			[]string{"2026-11-30T09:00:00+01:00", "2026-12-01T09:00:00+01:00"},
		},
		"nine stays nine when the clocks change": {
			"0 9 * * *", "Europe/Berlin", "2026-03-28T08:00:00+01:00",
			[]string{"2026-03-28T09:00:00+01:00", "2026-03-29T09:00:00+02:00", "2026-03-30T09:00:00+02:00"},
		},
		"a time that is left out comes as soon as the clocks have moved on": {
			"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"},
		},
		"a time that comes twice is taken once": {
			"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"},
		},
		"asked between the two, it is the next day's": {
			"30 1 * * *", "America/New_York", "2026-11-01T01:10:00-05:00",
			[]string{"2026-11-02T01:30:00-05:00"},
		},
		"every quarter of an hour goes by time that passes": {
			"*/30 * * * *", "Europe/Berlin", "2026-10-25T02:10:00+02:00",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T02:30:00+01:00", "2026-10-25T03:00:00+01:00"},
		},
		"hours that are left out are not missed": {
			"0 * * * *", "Europe/Berlin", "2026-03-29T01:00:00+01:00",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-29T04:00:00+02:00"},
		},
		"every day at midnight, where midnight is left out": {
			"@daily", "America/Santiago", "2026-09-05T12:00:00-04:00",
			[]string{"2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00"},
		},
		"every so often": {
			"@every 90m", "UTC", "2026-01-01T00:00:00Z",
			[]string{"2026-01-01T01:30:00Z", "2026-01-01T03:00:00Z"},
		},
		"a leap day": {
			"0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z",
			[]string{"2028-02-29T00:00:00Z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			moment := at(t, c.after)
			for i, want := range c.want {
				next, err := Next(c.cron, zone(t, c.zone), moment)
				if err != nil {
					t.Fatal(err)
				}
				if !next.Equal(at(t, want)) {
					t.Fatalf("time %d: got %s, want %s", i+1, next.Format(time.RFC3339), want)
				}
				moment = next
			}
		})
	}
}

func TestACronExpressionThatCannotWorkIsRefused(t *testing.T) {
	for expression, want := range map[string]string{
		"":                       "has 0 fields",
		"* * * *":                "has 4 fields",
		"0 0 9 * * 1":            "has 6 fields",
		"61 * * * *":             "above maximum",
		"x * * * *":              "x",
		"0 0 31 2 *":             "never comes",
		"@every 10s":             "a minute is the shortest",
		"@sometimes":             "@sometimes",
		"TZ=UTC 0 9 * * *":       "name the zone in timezone",
		"CRON_TZ=UTC @daily":     "name the zone in timezone",
		"@every":                 "@every",
		"0 9 * * * ; rm -rf /":   "fields",
		"0 9 * * 7-8":            "7-8",
		"9999999999999 * * * *":  "above maximum",
		"0 9 * * MON,TUE,NODAY ": "NODAY",
	} {
		if next, err := Next(expression, time.UTC, time.Now()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v, want an error with %q", expression, next, err, want)
		}
	}
}

func TestDelaysAndPointsInTime(t *testing.T) {
	now := at(t, "2026-03-28T12:00:00+01:00")
	berlin := zone(t, "Europe/Berlin")
	for text, want := range map[string]string{
		"90s": "2026-03-28T12:01:30+01:00", "1h30m": "2026-03-28T13:30:00+01:00", "1d": "2026-03-29T13:00:00+02:00",
		"1w2d 3h": "2026-04-06T16:00:00+02:00", " 15m ": "2026-03-28T12:15:00+01:00", "1.5h": "2026-03-28T13:30:00+01:00",
	} {
		if got, err := delayed(text, now); err != nil || !got.Equal(at(t, want)) {
			t.Errorf("delay %q: got %v, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"soon": "no duration", "10": "no duration", "": "no duration", "0s": "a second is the shortest", "-1h": "a second is the shortest",
		"1d-2h": "", "9999w": "ten years", "999999h": "ten years", "1ms": "a second is the shortest", "1y": "no duration",
	} {
		_, err := delayed(text, now)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("delay %q: got %v, want an error with %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"2026-03-29T14:30:00+02:00": "2026-03-29T14:30:00+02:00", "2026-03-29T14:30": "2026-03-29T14:30:00+02:00",
		"2026-03-28 14:30": "2026-03-28T14:30:00+01:00", "2026-10-25T02:30": "2026-10-25T02:30:00+02:00",
		"2026-10-25T02:30:00+01:00": "2026-10-25T02:30:00+01:00", "2026-03-28T12:00:01Z": "2026-03-28T13:00:01+01:00",
	} {
		if got, err := fixed(text, berlin, now); err != nil || !got.Equal(at(t, want)) {
			t.Errorf("at %q: got %v, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"2026-03-28T11:59":     "is past: it is 2026-03-28T12:00:00+01:00 now",
		"2026-03-28T12:00":     "is past",
		"2026-03-29T02:30":     "never show that time: they move on then, at 2026-03-29T03:00:00+02:00",
		"tomorrow":             "no date and time",
		"2026-02-30T12:00":     "no date and time",
		"9999-01-01T00:00:00Z": "ten years ahead",
	} {
		if got, err := fixed(text, berlin, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("at %q: got %v, %v, want an error with %q", text, got, err, want)
		}
	}
}
