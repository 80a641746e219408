package deliver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/session"
	"github.com/hobjobs/hob/internal/units"
)

// Watch queues a notice when a job in the background ends.
func (d *Delivery) Watch(j engine.Job) {
	d.server.Offer(j)
	d.news.mu.Lock()
	defer d.news.mu.Unlock()
	k := d.news.of(j.ID)
	if k.watch != nil || d.Life.Err() != nil {
		return
	}
	// An end that was reported to the scope earlier needs no notice.
	k.watch = &watch{known: d.endReport(j.ID) == reportSent}
	ctx, cancel := context.WithCancel(d.Life)
	k.watch.cancel = cancel
	d.Work.Go(func() {
		defer cancel()
		if d.awaitEnd(ctx, j.ID) {
			d.jobEnded(j.ID)
		}
	})
}

// endRetry is the time between two attempts to wait for a job whose end cannot be recorded, or that
// cannot be watched for another reason that may pass.
const endRetry = 5 * time.Second

// awaitEnd reports whether the job has ended, or was removed, before ctx is done.
func (d *Delivery) awaitEnd(ctx context.Context, id engine.ID) bool {
	for {
		_, err := d.Eng.Handle(id).Wait(ctx)
		switch {
		case ctx.Err() != nil:
			return false
		case err == nil, errors.Is(err, engine.ErrNotFound):
			return true
		case errors.Is(err, engine.ErrElsewhere), errors.Is(err, engine.ErrUnsupported):
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(endRetry):
		}
	}
}

// Resume watches the running jobs of earlier sessions and queues notices about those that
// have ended since. A command in the foreground is among them if its server was killed before
// it answered.
func (d *Delivery) Resume() {
	jobs, err := d.Eng.List(d.Life, d.Scope.Filter(false))
	if err != nil {
		d.Log.Warn("the jobs of earlier sessions cannot be listed", "err", err)
		return
	}
	var late []notice
	for _, j := range slices.Backward(jobs) { // oldest first
		if !j.Status.Finished() {
			d.Watch(j)
			continue
		}
		d.server.Offer(j)
		reported := d.endReport(j.ID)
		text := d.endNotice(j)
		switch {
		case text == "", reported == reportSent:
			continue
		case reported == reportBegun:
			text = "perhaps reported before: " + text
		}
		late = append(late, notice{
			job:    j,
			text:   text,
			logged: true,
		})
	}
	d.news.mu.Lock()
	defer d.news.mu.Unlock()
	if over := len(late) - maxLate; over > 0 {
		late = late[over:]
		d.news.add(notice{text: fmt.Sprintf(`%s ended since the last session: process {"action":"list"}`, units.Count(over, "more job")), logged: true})
	}
	d.news.add(late...)
}

// answerGrace is how long a server has to answer a call whose command has ended.
const answerGrace = 5 * time.Second

// jobEnded queues a notice about a watched job that has ended, even if the end was reported to another
// agent of the scope: this one may be waiting for the job.
func (d *Delivery) jobEnded(id engine.ID) {
	defer d.server.JobEnded()
	ctx, cancel := context.WithTimeout(d.Life, 10*time.Second)
	defer cancel()
	text := ""
	j, err := d.Eng.Handle(id).Facts(ctx)
	if err == nil && !j.Backgrounded {
		// The server that ran it in the foreground answers the call and deletes the job, unless it was killed.
		select {
		case <-time.After(answerGrace):
		case <-ctx.Done():
			return
		}
		if j, err = d.Eng.Handle(id).Facts(ctx); err == nil && d.endReport(id) == reportSent {
			return
		}
	}
	if err == nil && j.ID == id { // a job that was removed needs no notice
		text = d.endNotice(j)
	}
	d.news.mu.Lock()
	k := d.news.of(id)
	w := k.watch
	k.watch = nil
	if text != "" && w != nil && !w.known {
		d.news.add(notice{job: j, text: text})
	}
	d.news.mu.Unlock()
	d.logEnds()
}

// findShellEnds queues notices about jobs that the agent has started from its shell in this
// session and that have ended. A process that still follows such a job in the agent's shell
// reports its end there, and records that within answerGrace.
func (d *Delivery) findShellEnds() {
	if d.Eng == nil {
		return
	}
	labels := d.Scope.Labels()
	labels[session.LabelShell] = "yes"
	jobs, err := d.Eng.List(d.Life, engine.Filter{Finished: true, Labels: labels})
	if err != nil {
		d.Log.Debug("the jobs of the agent's shell cannot be listed", "err", err)
		return
	}
	d.news.mu.Lock()
	defer d.news.mu.Unlock()
	now := time.Now()
	for _, j := range slices.Backward(jobs) { // oldest first
		// resume has taken care of older ones.
		switch {
		case j.CreatedAt.Before(d.Began), j.EndedAgo(now) < answerGrace, d.news.of(j.ID).shellEnd:
			continue
		}
		d.news.of(j.ID).shellEnd = true
		if text := d.endNotice(j); text != "" && d.endReport(j.ID) == 0 {
			d.news.add(notice{
				job:    j,
				text:   text,
				logged: true,
			})
		}
	}
}
