package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"callboard/backend/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is a scheduler under test in a bubble, whose time is synctest's.
type desk struct {
	*Scheduler
	t *testing.T

	mu    sync.Mutex
	fired []string // "after 1m0s: message" since the bubble began
	last  Firing
	began time.Time
	err   error // what Fire returns
}

func newDesk(t *testing.T, store Store) *desk {
	d := &desk{t: t, began: time.Now()}
	d.Scheduler = &Scheduler{Store: store, Fire: d.fire, Location: time.UTC, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}
	return d
}

func (d *desk) fire(_ context.Context, f Firing) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	d.last = f
	d.fired = append(d.fired, fmt.Sprintf("after %s: %s", time.Since(d.began), f.Message))
	return nil
}

func (d *desk) answer(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func (d *desk) start() {
	d.t.Helper()
	if err := d.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(d.Close)
}

// check compares what was fired until now.
func (d *desk) check(want ...string) {
	d.t.Helper()
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if diff := cmp.Diff(want, d.fired); diff != "" {
		d.t.Errorf("fired (-want +got):\n%s", diff)
	}
}

func (d *desk) lastText() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last.Text()
}

func (d *desk) call(name, arguments string) tool.Result {
	d.t.Helper()
	return d.callIn(tool.Context{Context: d.t.Context(), AgentName: "demo", ThreadID: "t1"}, name, arguments)
}

func (d *desk) callIn(ctx tool.Context, name, arguments string) tool.Result {
	d.t.Helper()
	tools, err := d.Tools()
	if err != nil {
		d.t.Fatal(err)
	}
	for _, made := range tools {
		if made.Name == name {
			c, err := made.Prepare(arguments)
			if err != nil {
				return tool.Result{Err: err}
			}
			return c.Run(ctx)
		}
	}
	d.t.Fatalf("there is no tool %s", name)
	return tool.Result{}
}

// schedule makes a schedule and returns its id.
func (d *desk) schedule(arguments string) string {
	d.t.Helper()
	r := d.call("schedule", arguments)
	if r.Err != nil {
		d.t.Fatalf("schedule %s: %v", arguments, r.Err)
	}
	var made struct{ ID string }
	if err := json.Unmarshal(r.Content, &made); err != nil {
		d.t.Fatal(err)
	}
	return made.ID
}

func (d *desk) states() []State {
	d.t.Helper()
	states, err := d.List(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return states
}

func TestSchedulesFireWhenTheyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		d.start()
		d.schedule(`{"message":"stretch","delay":"90s"}`)
		d.schedule(`{"message":"lunch","at":"2000-01-01T00:10"}`)
		d.schedule(`{"message":"tick","cron":"*/4 * * * *"}`)
		time.Sleep(13 * time.Minute)
		d.check("after 1m30s: stretch", "after 4m0s: tick", "after 8m0s: tick", "after 10m0s: lunch", "after 12m0s: tick")
		if got, want := d.lastText(), "Scheduled message ("; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, ", due Sat 1 Jan 2000 00:12 UTC):\n\ntick") {
			t.Errorf("text: got %q", got)
		}
		if got := d.states(); len(got) != 1 || got[0].Message != "tick" {
			t.Errorf("left: got %+v, want tick alone", got)
		}
	})
}

func TestACancelledScheduleDoesNotFire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		d.start()
		id := d.schedule(`{"message":"stretch","delay":"1m"}`)
		if r := d.call("cancel_schedule", `{"id":"`+id+`"}`); r.Err != nil || r.Presentation.Detail != "stretch" {
			t.Errorf("cancel: got %v, %+v", r.Err, r.Presentation)
		}
		time.Sleep(time.Hour)
		d.check()
		if r := d.call("cancel_schedule", `{"id":"`+id+`"}`); !errors.Is(r.Err, ErrNotFound) {
			t.Errorf("cancel it again: got %v, want ErrNotFound", r.Err)
		}
	})
}

func TestABusyThreadIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		d.answer(fmt.Errorf("the thread has a live run: %w", ErrLater))
		d.start()
		d.schedule(`{"message":"stretch","delay":"10s"}`)
		d.schedule(`{"message":"tick","cron":"* * * * *"}`)
		time.Sleep(5 * time.Minute)
		d.check()
		for _, one := range d.states() {
			if !strings.Contains(one.Waiting, "live run") {
				t.Errorf("%s waits for %q, want the live run", one.Message, one.Waiting)
			}
		}
		d.answer(nil)
		time.Sleep(lastRetry)
		d.check("after 5m10s: stretch", "after 5m15s: tick")
		if got, want := d.lastText(), "this thread was not free then"; !strings.Contains(got, want) {
			t.Errorf("text: got %q, want %q in it", got, want)
		}
		time.Sleep(time.Minute)
		d.check("after 5m10s: stretch", "after 5m15s: tick", "after 6m0s: tick")
	})
}

func TestAThreadThatBecameFreeNeedNotBeWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		d.answer(ErrLater)
		d.start()
		d.schedule(`{"message":"stretch","delay":"1m"}`)
		time.Sleep(10 * time.Minute)
		d.answer(nil)
		d.Wake()
		d.check("after 10m0s: stretch")
	})
}

func TestWhatWasMissedFiresOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &Calendar{}
		first := newDesk(t, store)
		first.start()
		first.schedule(`{"message":"stretch","delay":"1h"}`)
		first.schedule(`{"message":"tick","cron":"0 * * * *"}`)
		first.schedule(`{"message":"later","delay":"30h"}`)
		first.Close()
		time.Sleep(25*time.Hour + 30*time.Minute)
		first.check()

		d := newDesk(t, store)
		d.start()
		d.check("after 0s: stretch", "after 0s: tick")
		if !d.last.Missed || !d.last.Again || !strings.Contains(d.lastText(), "nothing ran then") {
			t.Errorf("got %+v (%s), want it missed", d.last, d.lastText())
		}
		time.Sleep(5 * time.Hour)
		d.check(
			"after 0s: stretch", "after 0s: tick", "after 30m0s: tick", "after 1h30m0s: tick", "after 2h30m0s: tick", "after 3h30m0s: tick",
			"after 4h30m0s: tick", "after 4h30m0s: later",
		)
		if d.last.Missed || d.last.Again || d.last.Waited {
			t.Errorf("got %+v, want nothing of it missed", d.last)
		}
	})
}

func TestAMachineThatSleptMissesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slept time.Duration
		d := newDesk(t, &Calendar{})
		var mu sync.Mutex
		d.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return time.Now().Add(slept)
		}
		d.start()
		d.schedule(`{"message":"stretch","delay":"8h"}`)
		time.Sleep(time.Second)
		mu.Lock()
		slept = 20 * time.Hour
		mu.Unlock()
		time.Sleep(longestWait)
		d.check("after 1m0s: stretch")
		if !d.last.Missed || d.last.Again {
			t.Errorf("got %+v, want it missed", d.last)
		}
	})
}

func TestAClockThatIsPutBackHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		var ahead time.Duration
		d.Now = func() time.Time {
			d.mu.Lock()
			defer d.mu.Unlock()
			return time.Now().Add(ahead)
		}
		turn := func(to time.Duration) {
			d.mu.Lock()
			ahead = to
			d.mu.Unlock()
			d.Wake()
			synctest.Wait()
		}
		d.start()
		d.schedule(`{"message":"Each minute","cron":"*/1 * * * *"}`)
		turn(3 * time.Hour)
		d.check("after 0s: Each minute")
		turn(0)
		time.Sleep(time.Minute)
		d.check("after 0s: Each minute", "after 1m0s: Each minute")
	})
}

func TestAScheduleOfAThreadThatIsGoneGoesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		d.answer(fmt.Errorf("thread t1: %w", ErrNoThread))
		d.start()
		d.schedule(`{"message":"tick","cron":"* * * * *"}`)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := d.states(); len(got) != 0 {
			t.Errorf("left: got %+v, want none", got)
		}
	})
}

// stubborn is a store that cannot move or delete for a while, or read.
type stubborn struct {
	Calendar
	mu  sync.Mutex
	err error
}

func (s *stubborn) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *stubborn) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *stubborn) DeleteSchedule(ctx context.Context, id string) error {
	if err := s.failure(); err != nil {
		return err
	}
	return s.Calendar.DeleteSchedule(ctx, id)
}

func TestAMessageThatWasSentIsNotSentAgainWhenItsEndCannotBeKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &stubborn{err: errors.New("the disk is full")}
		d := newDesk(t, store)
		d.start()
		d.schedule(`{"message":"stretch","delay":"1m"}`)
		time.Sleep(10 * time.Minute)
		d.check("after 1m0s: stretch")
		store.fail(nil)
		time.Sleep(time.Minute)
		d.check("after 1m0s: stretch")
		if got := d.states(); len(got) != 0 {
			t.Errorf("left: got %+v, want none", got)
		}
	})
}

func TestSendingThatPanicsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		fire, tries := d.Fire, 0
		d.Fire = func(ctx context.Context, f Firing) error {
			if tries++; tries == 1 {
				panic("boom")
			}
			return fire(ctx, f)
		}
		d.start()
		d.schedule(`{"message":"stretch","delay":"1m"}`)
		time.Sleep(2 * time.Minute)
		d.check("after 1m1s: stretch")
	})
}

func TestCloseWaitsForTheMessageThatIsBeingSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		sending, sent := make(chan struct{}), false
		d.Fire = func(ctx context.Context, _ Firing) error {
			close(sending)
			<-ctx.Done()
			time.Sleep(time.Second)
			sent = true
			return nil
		}
		d.start()
		d.schedule(`{"message":"stretch","delay":"1m"}`)
		<-sending
		d.Close()
		if !sent {
			t.Error("Close returned before the message was sent")
		}
		if got := d.states(); len(got) != 0 {
			t.Errorf("left: got %+v, want none: it was sent", got)
		}
		d.Close()
	})
}

func TestASchedulerThatCannotStartSaysSo(t *testing.T) {
	if err := new(Scheduler).Start(); err == nil {
		t.Error("a scheduler without a store started, want an error")
	}
	if _, err := new(Scheduler).Tools(); err == nil {
		t.Error("tools without a store were made, want an error")
	}
	new(Scheduler).Close()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, &Calendar{})
		d.start()
		if err := d.Start(); err == nil {
			t.Error("it started twice, want an error")
		}
	})
}
