package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// acted returns the answer after an action on a job, with the job's current state if it can
// be read.
func (a *agent) acted(ctx context.Context, j engine.Job, what string) *answer {
	if now, err := a.eng.Handle(j.ID).Facts(ctx); err == nil && now.ID == j.ID {
		j = now
	}
	ans := about(j, time.Now())
	ans.headline += "\n" + what
	ans.Message, ans.mute = what, true
	return ans
}

// typed calls give, which sends input to a job, and returns the answer about that.
func (a *agent) typed(ctx context.Context, j engine.Job, doing, what, data string, give func() error) (*answer, error) {
	var err error
	switch {
	case j.Status.Finished():
		err = engine.ErrNotRunning
	case !j.Stdin.Writable():
		err = engine.ErrNoInput
	default:
		err = give()
	}
	if err != nil {
		return nil, failed(j, doing, err)
	}
	ans := a.acted(ctx, j, what)
	// The job has had no time yet to read the input and wait for more.
	if ans.WaitingForInput {
		j.Waiting, ans.WaitingForInput = false, false
		ans.Next = next(j)
	}
	// A terminal in line mode truncates long lines.
	for line := range strings.Lines(data) {
		if len(line) > maxCanon && j.Host == "" && j.Size != (engine.Size{}) { // else it is a pipe
			ans.addNoticef("one line has %d bytes; a terminal passes on at most %d of a line, so the job may get only its beginning. Put long input into a file", len(line), maxCanon-1)
			break
		}
	}
	return ans, nil
}

// maxCanon is the longest line that a terminal in line mode accepts, with its line feed.
const maxCanon = 4096

func (a *agent) write(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	if in.Data == "" && !in.EOF {
		return nil, usage("process: write needs data", `give data, for example "y\n", or eof true to end the input`)
	}
	var what []string
	if in.Data != "" {
		what = append(what, units.Count(len(in.Data), "byte")+" written")
	}
	if in.EOF {
		what = append(what, "input ended")
	} else if !strings.HasSuffix(in.Data, "\n") && !strings.HasSuffix(in.Data, "\r") {
		what = append(what, `no line feed at the end: a job that reads lines gets this after the next "\n"`)
	}
	return a.typed(ctx, j, "write to", strings.Join(what, ", "), in.Data, func() error {
		if in.Data != "" {
			if err := a.eng.Handle(j.ID).Write(ctx, []byte(in.Data)); err != nil {
				return err
			}
		}
		if in.EOF {
			return a.eng.Handle(j.ID).CloseInput(ctx)
		}
		return nil
	})
}

func (a *agent) sendKeys(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	if len(in.Keys) == 0 {
		return nil, usage("process: send-keys needs keys", `give their tmux names, for example ["C-c"] or ["Up","Enter"]`)
	}
	return a.typed(ctx, j, "send keys to", units.Count(len(in.Keys), "key")+" sent", "", func() error {
		return a.eng.Handle(j.ID).SendKeys(ctx, in.Keys)
	})
}

// submit types a line and presses Enter.
func (a *agent) submit(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	end := "\n"
	if j.HasTerminal() {
		end = "\r"
	}
	return a.typed(ctx, j, "submit to", units.Count(len(in.Data), "byte")+" and Enter typed", in.Data, func() error {
		return a.eng.Handle(j.ID).Write(ctx, []byte(in.Data+end))
	})
}

func (a *agent) paste(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	if in.Data == "" {
		return nil, usage("process: paste needs data", "give data")
	}
	return a.typed(ctx, j, "paste to", units.Count(len(in.Data), "byte")+" pasted", in.Data, func() error {
		err := a.eng.Handle(j.ID).Paste(ctx, []byte(in.Data))
		if errors.Is(err, engine.ErrUnsupported) { // no terminal, so nothing to bracket for
			err = a.eng.Handle(j.ID).Write(ctx, []byte(in.Data))
		}
		return err
	})
}

func (a *agent) kill(ctx context.Context, j engine.Job, _ processArgs) (*answer, error) {
	wasOver := j.Status.Finished()
	report, err := a.eng.Handle(j.ID).Stop(ctx, engine.StopOptions{})
	if err != nil {
		return nil, failed(j, "kill", err)
	}
	what := "killed, with every process it started"
	switch {
	case wasOver && report.Took == 0 && len(report.Survivors) == 0:
		what = "already killed"
	case len(report.Survivors) > 0:
		what = fmt.Sprintf("killed, but %d of its processes cannot be ended", len(report.Survivors))
	case report.Escalated:
		what = "killed with SIGKILL: SIGTERM did not end it"
	}
	ans := a.acted(ctx, j, what)
	if !wasOver && ans.job.Status == engine.Killed && ans.job.StartedAt.IsZero() {
		ans = a.acted(ctx, j, "killed before it started")
	}
	ans.Survivors = shortened(report.Survivors)
	return ans, nil
}

func (a *agent) clear(ctx context.Context, j engine.Job, _ processArgs) (*answer, error) {
	if _, err := a.eng.Remove(ctx, engine.RemoveOptions{}, j.ID); err != nil {
		return nil, failed(j, "clear", err)
	}
	return a.cleared(j, "cleared"), nil
}

func (a *agent) remove(ctx context.Context, j engine.Job, _ processArgs) (*answer, error) {
	gone, err := a.eng.Remove(ctx, engine.RemoveOptions{Stop: true}, j.ID)
	if err != nil {
		return nil, failed(j, "remove", err)
	}
	if j.Status.Finished() {
		return a.cleared(gone[0], "cleared"), nil
	}
	return a.cleared(gone[0], "killed and cleared"), nil
}

func (a *agent) cleared(j engine.Job, what string) *answer {
	a.forget(j.ID)
	ans := about(j, time.Now()).withoutJob()
	ans.SessionID, ans.job = j.ID, engine.Job{} // its end need not be recorded as reported
	ans.headline += "\n" + string(j.ID) + " " + what
	ans.Message, ans.mute = what, true
	ans.addNoticef("the user can restore it for at least an hour: hob clear --undo %s", j.ID)
	return ans
}

// restart starts the same command again, as a new job of this agent. A running job is
// stopped first. Canceling the call does not interrupt the restart.
func (a *agent) restart(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	env := in.Env
	if j.Host != "" {
		env = quietFor(env)
	}
	again, err := a.eng.Handle(j.ID).Restart(context.WithoutCancel(ctx), engine.RestartOptions{Env: env, Labels: a.scope.labels()}, engine.WithEnviron(environ()))
	if err != nil {
		if r, ok := errors.AsType[*engine.RestartError](err); ok {
			return nil, &failure{code: "not_restarted", id: j.ID, message: r.Error(), hint: call("restart", j.ID) + " starts it again"}
		}
		err = failed(j, "restart", err)
		if f, ok := errors.AsType[*failure](err); ok && f.code == "usage" {
			f.hint = "give the values again: " + call("restart", j.ID, "env", map[string]string{"NAME": "value"})
		}
		return nil, err
	}
	if now, err := a.eng.Handle(j.ID).Facts(ctx); err == nil && now.ID == j.ID {
		j = now
	}
	a.watch(again)
	ans := a.backgroundAnswer(ctx, again, false)
	ans.addNoticef("it is a new job; the old one is %s, %s", j.ID, statusOf(j))
	return ans, nil
}
