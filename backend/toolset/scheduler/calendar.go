package scheduler

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Calendar is a Store that keeps its schedules in the process and forgets them with it. Its zero value works.
type Calendar struct {
	mu   sync.Mutex
	kept []Schedule // oldest first
}

// AddSchedule keeps a schedule.
func (c *Calendar) AddSchedule(_ context.Context, s Schedule) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index(s.ID) >= 0 {
		return fmt.Errorf("keep schedule %s: there is one of this id", s.ID)
	}
	c.kept = append(c.kept, s)
	return nil
}

// Schedules returns all schedules.
func (c *Calendar) Schedules(context.Context) ([]Schedule, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Schedule{}, c.kept...), nil
}

// MoveSchedule changes when a schedule is due.
func (c *Calendar) MoveSchedule(_ context.Context, id string, nextMs int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.index(id)
	if i < 0 {
		return ErrNotFound
	}
	c.kept[i].NextMs = nextMs
	return nil
}

// DeleteSchedule removes a schedule.
func (c *Calendar) DeleteSchedule(_ context.Context, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.index(id)
	if i < 0 {
		return ErrNotFound
	}
	c.kept = slices.Delete(c.kept, i, i+1)
	return nil
}

func (c *Calendar) index(id string) int {
	return slices.IndexFunc(c.kept, func(s Schedule) bool { return s.ID == id })
}
