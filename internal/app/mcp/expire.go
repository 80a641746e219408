package mcp

import (
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/session"
)

// expire discards the finished jobs of this client when they reach the maximum age, until
// life ends.
func (a *agent) expire() {
	for {
		var due <-chan time.Time
		if soonest := a.expireDue(); !soonest.IsZero() {
			due = time.After(time.Until(soonest))
		}
		select {
		case <-due:
		case <-a.wake:
		case <-a.Life.Done():
			return
		}
	}
}

// expireDue discards the jobs that are due. It returns when the next one is, or zero if there
// is none.
func (a *agent) expireDue() (soonest time.Time) {
	jobs, err := a.Eng.List(a.Life, engine.Filter{Finished: true, Labels: map[string]string{session.LabelClient: a.Scope.Client}})
	if err != nil {
		return time.Time{}
	}
	for _, j := range jobs {
		if j.Exit.At.IsZero() {
			continue
		}
		now := time.Now()
		at := now.Add(a.Settings.TTL - j.EndedAgo(now))
		if !at.After(now) {
			if _, err := a.Eng.Remove(a.Life, engine.RemoveOptions{Forever: true}, j.ID); err == nil {
				a.tools.Forget(j.ID)
				continue
			}
			at = time.Now().Add(time.Hour) // try again then
		}
		if soonest.IsZero() || at.Before(soonest) {
			soonest = at
		}
	}
	return soonest
}

// JobEnded makes expire look for jobs again.
func (a *agent) JobEnded() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}
