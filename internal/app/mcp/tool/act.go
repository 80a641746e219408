package tool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hobjobs/hob/engine"
)

// acted returns the answer after an action on a job, with the job's current state if it can
// be read.
func (t *Tools) acted(ctx context.Context, j engine.Job, what string) *Answer {
	ans := About(t.current(ctx, j), time.Now())
	ans.headline += "\n" + what
	ans.Message, ans.mute = what, true
	return ans
}

// current returns the facts of a job now, or those given if they cannot be read.
func (t *Tools) current(ctx context.Context, j engine.Job) engine.Job {
	now, err := t.Eng.Handle(j.ID).Facts(ctx)
	if err != nil || now.ID != j.ID {
		return j
	}
	return now
}

func (t *Tools) kill(ctx context.Context, j engine.Job, _ ProcessArgs) (*Answer, error) {
	wasOver := j.Status.Finished()
	report, err := t.Eng.Handle(j.ID).Stop(ctx, engine.StopOptions{})
	if err != nil {
		return nil, Failed(j, "kill", err)
	}
	what := "killed, with every process it started"
	switch {
	case wasOver && report.Took == 0 && len(report.Survivors) == 0:
		what = "already killed"
	case len(report.Survivors) > 0 && !t.ended(ctx, j):
		what = fmt.Sprintf("SIGKILL was sent, but %d of its processes have not ended", len(report.Survivors))
	case len(report.Survivors) > 0:
		what = fmt.Sprintf("killed, but %d of its processes cannot be ended", len(report.Survivors))
	case report.Escalated:
		what = "killed with SIGKILL: SIGTERM did not end it"
	}
	ans := t.acted(ctx, j, what)
	if !wasOver && ans.Job.Status == engine.Killed && ans.Job.StartedAt.IsZero() {
		ans = t.acted(ctx, j, "killed before it started")
	}
	ans.Survivors = shortened(report.Survivors)
	return ans, nil
}

// ended reports whether a job has ended by now.
func (t *Tools) ended(ctx context.Context, j engine.Job) bool {
	now, err := t.Eng.Handle(j.ID).LastFacts(ctx)
	return err == nil && now.Status.Finished()
}

func (t *Tools) clear(ctx context.Context, j engine.Job, _ ProcessArgs) (*Answer, error) {
	if _, err := t.Eng.Remove(ctx, engine.RemoveOptions{}, j.ID); err != nil {
		return nil, Failed(j, "clear", err)
	}
	return t.cleared(j, "cleared"), nil
}

func (t *Tools) remove(ctx context.Context, j engine.Job, _ ProcessArgs) (*Answer, error) {
	gone, err := t.Eng.Remove(ctx, engine.RemoveOptions{Stop: true}, j.ID)
	if err != nil {
		return nil, Failed(j, "remove", err)
	}
	if j.Status.Finished() {
		return t.cleared(gone[0], "cleared"), nil
	}
	return t.cleared(gone[0], "killed and cleared"), nil
}

func (t *Tools) cleared(j engine.Job, what string) *Answer {
	t.Forget(j.ID)
	ans := About(j, time.Now()).WithoutJob()
	ans.SessionID, ans.Job = j.ID, engine.Job{} // its end need not be recorded as reported
	ans.headline += "\n" + string(j.ID) + " " + what
	ans.Message, ans.mute = what, true
	ans.AddNoticef("the user can restore it for at least an hour: hob clear --undo %s", j.ID)
	return ans
}

// restart starts the same command again, as a new job of this agent. A running job is
// stopped first. Canceling the call does not interrupt the restart.
func (t *Tools) restart(ctx context.Context, j engine.Job, in ProcessArgs) (*Answer, error) {
	env := in.Env
	if j.Host != "" {
		env = quietFor(env)
	}
	again, err := t.Eng.Handle(j.ID).Restart(context.WithoutCancel(ctx), engine.RestartOptions{Env: env, Labels: t.Scope.Labels()}, engine.WithEnviron(environ()))
	if err != nil {
		if r, ok := errors.AsType[*engine.RestartError](err); ok {
			return nil, &Failure{
				code:    "not_restarted",
				id:      j.ID,
				Message: r.Error(),
				Hint:    Call("restart", j.ID) + " starts it again",
			}
		}
		err = Failed(j, "restart", err)
		if f, ok := errors.AsType[*Failure](err); ok && f.code == "usage" {
			f.Hint = "give the values again: " + Call("restart", j.ID, "env", map[string]string{"NAME": "value"})
		}
		return nil, err
	}
	j = t.current(ctx, j)
	t.delivery.Watch(again)
	ans := t.backgroundAnswer(ctx, again, false)
	ans.AddNoticef("it is a new job; the old one is %s, %s", j.ID, StatusOf(j))
	return ans, nil
}
