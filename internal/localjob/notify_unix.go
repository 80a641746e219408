//go:build linux || darwin

package localjob

import (
	"context"
	"maps"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/notify"
	"github.com/hobjobs/hob/internal/notifyevent"
)

// selects reports whether the user has a command for notifications of an event.
func (j *job) selects(event notifyevent.Event) bool {
	if !j.own || j.cfg.Notify == "" {
		return false
	}
	if len(j.cfg.Events) == 0 {
		return slices.Contains(notifyevent.Defaults(), event)
	}
	return slices.Contains(j.cfg.Events, string(event))
}

// mustNotify reports whether the user wants notifications of an event for this job, and no client shows the job.
func (j *job) mustNotify(event notifyevent.Event) bool {
	if !j.selects(event) {
		return false
	}
	wanted := j.meta.Notify || j.h.State().Backgrounded
	return wanted && !j.h.Watched()
}

// command returns the user's command.
func (j *job) command() notify.Command {
	return notify.Command{
		Script: j.cfg.Notify,
		ID:     j.meta.ID,
		Name:   j.meta.Name,
		Dir:    j.cfg.Dir,
		Env:    j.cfg.Env,
		Start:  j.startBeside,
		Ended:  func(cmd *exec.Cmd) { j.reaper.Forget(cmd.Process.Pid) },
	}
}

// notifyPause is the minimum time between two notifications of the same event of a running job, or of two reports of
// its program.
const notifyPause = 30 * time.Second

// limited returns the event that stands for those that share a limit with the given one.
func limited(event notifyevent.Event) notifyevent.Event {
	if _, reported := notify.ProgramEvents()[event]; reported {
		return notifyevent.Blocked
	}
	return event
}

// notices are the events of a running job. A program can cause them at any rate.
type notices struct {
	mu  sync.Mutex
	due map[notifyevent.Event]bool // not sent yet

	sending sync.Mutex // held while they are sent; guards the fields below
	last    map[notifyevent.Event]time.Time
	later   map[notifyevent.Event]bool // a timer reports the event again
}

// add notes that an event is to be sent.
func (n *notices) add(event notifyevent.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.due == nil {
		n.due = map[notifyevent.Event]bool{}
	}
	n.due[event] = true
}

// take returns the events that are to be sent, once.
func (n *notices) take() []notifyevent.Event {
	n.mu.Lock()
	defer n.mu.Unlock()
	events := slices.Sorted(maps.Keys(n.due))
	clear(n.due)
	return events
}

// wait returns how long it takes until an event may be sent; 0: it may be now. n.sending is held.
func (n *notices) wait(event notifyevent.Event, now time.Time) time.Duration {
	last, sent := n.last[limited(event)]
	if !sent {
		return 0
	}
	return max(0, notifyPause-now.Sub(last))
}

// sent notes that an event was sent. n.sending is held.
func (n *notices) sent(event notifyevent.Event, now time.Time) {
	if n.last == nil {
		n.last = map[notifyevent.Event]time.Time{}
	}
	n.last[limited(event)] = now
}

// report notifies the user of an event of a running job. Too soon after the last one, it does so later, if
// the event still applies then.
func (j *job) report(event notifyevent.Event) {
	if !j.selects(event) {
		return
	}
	j.notices.add(event)
	j.sendNotices()
}

// programChanged is called, with the holder locked, when the program of the job reports what it does.
func (j *job) programChanged(r record.ProgramReport) {
	for event, state := range notify.ProgramEvents() {
		if r.State == state && j.selects(event) {
			j.notices.add(event)
			go j.sendNotices()
		}
	}
}

// sendNotices sends the events that are due. It must not be called after the end of the job is notified of.
func (j *job) sendNotices() {
	n := &j.notices
	n.sending.Lock()
	defer n.sending.Unlock()
	if j.ctx.Err() != nil {
		return
	}
	for _, event := range n.take() {
		now := time.Now()
		if wait := n.wait(event, now); wait > 0 {
			j.reportLater(event, wait)
			continue
		}
		if !j.mustNotify(event) {
			continue
		}
		st := j.h.State()
		if notice, applies := notify.OfState(event, &st, j.h.LastLine); applies {
			n.sent(event, now)
			// The command is a child of the holder, but not a process of the job.
			j.telling.Go(func() {
				_ = j.h.Record() // the command may read it; a full disk must not keep it from running
				j.command().Run(context.Background(), notice)
			})
		}
	}
}

// awaitCommands waits until none of the user's commands runs. The job has been released, so that none is started.
func (j *job) awaitCommands() {
	j.notices.sending.Lock() // one may be about to start
	defer j.notices.sending.Unlock()
	j.telling.Wait()
}

// reportLater reports an event after a pause. n.sending is held.
func (j *job) reportLater(event notifyevent.Event, pause time.Duration) {
	n := &j.notices
	if n.later[event] {
		return
	}
	if n.later == nil {
		n.later = map[notifyevent.Event]bool{}
	}
	n.later[event] = true
	time.AfterFunc(pause, func() {
		n.sending.Lock()
		n.later[event] = false
		n.sending.Unlock()
		j.report(event)
	})
}
