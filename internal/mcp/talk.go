package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
)

// after is the answer about a job to which something was done.
func (a *agent) after(ctx context.Context, j engine.Job, what string) *answer {
	return done(a.asNow(ctx, j), what)
}

// afterInput is the answer about a job that was given input: whether it waits for
// more is not known before it has had the time to read it.
func (a *agent) afterInput(ctx context.Context, j engine.Job, what string) *answer {
	j = a.asNow(ctx, j)
	j.Waiting = false
	return done(j, what)
}

// asNow is j as it stands now, as far as that can be read.
func (a *agent) asNow(ctx context.Context, j engine.Job) engine.Job {
	if now, err := a.eng.Get(ctx, string(j.ID)); err == nil && now.ID == j.ID {
		return now
	}
	return j
}

func done(j engine.Job, what string) *answer {
	ans := about(j, time.Now())
	ans.headline += "\n" + what
	ans.Message, ans.mute = what, true
	ans.Next = next(j)
	return ans
}

// takesInput is the failure of typing into a job that cannot be.
func takesInput(j engine.Job, doing string) error {
	switch {
	case j.Status.Finished():
		return failed(j, doing, engine.ErrNotRunning)
	case !j.Stdin:
		return failed(j, doing, engine.ErrNoInput)
	}
	return nil
}

func (a *agent) write(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	data := in.Data
	if data == "" && !in.EOF {
		return nil, usage("process: write has nothing to write", `give data, for example "y\n", or eof true to end the input`)
	}
	if err := takesInput(j, "write to"); err != nil {
		return nil, err
	}
	if data != "" {
		if err := a.eng.Write(ctx, j.ID, []byte(data)); err != nil {
			return nil, failed(j, "write to", err)
		}
	}
	what := counted(len(data), "byte") + " written"
	if in.EOF {
		if err := a.eng.CloseInput(ctx, j.ID); err != nil {
			return nil, failed(j, "end the input of", err)
		}
		if what += ", input ended"; data == "" {
			what = "input ended"
		}
	} else if !strings.HasSuffix(data, "\n") && !strings.HasSuffix(data, "\r") {
		what += ` without a line end: the job sees them when a "\n" follows, if it reads lines`
	}
	return longLine(a.afterInput(ctx, j, what), j, data), nil
}

// maxCanon is how long a line may be that a terminal takes, with its end.
const maxCanon = 4096

// longLine says that a terminal cuts the lines in data, if it does: unless the
// program reads it raw, which nobody here knows.
func longLine(ans *answer, j engine.Job, data string) *answer {
	if j.Host != "" || j.Size == (engine.Size{}) { // a pipe
		return ans
	}
	for line := range strings.Lines(data) {
		if len(line) > maxCanon {
			ans.note("a line of it has %d bytes: of a line a terminal passes on %d at most, so the job may see the begin of it alone; put long input into a file", len(line), maxCanon-1)
			break
		}
	}
	return ans
}

// counted is how many there are of what is called noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func (a *agent) sendKeys(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	if len(in.Keys) == 0 {
		return nil, usage("process: send-keys needs keys", `give their tmux names, for example ["C-c"] or ["Up","Enter"]`)
	}
	if err := takesInput(j, "send keys to"); err != nil {
		return nil, err
	}
	if err := a.eng.SendKeys(ctx, j.ID, in.Keys); err != nil {
		return nil, failed(j, "send keys to", err)
	}
	return a.afterInput(ctx, j, counted(len(in.Keys), "key")+" sent"), nil
}

// submit types a line and presses Enter, as a person does.
func (a *agent) submit(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	data := in.Data
	if err := takesInput(j, "submit to"); err != nil {
		return nil, err
	}
	end := "\n"
	if j.HasTerminal() {
		end = "\r"
	}
	if err := a.eng.Write(ctx, j.ID, []byte(data+end)); err != nil {
		return nil, failed(j, "submit to", err)
	}
	return longLine(a.afterInput(ctx, j, counted(len(data), "byte")+" and Enter typed"), j, data), nil
}

func (a *agent) paste(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	data := in.Data
	if data == "" {
		return nil, usage("process: paste has nothing to paste", "give data")
	}
	if err := takesInput(j, "paste to"); err != nil {
		return nil, err
	}
	err := a.eng.Paste(ctx, j.ID, []byte(data))
	if errors.Is(err, engine.ErrUnsupported) { // no terminal, so nothing to bracket for
		err = a.eng.Write(ctx, j.ID, []byte(data))
	}
	if err != nil {
		return nil, failed(j, "paste to", err)
	}
	return longLine(a.afterInput(ctx, j, counted(len(data), "byte")+" pasted"), j, data), nil
}

// kill ends a job with everything it started.
func (a *agent) kill(ctx context.Context, j engine.Job, _ processArgs) (*answer, error) {
	wasOver := j.Status.Finished()
	report, err := a.eng.Stop(ctx, j.ID, engine.StopOptions{By: a.scope.client})
	if err != nil {
		return nil, failed(j, "kill", err)
	}
	what := "killed: everything it started is gone"
	switch {
	case wasOver && report.Took == 0 && len(report.Survivors) == 0:
		what = "it had been killed already"
	case len(report.Survivors) > 0:
		what = fmt.Sprintf("killed, but %d of its processes cannot be ended", len(report.Survivors))
	case report.Escalated:
		what = "killed with SIGKILL, after it did not end on SIGTERM"
	}
	ans := a.after(ctx, j, what)
	ans.Survivors = report.Survivors
	return ans, nil
}

func (a *agent) clear(ctx context.Context, j engine.Job, _ processArgs) (*answer, error) {
	if _, err := a.eng.Clear(ctx, j.ID); err != nil {
		return nil, failed(j, "clear", err)
	}
	return a.cleared(j, "cleared"), nil
}

func (a *agent) remove(ctx context.Context, j engine.Job, _ processArgs) (*answer, error) {
	what := "cleared"
	if !j.Status.Finished() {
		_, err := a.eng.Stop(ctx, j.ID, engine.StopOptions{By: a.scope.client})
		if err != nil && !errors.Is(err, engine.ErrNotRunning) {
			return nil, failed(j, "remove", err)
		}
		what = "killed and cleared"
	}
	if now, err := a.eng.Get(ctx, string(j.ID)); err == nil && now.ID == j.ID {
		j = now
	}
	if _, err := a.eng.Clear(ctx, j.ID); err != nil {
		return nil, failed(j, "remove", err)
	}
	return a.cleared(j, what), nil
}

// cleared is the answer about a job that is gone.
func (a *agent) cleared(j engine.Job, what string) *answer {
	a.forget(j.ID)
	ans := about(j, time.Now()).gone()
	ans.SessionID, ans.ends = j.ID, ""
	ans.headline += "\n" + string(j.ID) + " " + what
	ans.Message, ans.mute = what, true
	ans.note("for an hour at least the person can bring it back: hob clear --undo %s", j.ID)
	return ans
}

// restart asks for the same again as a new job of this agent.
func (a *agent) restart(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	env := in.Env
	if j.Host != "" {
		env = quietFor(env)
	}
	again, err := a.eng.Restart(ctx, j.ID, engine.WithEnviron(environ()), engine.WithEnv(env), engine.WithLabels(a.scope.labels()))
	if err != nil {
		err = failed(j, "restart", err)
		if f, ok := errors.AsType[*failure](err); ok && f.code == "usage" {
			f.hint = "give the values again: " + call("restart", j.ID, "env", map[string]string{"NAME": "value"})
		}
		return nil, err
	}
	a.watch(again)
	ans, err := a.backgroundAnswer(ctx, again, command{})
	if err == nil {
		ans.note("it is a new job; the old one is %s, %s", j.ID, statusOf(j))
	}
	return ans, err
}
