package scheduler

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// farthest is how far ahead a time may be.
const farthest = 10 * 366 * 24 * time.Hour

// Next is the first time after a moment that a cron expression names, in a zone. It takes five fields (minute, hour, day of the
// month, month, day of the week), @hourly, @daily, @weekly, @monthly, @yearly, and @every with a duration of a minute or more.
//
// Where clocks change, an expression that names its hours fires once: at a time that comes twice the first time, and in place of a
// time that is left out as soon as the clocks have moved on. One whose hour begins with * goes by time that passes.
func Next(expression string, loc *time.Location, after time.Time) (time.Time, error) {
	expression = strings.TrimSpace(expression)
	if strings.Contains(expression, "TZ=") {
		return time.Time{}, fmt.Errorf("cron %q: name the zone in timezone", expression)
	}
	if fields := strings.Fields(expression); len(fields) != 5 && !strings.HasPrefix(expression, "@") {
		return time.Time{}, fmt.Errorf("cron %q has %d fields, not five: minute, hour, day of the month, month, day of the week", expression, len(fields))
	}
	plan, err := cron.ParseStandard(expression)
	if err != nil {
		return time.Time{}, fmt.Errorf("cron %q: %w", expression, err)
	}
	if every, ok := plan.(cron.ConstantDelaySchedule); ok && every.Delay < time.Minute {
		return time.Time{}, fmt.Errorf("cron %q: a minute is the shortest", expression)
	}
	next := nextByClock
	if passing(expression) {
		next = func(plan cron.Schedule, loc *time.Location, after time.Time) time.Time {
			return plan.Next(after.In(loc))
		}
	}
	at := next(plan, loc, after)
	if at.IsZero() {
		return at, fmt.Errorf("cron %q names a time that never comes", expression)
	}
	return at, nil
}

// passing says whether an expression goes by time that passes, not by the clock on the wall.
func passing(expression string) bool {
	fields := strings.Fields(expression)
	return fields[0] == "@every" || fields[0] == "@hourly" || len(fields) == 5 && strings.HasPrefix(fields[1], "*")
}

// nextByClock looks for the next reading of the clock on the wall, which has all days alike, and then for the moment it shows it.
func nextByClock(plan cron.Schedule, loc *time.Location, after time.Time) time.Time {
	reading := asUTC(after.In(loc))
	for {
		if reading = plan.Next(reading); reading.IsZero() {
			return reading
		}
		if at, _ := moment(reading, loc); at.After(after) {
			return at
		}
	}
}

func asUTC(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// moment is when clocks in a zone show a reading: the first time if they do so twice, and the moment they move on, with false, if
// they leave it out.
func moment(reading time.Time, loc *time.Location) (time.Time, bool) {
	y, m, d := reading.Date()
	t := time.Date(y, m, d, reading.Hour(), reading.Minute(), reading.Second(), reading.Nanosecond(), loc)
	start, end := t.ZoneBounds()
	if off := asUTC(t).Sub(reading); off != 0 {
		if off > 0 {
			return start, false
		}
		return end, false
	}
	if !start.IsZero() {
		_, before := start.Add(-time.Nanosecond).Zone()
		_, now := t.Zone()
		if first := t.Add(time.Duration(now-before) * time.Second); before > now && first.Before(start) {
			return first, true
		}
	}
	return t, true
}

var days = regexp.MustCompile(`^(\d{1,4})([dw])`)

// delayed reads a delay: a duration of Go, with days and weeks before it if need be.
func delayed(text string, now time.Time) (time.Time, error) {
	rest := strings.ReplaceAll(strings.TrimSpace(text), " ", "")
	var sum time.Duration
	for {
		found := days.FindStringSubmatch(rest)
		if found == nil {
			break
		}
		n, err := strconv.Atoi(found[1])
		if err != nil {
			return time.Time{}, fmt.Errorf("delay %q: %w", text, err)
		}
		unit := 24 * time.Hour
		if found[2] == "w" {
			unit *= 7
		}
		sum += time.Duration(n) * unit
		if rest = rest[len(found[0]):]; rest == "" {
			rest = "0s"
		}
	}
	d, err := time.ParseDuration(rest)
	switch {
	case err != nil:
		return time.Time{}, fmt.Errorf(`delay %q is no duration: write it like "90s", "15m", "1h30m" or "2d"`, text)
	case sum+d < time.Second:
		return time.Time{}, fmt.Errorf("delay %q: a second is the shortest", text)
	case sum > farthest || d > farthest || sum+d > farthest:
		return time.Time{}, fmt.Errorf("delay %q: ten years is the longest", text)
	}
	return now.Add(sum + d), nil
}

// readings are the forms of a time without a zone.
var readings = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}

// fixed reads a point in time.
func fixed(text string, loc *time.Location, now time.Time) (time.Time, error) {
	at, err := point(strings.TrimSpace(text), loc)
	switch {
	case err != nil:
		return at, fmt.Errorf("at %q: %w", text, err)
	case !at.After(now):
		return at, fmt.Errorf("at %q is past: it is %s now", text, now.In(loc).Format(time.RFC3339))
	case at.Sub(now) > farthest:
		return at, fmt.Errorf("at %q: ten years ahead is the farthest", text)
	}
	return at, nil
}

func point(text string, loc *time.Location) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	for _, form := range readings {
		reading, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		at, ok := moment(reading, loc)
		if !ok {
			return at, fmt.Errorf("clocks in %s never show that time: they move on then, at %s", loc, at.In(loc).Format(time.RFC3339))
		}
		return at, nil
	}
	return time.Time{}, errors.New(`it is no date and time: write it like "2026-03-29T14:30" or "2026-03-29T14:30:00+02:00"`)
}
