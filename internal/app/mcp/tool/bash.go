package tool

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/params"
	"github.com/hobjobs/hob/internal/app/mcp/session"
	"github.com/hobjobs/hob/internal/units"
)

const (
	minYield   = 10 * time.Millisecond
	maxYield   = 120 * time.Second
	maxTimeout = 365 * 24 * time.Hour
	TailChars  = 2000
	// afterwards is the time limit for cleaning up after a canceled call.
	afterwards = 10 * time.Second
)

// A command is a call of bash, ready to run.
type command struct {
	spec  engine.Spec
	yield time.Duration
	notes []string
}

// BashArgs are the arguments of bash.
type BashArgs struct {
	Command    string            `json:"command" also:"script" jsonschema:"Command to run with sh -c"`
	YieldMs    *float64          `json:"yieldMs,omitempty" also:"yield_ms" jsonschema:"Milliseconds until the command moves to the background (default 20000; 10 to 120000; 0: at once)"`
	Background bool              `json:"background,omitempty" also:"run_in_background,is_background" jsonschema:"Run it in the background at once"`
	Timeout    *float64          `json:"timeout,omitempty" also:"timeout_secs,timeoutSec,timeout_sec,timeoutSeconds,timeout_seconds" unit:"timeout is in seconds here; yieldMs is how long to wait before the command moves to the background" jsonschema:"Kill the command after this many seconds, in the background too (default 1800; 0: never)"`
	Workdir    string            `json:"workdir,omitempty" also:"cwd,directory,dir_path" jsonschema:"Working directory (default: the project's)"`
	Env        map[string]string `json:"env,omitempty" jsonschema:"Environment variables to add"`
	Stdin      string            `json:"stdin,omitempty" enum:"tty,none" jsonschema:"tty (default): process write reaches it, and prompts are detected; none: end of file"`
	Notify     string            `json:"notify,omitempty" enum:"silent,notify,inject" jsonschema:"Report when it ends in the background: never, with its last line, or with its output"`

	params.JobArgs
}

// Bash runs a command.
func (t *Tools) Bash(ctx context.Context, in BashArgs) (*Answer, error) {
	cmd, err := t.command(in)
	if err != nil {
		return nil, err
	}
	if cmd.spec.After, err = t.jobsToFollow(ctx, cmd.spec.After); err != nil {
		return nil, err
	}
	if cmd.spec.AfterAny, err = t.jobsToFollow(ctx, cmd.spec.AfterAny); err != nil {
		return nil, err
	}
	if t.delivery.AcceptsTasks(ctx) {
		cmd.spec.Labels[session.LabelTask] = "yes"
	}
	same := t.running(ctx, cmd.spec)
	run := t.runForeground
	if cmd.spec.Backgrounded {
		run = t.startBackground
	}
	ans, err := run(ctx, cmd)
	if err != nil {
		return nil, err
	}
	for _, note := range append(cmd.notes, same) {
		ans.AddNotice(note)
	}
	ans.AsTask = t.delivery.AcceptsTasks(ctx) && !ans.Job.Status.Finished()
	return ans, nil
}

// check reports arguments that cannot be used.
func (in BashArgs) check() error {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return Usage("bash: command is missing", `give it a line for sh, for example {"command":"npm test"}`)
	case strings.ContainsRune(in.Command, 0):
		return Usage("bash: command has a NUL byte", "remove it: no system can pass it to a program")
	case in.Timeout != nil && *in.Timeout < 0:
		return Usage("bash: timeout is negative", "it is in seconds, and 0 means none")
	case in.Asked().PTY && in.Stdin == "none":
		return Usage("bash: pty cannot be combined with stdin none", "a terminal has input: remove one of them")
	}
	return cmp.Or(params.CheckRefs("bash", "after", in.Asked().After), params.CheckRefs("bash", "afterAny", in.Asked().AfterAny))
}

func (t *Tools) command(in BashArgs) (c command, err error) {
	if err := in.check(); err != nil {
		return c, err
	}
	c.yield = t.Settings.Yield
	if in.YieldMs != nil {
		var note string
		c.yield, note = clamped("yieldMs", *in.YieldMs, minYield, maxYield)
		c.notes = append(c.notes, note)
	}
	timeout := t.Settings.Timeout
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
	labels := t.Scope.Labels()
	if in.Notify != "" {
		labels[session.LabelNotify] = in.Notify
	}
	c.spec = in.Asked()
	c.spec.Script, c.spec.Env, c.spec.Dir = in.Command, in.Env, t.workdir(in.Workdir, in.Asked().Host)
	c.spec.Timeout, c.spec.Labels = timeout, labels
	c.spec.TTYStdin = in.Stdin != "none"
	c.spec.Backgrounded = in.Background || c.yield == 0
	if err := c.spec.Check(in.Given()...); err != nil {
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
func (t *Tools) workdir(dir, host string) string {
	if host != "" {
		return dir
	}
	if home, err := os.UserHomeDir(); err == nil && (dir == "~" || strings.HasPrefix(dir, "~/")) {
		dir = home + dir[1:]
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(t.Dir, dir)
	}
	return dir
}

// running returns a notice about a job that already runs the same command in the same
// directory, or is queued to do so; empty if there is none. Jobs of other agents are not mentioned.
func (t *Tools) running(ctx context.Context, spec engine.Spec) string {
	jobs, err := t.Eng.List(ctx, engine.Filter{Running: true, Same: &spec})
	if err != nil {
		return ""
	}
	for _, j := range jobs {
		if t.Scope.Owns(j) {
			return fmt.Sprintf("the same command is already %s in this directory: %s; if one is enough: %s", StatusOf(j), j.ID, Call("kill", j.ID))
		}
		if j.Labels[session.LabelClient] == "" {
			return fmt.Sprintf("the same command is already %s in this directory, started by the user: %s; see %s",
				StatusOf(j), j.ID, Call("log", j.ID, "all", true))
		}
	}
	return ""
}
