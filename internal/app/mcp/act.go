package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
)

// acted is the answer after an action on a job, with the job's present state if that can be
// read.
func (a *agent) acted(ctx context.Context, j engine.Job, what string) *answer {
	if now, err := a.eng.Get(ctx, string(j.ID)); err == nil && now.ID == j.ID {
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
	// The job has not had the time yet to read the input and to wait for more.
	if ans.WaitingForInput {
		j.Waiting, ans.WaitingForInput = false, false
		ans.Next = next(j)
	}
	// A terminal in line mode truncates long lines.
	for line := range strings.Lines(data) {
		if len(line) > maxCanon && j.Host == "" && j.Size != (engine.Size{}) { // else it is a pipe
			ans.note("a line of it has %d bytes: of a line a terminal passes on %d at most, so the job may see the begin of it alone; put long input into a file", len(line), maxCanon-1)
			break
		}
	}
	return ans, nil
}

// maxCanon is the longest line that a terminal in line mode accepts, with its line feed.
const maxCanon = 4096

// counted is n with its noun, in the plural unless n is 1.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func (a *agent) write(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	if in.Data == "" && !in.EOF {
		return nil, usage("process: write has nothing to write", `give data, for example "y\n", or eof true to end the input`)
	}
	var what []string
	if in.Data != "" {
		what = append(what, counted(len(in.Data), "byte")+" written")
	}
	if in.EOF {
		what = append(what, "input ended")
	} else if !strings.HasSuffix(in.Data, "\n") && !strings.HasSuffix(in.Data, "\r") {
		what = append(what, `without a line end: the job sees them when a "\n" follows, if it reads lines`)
	}
	return a.typed(ctx, j, "write to", strings.Join(what, ", "), in.Data, func() error {
		if in.Data != "" {
			if err := a.eng.Write(ctx, j.ID, []byte(in.Data)); err != nil {
				return err
			}
		}
		if in.EOF {
			return a.eng.CloseInput(ctx, j.ID)
		}
		return nil
	})
}

func (a *agent) sendKeys(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	if len(in.Keys) == 0 {
		return nil, usage("process: send-keys needs keys", `give their tmux names, for example ["C-c"] or ["Up","Enter"]`)
	}
	return a.typed(ctx, j, "send keys to", counted(len(in.Keys), "key")+" sent", "", func() error {
		return a.eng.SendKeys(ctx, j.ID, in.Keys)
	})
}

// submit types a line and presses Enter.
func (a *agent) submit(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	end := "\n"
	if j.HasTerminal() {
		end = "\r"
	}
	return a.typed(ctx, j, "submit to", counted(len(in.Data), "byte")+" and Enter typed", in.Data, func() error {
		return a.eng.Write(ctx, j.ID, []byte(in.Data+end))
	})
}

func (a *agent) paste(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	if in.Data == "" {
		return nil, usage("process: paste has nothing to paste", "give data")
	}
	return a.typed(ctx, j, "paste to", counted(len(in.Data), "byte")+" pasted", in.Data, func() error {
		err := a.eng.Paste(ctx, j.ID, []byte(in.Data))
		if errors.Is(err, engine.ErrUnsupported) { // no terminal, so nothing to bracket for
			err = a.eng.Write(ctx, j.ID, []byte(in.Data))
		}
		return err
	})
}

// kill ends a job with everything it started.
func (a *agent) kill(ctx context.Context, j engine.Job, _ processArgs) (*answer, error) {
	wasOver := j.Status.Finished()
	report, err := a.eng.Stop(ctx, j.ID, engine.StopOptions{})
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
	ans := a.acted(ctx, j, what)
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
	gone, err := a.eng.Remove(ctx, j.ID)
	if err != nil {
		return nil, failed(j, "remove", err)
	}
	if j.Status.Finished() {
		return a.cleared(gone[0], "cleared"), nil
	}
	return a.cleared(gone[0], "killed and cleared"), nil
}

// cleared is the answer about a job that was cleared.
func (a *agent) cleared(j engine.Job, what string) *answer {
	a.forget(j.ID)
	ans := about(j, time.Now()).gone()
	ans.SessionID, ans.job = j.ID, engine.Job{} // its end need not be recorded as reported
	ans.headline += "\n" + string(j.ID) + " " + what
	ans.Message, ans.mute = what, true
	ans.note("for an hour at least the person can bring it back: hob clear --undo %s", j.ID)
	return ans
}

// restart starts the same command again, as a new job of this agent.
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
	ans := a.backgroundAnswer(ctx, again, false)
	ans.note("it is a new job; the old one is %s, %s", j.ID, statusOf(j))
	return ans, nil
}
