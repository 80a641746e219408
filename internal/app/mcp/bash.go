package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

const (
	minYield   = 10 * time.Millisecond
	maxYield   = 120 * time.Second
	maxTimeout = 365 * 24 * time.Hour
	tailChars  = 2000
	// afterwards is the time limit for cleaning up after a canceled call.
	afterwards = 10 * time.Second
)

// A command is a call of bash, ready to run.
type command struct {
	spec  engine.Spec
	yield time.Duration
	notes []string
}

type bashArgs struct {
	Command    string            `json:"command" also:"script" jsonschema:"Command to run with sh -c"`
	YieldMs    *float64          `json:"yieldMs,omitempty" also:"yield_ms" jsonschema:"Milliseconds until the command moves to the background (default 20000; 10 to 120000; 0: at once)"`
	Background bool              `json:"background,omitempty" also:"run_in_background,is_background" jsonschema:"Run it in the background at once"`
	Timeout    *float64          `json:"timeout,omitempty" also:"timeout_secs,timeoutSec,timeout_sec,timeoutSeconds,timeout_seconds" unit:"timeout is in seconds here; yieldMs is how long to wait before the command moves to the background" jsonschema:"Kill the command after this many seconds, in the background too (default 1800; 0: never)"`
	Workdir    string            `json:"workdir,omitempty" also:"cwd,directory,dir_path" jsonschema:"Working directory (default: the project's)"`
	Env        map[string]string `json:"env,omitempty" jsonschema:"Environment variables to add"`
	Stdin      string            `json:"stdin,omitempty" enum:"tty,none" jsonschema:"tty (default): process write reaches it, and prompts are detected; none: end of file"`
	Notify     string            `json:"notify,omitempty" enum:"silent,notify,inject" jsonschema:"Report when it ends in the background: never, with its last line, or with its output"`

	jobArgs
}

func (a *agent) bash(ctx context.Context, in bashArgs) (*answer, error) {
	cmd, err := a.command(in)
	if err != nil {
		return nil, err
	}
	if cmd.spec.After, err = a.jobsToFollow(ctx, cmd.spec.After); err != nil {
		return nil, err
	}
	if cmd.spec.AfterAny, err = a.jobsToFollow(ctx, cmd.spec.AfterAny); err != nil {
		return nil, err
	}
	if requestOf(ctx).tasks {
		cmd.spec.Labels[labelTask] = "yes"
	}
	same := a.running(ctx, cmd.spec)
	run := a.runForeground
	if cmd.spec.Backgrounded {
		run = a.startBackground
	}
	ans, err := run(ctx, cmd)
	if err != nil {
		return nil, err
	}
	for _, note := range append(cmd.notes, same) {
		ans.addNotice(note)
	}
	ans.asTask = requestOf(ctx).tasks && !ans.job.Status.Finished()
	return ans, nil
}

// check reports arguments that cannot be used.
func (in bashArgs) check() error {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return usage("bash: command is missing", `give it a line for sh, for example {"command":"npm test"}`)
	case strings.ContainsRune(in.Command, 0):
		return usage("bash: command has a NUL byte", "remove it: no system can pass it to a program")
	case in.Timeout != nil && *in.Timeout < 0:
		return usage("bash: timeout is negative", "it is in seconds, and 0 means none")
	case in.asked.PTY && in.Stdin == "none":
		return usage("bash: pty cannot be combined with stdin none", "a terminal has input: remove one of them")
	}
	return cmp.Or(checkRefs("bash", "after", in.asked.After), checkRefs("bash", "afterAny", in.asked.AfterAny))
}

// jobsToFollow returns the jobs for the references of after or afterAny. An id may be that of any job,
// also of one that was cleared.
func (a *agent) jobsToFollow(ctx context.Context, refs []engine.ID) (ids []engine.ID, err error) {
	for _, ref := range refs {
		j, err := a.eng.Handle(ref).LastFacts(ctx)
		if err != nil {
			j, err = a.find(ctx, string(ref), false, engine.Read)
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, j.ID)
	}
	return ids, nil
}

func (a *agent) command(in bashArgs) (c command, err error) {
	if err := in.check(); err != nil {
		return c, err
	}
	c.yield = a.c.Settings.Yield
	if in.YieldMs != nil {
		var note string
		c.yield, note = clamped("yieldMs", *in.YieldMs, minYield, maxYield)
		c.notes = append(c.notes, note)
	}
	timeout := a.c.Settings.Timeout
	if in.Timeout != nil {
		sec := min(*in.Timeout, maxTimeout.Seconds())
		timeout = time.Duration(sec * float64(time.Second))
		switch {
		case sec < *in.Timeout:
			c.notes = append(c.notes, fmt.Sprintf("timeout is in seconds: %g was reduced to a year", *in.Timeout))
		case timeout >= 10_000*time.Second:
			c.notes = append(c.notes, fmt.Sprintf("timeout is in seconds: %g is %s", sec, units.FormatTook(timeout)))
		}
	}
	labels := a.scope.labels()
	if in.Notify != "" {
		labels[labelNotify] = in.Notify
	}
	c.spec = in.asked
	c.spec.Script, c.spec.Env, c.spec.Dir = in.Command, in.Env, a.workdir(in.Workdir, in.asked.Host)
	c.spec.Timeout, c.spec.Labels = timeout, labels
	c.spec.TTYStdin = in.Stdin != "none"
	c.spec.Backgrounded = in.Background || c.yield == 0
	if err := c.spec.Check(in.given...); err != nil {
		return c, requestFailure(err)
	}
	if c.spec.Host != "" {
		// On a host, environ does not apply.
		c.spec.Env = quietFor(in.Env)
	}
	return c, nil
}

// clamped limits a number of milliseconds to low and high; 0 stays 0. note reports a number
// that was outside.
func clamped(name string, ms float64, low, high time.Duration) (d time.Duration, note string) {
	bound := low
	switch {
	case ms == 0:
		return 0, ""
	case ms > float64(high.Milliseconds()):
		bound = high
	case ms >= float64(low.Milliseconds()):
		return time.Duration(ms * float64(time.Millisecond)), ""
	}
	return bound, fmt.Sprintf("%s %.15g is outside %d to %d: using %d", name, ms, low.Milliseconds(), high.Milliseconds(), bound.Milliseconds())
}

// workdir returns the directory of a command. On this machine, a relative one is relative to
// the agent's directory.
func (a *agent) workdir(dir, host string) string {
	if host != "" {
		return dir
	}
	if home, err := os.UserHomeDir(); err == nil && (dir == "~" || strings.HasPrefix(dir, "~/")) {
		dir = home + dir[1:]
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.c.Dir, dir)
	}
	return dir
}

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

// running returns a notice about a job that already runs the same command in the same
// directory, or is queued to do so; empty if there is none. Jobs of other agents are not mentioned.
func (a *agent) running(ctx context.Context, spec engine.Spec) string {
	jobs, err := a.eng.List(ctx, engine.Filter{Running: true, Same: &spec})
	if err != nil {
		return ""
	}
	for _, j := range jobs {
		if a.scope.owns(j) {
			return fmt.Sprintf("the same command is already %s in this directory: %s; if one is enough: %s", statusOf(j), j.ID, call("kill", j.ID))
		}
		if j.Labels[labelClient] == "" {
			return fmt.Sprintf("the same command is already %s in this directory, started by the user: %s; see %s",
				statusOf(j), j.ID, call("log", j.ID, "all", true))
		}
	}
	return ""
}

func (a *agent) startBackground(ctx context.Context, c command) (*answer, error) {
	j, err := a.eng.Start(ctx, c.spec, engine.WithEnviron(environ()))
	if err != nil {
		return nil, general(err)
	}
	a.watch(j)
	return a.backgroundAnswer(ctx, j, c.spec.PTY), nil
}

// backgroundAnswer is the answer about a job that runs in the background.
func (a *agent) backgroundAnswer(ctx context.Context, j engine.Job, wantsPTY bool) *answer {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	ans := about(j, time.Now())
	tail, cursor, err := a.tailOf(ctx, j, tailChars)
	if err != nil {
		a.c.Logger.Debug("the tail of a job cannot be read", "job", j.ID, "err", err)
	}
	ans.body, ans.isTail, ans.Cursor = tail, true, &cursor
	if wantsPTY && j.Kind != engine.KindPTY {
		ans.addNoticef("it has no terminal: none could be allocated")
	}
	return ans
}

// runForeground runs a command until it ends or moves to the background, after its yield
// time or because a user sent it there. Canceling the call ends the command; if the client
// disconnects, the command continues in the background.
func (a *agent) runForeground(ctx context.Context, c command) (*answer, error) {
	run, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	started, over := make(chan engine.ID, 1), make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-ctx.Done():
		case <-a.life.Done():
		case <-over:
			return
		}
		// A lost connection cancels ctx too, with another cause.
		if a.life.Err() == nil && context.Cause(ctx) == context.Canceled { //nolint:errorlint // wrapped means something else here
			giveUp()
			return
		}
		select {
		case id := <-started:
			if err := a.eng.Handle(id).Background(); err != nil {
				a.c.Logger.Debug("a job is not in the background", "job", id, "err", err)
			}
		case <-over:
		}
	})
	began := time.Now()
	r, err := a.eng.Run(run, c.spec, engine.RunOptions{
		YieldAfter: c.yield,
		Start:      []engine.StartOption{engine.WithEnviron(environ())},
		OnStart: func(id engine.ID) {
			requestOf(ctx).job.Store(&id)
			started <- id
		},
	})
	close(over)
	watch.Wait() // the move to the background must be recorded before the engine closes
	switch {
	case err != nil && run.Err() != nil && r.Status.Finished():
		a.discard(ctx, r.ID)
		return nil, context.Canceled
	case err != nil && r.ID != "":
		return nil, failed(r.Job, "run", err)
	case err != nil:
		return nil, general(err)
	case r.Backgrounded:
		a.watch(r.Job)
		ans := a.backgroundAnswer(ctx, r.Job, c.spec.PTY)
		if time.Since(began) < c.yield {
			ans.addNoticef("the user sent it to the background")
		}
		return ans, nil
	}
	return a.foregroundAnswer(ctx, r, c)
}

// foregroundAnswer returns the answer about a command that has ended. Its job is discarded
// later if the answer shows its complete output.
func (a *agent) foregroundAnswer(ctx context.Context, r engine.Result, c command) (*answer, error) {
	ans := about(r.Job, time.Now())
	var err error
	if ans.body, err = a.excerptOf(ctx, r.Job); err != nil {
		return nil, failed(r.Job, "read the output of", err)
	}
	ans.Cursor = &r.Cursor
	if c.spec.PTY && r.Kind != engine.KindPTY {
		ans.addNoticef("it had no terminal: none could be allocated")
	}
	ans.Next = call("log", r.ID, "offset", 0, "limit", 200) + " pages through its output"
	if len(r.Exit.Survivors) > 0 {
		left := "a process"
		if n := len(r.Exit.Survivors); n > 1 {
			left = fmt.Sprintf("%d processes", n)
		}
		ans.addNoticef("it left %s running; end with %s", left, call("kill", r.ID))
		a.addLog(r.Job)
	}
	ans.transient = len(r.Exit.Survivors) == 0
	return ans, nil
}

// discard deletes a job whose id the agent never got.
func (a *agent) discard(ctx context.Context, id engine.ID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	if _, err := a.eng.Remove(ctx, engine.RemoveOptions{Forever: true}, id); err != nil && !errors.Is(err, engine.ErrNotFound) {
		a.c.Logger.Debug("a foreground job stays", "job", id, "err", err)
	}
}
