package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// quietFor adds variables to env that keep programs from opening a pager or an editor and
// from asking for a password. Variables in env win.
func quietFor(env map[string]string) map[string]string {
	all := map[string]string{
		"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "EDITOR": "true", "GIT_EDITOR": "true",
	}
	for k, v := range env {
		all[k] = v
	}
	return all
}

// environ is the environment that an agent's commands inherit. It is not part of the
// request, so that a user can restart the job in an environment of their own.
func environ() []string {
	quiet := quietFor(nil)
	env := make([]string, 0, len(quiet)+64)
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); quiet[name] == "" {
			env = append(env, kv)
		}
	}
	for k, v := range quiet {
		env = append(env, k+"="+v)
	}
	return env
}

func (t *Tools) startBackground(ctx context.Context, c command) (*Answer, error) {
	j, err := t.Eng.Start(ctx, c.spec, engine.WithEnviron(environ()))
	if err != nil {
		return nil, General(err)
	}
	t.delivery.Watch(j)
	return t.backgroundAnswer(ctx, j, c.spec.PTY), nil
}

// backgroundAnswer is the answer about a job that runs in the background.
func (t *Tools) backgroundAnswer(ctx context.Context, j engine.Job, wantsPTY bool) *Answer {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	ans := About(j, time.Now())
	tail, cursor, err := t.TailOf(ctx, j, TailChars)
	if err != nil {
		t.Log.Debug("the tail of a job cannot be read", "job", j.ID, "err", err)
	}
	ans.Body, ans.isTail, ans.Cursor = tail, true, &cursor
	if wantsPTY && j.Kind != engine.KindPTY {
		ans.AddNoticef("it has no terminal: none could be allocated")
	}
	return ans
}

// runForeground runs a command until it ends or moves to the background, after its yield
// time or because a user sent it there. Canceling the call ends the command; if the client
// disconnects, the command continues in the background.
func (t *Tools) runForeground(ctx context.Context, c command) (*Answer, error) {
	run, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	started, over := make(chan engine.ID, 1), make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-ctx.Done():
		case <-t.Life.Done():
		case <-over:
			return
		}
		// A lost connection cancels ctx too, with another cause.
		if t.Life.Err() == nil && context.Cause(ctx) == context.Canceled { //nolint:errorlint // wrapped means something else here
			giveUp()
			return
		}
		select {
		case id := <-started:
			if err := t.Eng.Handle(id).Background(); err != nil {
				t.Log.Debug("a job is not in the background", "job", id, "err", err)
			}
		case <-over:
		}
	})
	began := time.Now()
	r, err := t.Eng.Run(run, c.spec, engine.RunOptions{
		YieldAfter: c.yield,
		Start:      []engine.StartOption{engine.WithEnviron(environ())},
		OnStart: func(id engine.ID) {
			t.delivery.About(ctx, id)
			started <- id
		},
	})
	close(over)
	watch.Wait() // the move to the background must be recorded before the engine closes
	switch {
	case err != nil && run.Err() != nil && r.Status.Finished():
		t.Discard(ctx, r.ID)
		return nil, context.Canceled
	case err != nil && r.ID != "":
		return nil, Failed(r.Job, "run", err)
	case err != nil:
		return nil, General(err)
	case r.Backgrounded:
		t.delivery.Watch(r.Job)
		ans := t.backgroundAnswer(ctx, r.Job, c.spec.PTY)
		if time.Since(began) < c.yield {
			ans.AddNoticef("the user sent it to the background")
		}
		return ans, nil
	}
	return t.foregroundAnswer(ctx, r, c)
}

// foregroundAnswer returns the answer about a command that has ended. Its job is discarded
// later if the answer shows its complete output.
func (t *Tools) foregroundAnswer(ctx context.Context, r engine.Result, c command) (*Answer, error) {
	ans := About(r.Job, time.Now())
	var err error
	if ans.Body, err = t.ExcerptOf(ctx, r.Job); err != nil {
		return nil, Failed(r.Job, "read the output of", err)
	}
	ans.Cursor = &r.Cursor
	if c.spec.PTY && r.Kind != engine.KindPTY {
		ans.AddNoticef("it had no terminal: none could be allocated")
	}
	ans.Next = Call("log", r.ID, "offset", 0, "limit", 200) + " pages through its output"
	if len(r.Exit.Survivors) > 0 {
		left := "a process"
		if n := len(r.Exit.Survivors); n > 1 {
			left = fmt.Sprintf("%d processes", n)
		}
		ans.AddNoticef("it left %s running; end with %s", left, Call("kill", r.ID))
		t.delivery.Offer(r.Job)
	}
	ans.Transient = len(r.Exit.Survivors) == 0
	return ans, nil
}

// Discard deletes a job whose id the agent never got.
func (t *Tools) Discard(ctx context.Context, id engine.ID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	if _, err := t.Eng.Remove(ctx, engine.RemoveOptions{Forever: true}, id); err != nil && !errors.Is(err, engine.ErrNotFound) {
		t.Log.Debug("a foreground job stays", "job", id, "err", err)
	}
}
