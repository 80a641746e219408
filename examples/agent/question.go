package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
)

// questionEvent has the prompt of a job that needs input; empty: it no longer does.
type questionEvent struct {
	job  engine.Job
	text string
}

// secret reports whether the job asks for a secret: a program may do so and leave the echo on.
func (q questionEvent) secret() bool {
	return q.job.NeedsSecret(q.text)
}

// settleTime is how long a job must have waited before its question is shown: right after output, its
// waiting state may still refer to the previous line.
const settleTime = 700 * time.Millisecond

// watchQuestions emits the questions of a job until it ends.
func (a *agent) watchQuestions(id engine.ID) {
	sub := a.eng.Subscribe(engine.Filter{IDs: []engine.ID{id}})
	defer sub.Close()
	var last engine.Job
	var since time.Time
	asked := false
	for !last.Status.Finished() {
		ctx, cancel := context.WithTimeout(a.ctx, settleTime)
		events, err := sub.Next(ctx)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return
		}
		for _, ev := range events {
			same := ev.Job.Waiting && ev.Job.Output == last.Output && ev.Job.Entry == last.Entry
			if last = ev.Job; same {
				continue
			}
			if since = time.Now(); asked {
				asked = false
				a.emit(questionEvent{job: last})
			}
		}
		settled := last.Waiting && last.Entry != engine.EntryUnknown && time.Since(since) >= settleTime
		if settled && !asked {
			asked = true
			a.emit(questionEvent{last, cmp.Or(a.lastLine(last), "input?")})
		}
	}
}

// lastLine returns the last line of a job's output, which is usually the question.
func (a *agent) lastLine(j engine.Job) (last string) {
	log, err := a.eng.Handle(j.ID).Log(a.ctx, engine.StreamOutput)
	if err != nil {
		return ""
	}
	defer log.Close()
	for line, err := range log.Lines(a.ctx, joblog.Query{Last: true, Limit: 1}) {
		if err == nil {
			last = strings.TrimSpace(line.Text)
		}
	}
	return last
}

var errQuestionOver = errors.New("the job no longer waits for this answer")

// reply types the answer to a question into the job's terminal. It refuses if the job has continued
// since: the next question may be one for a password.
func (a *agent) reply(q questionEvent, text string) error {
	j, err := a.eng.Handle(q.job.ID).Facts(a.ctx)
	same := j.Entry == engine.EntryOpen && j.Output == q.job.Output // a prompt is output too
	switch {
	case err != nil:
		return err
	case q.secret() || !same:
		return errQuestionOver
	}
	return a.eng.Handle(j.ID).Write(a.ctx, []byte(text+"\r"))
}
