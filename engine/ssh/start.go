package ssh

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/jobdir"
)

const (
	spawnLimit = time.Minute
	// doubt is how long a start is sent again while nobody knows whether the
	// host got it.
	doubt = 30 * time.Second
)

// Prepare implements [engine.Preparer]: whoever looks at the job until Start has
// returned sees by the lock that it is being started.
func (b *Backend) Prepare(dir string) (io.Closer, error) { return jobdir.Lend(dir) }

// Start implements [engine.Backend]. If the connection breaks in the middle the
// same request is sent again: the host starts it at most once. If it stays
// unknown whether the job was started, it is: starting, on a host that cannot be
// reached.
func (b *Backend) Start(ctx context.Context, l engine.Launch) (engine.Run, error) {
	if len(l.Files) > 0 {
		return nil, fmt.Errorf("%w: a job on a host cannot be lent files of this program", engine.ErrUnsupported)
	}
	h := b.host(l.Spec.Host)
	j, err := b.request(l)
	if err != nil {
		return nil, err
	}
	run := &Run{b: b, h: h, rec: l.Record}
	c, err := h.connect(ctx, interactive(ctx, true))
	if err != nil {
		return nil, unreachable(h.name, err)
	}
	if j.TTY {
		has := func(tool string) bool { return slices.Contains(c.host.Tools, tool) }
		if err := terminalOf(h.name, has); err != nil {
			return nil, err
		}
	}
	if j.Base == "" {
		j.Base = c.host.Base
	}
	if h.name != "" {
		b.keepDir(l.ID, path.Join(j.Base, j.ID))
	}
	if l.Spec.Stdin && !l.Spec.Backgrounded {
		h.prepare(slow) // the caller is about to write
	}
	began := time.Now()
	s, sent, err := h.spawn(ctx, j)
	if s.Error == "taken" && h.name != "" {
		j.ID += "-" + l.Job.Token[:min(5, len(l.Job.Token))]
		b.keepDir(l.ID, path.Join(j.Base, j.ID))
		s, sent, err = h.spawn(ctx, j)
	}
	ask := func(script string) ([]byte, error) {
		a, err := h.ask(ctx, slow, script, askOptions{asks: true})
		return a.Out, err
	}
	if base := b.spareBase(h.name, s, ask); base != "" {
		s, sent, err = h.spawnIn(ctx, base, l, &j, s)
	} else if s.OK && c.host.Spare {
		b.warnSpare(h.name, j.Base, recipe.Spawned{Error: "home"})
	}
	switch {
	case err != nil && !sent:
		return nil, unreachable(h.name, err)
	case err != nil:
		b.log.Warn("it is not known whether a job was started", "job", l.ID, "host", h.name, "err", err)
		return run, nil
	case s.Error != "" && s.Error != "exists":
		return nil, refusal(h.name, s)
	}
	if e := s.List.Jobs[j.ID]; e != nil {
		seen := sight{rec: l.Record, entry: e, clock: s.List.Clock, at: time.Now()}
		o, sure := seen.verdict() // where it is doubtful the next look decides
		if !o.StartedAt.IsZero() && o.StartedAt.Before(began) {
			o.StartedAt = began
		}
		o.Backgrounded = l.Spec.Backgrounded
		b.remember(l.Record, o, e.BootOf(), s.Dir, true)
		if sure == certain {
			run.begun = &o
		}
	}
	b.sweepSometimes(h)
	return run, nil
}

// request is what the host is asked to run.
func (b *Backend) request(l engine.Launch) (recipe.Job, error) {
	s := &l.Spec
	j := recipe.Job{
		ID: string(l.ID), Token: l.Job.Token, Owner: owner(l.Job), Command: s.Command, Script: s.Script, Dir: s.Dir,
		Stdin: s.Stdin || s.TTYStdin, Split: s.Split, TTY: s.PTY, Cols: s.Size.Cols, Rows: s.Size.Rows, Timeout: s.Timeout, Grace: s.Grace, Limit: max(0, s.LogLimit),
	}
	if len(s.Command) > 0 && strings.HasPrefix(s.Command[0], "-") {
		return j, fmt.Errorf("%w: a command that begins with -", engine.ErrInvalid)
	}
	j.Env = maps.Clone(s.Env)
	if j.Env == nil {
		j.Env = map[string]string{}
	}
	for name := range j.Env {
		if !recipe.ValidName(name) {
			return j, fmt.Errorf("%w: no shell can be given the variable %q", engine.ErrInvalid, name)
		}
	}
	usual := map[string]string{"TERM": "dumb"}
	if j.TTY {
		usual = map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}
	}
	for name, value := range usual {
		if _, ok := j.Env[name]; !ok {
			j.Env[name] = value
		}
	}
	j.Env["HOB_JOB_ID"] = string(l.ID)
	m, err := jobdir.ReadMeta(l.Dir)
	if err != nil {
		return j, err
	}
	if l.Job.Host == "" { // its directory is there already, and is the job's own
		j.Base, j.Dir = path.Dir(filepath.ToSlash(l.Dir)), filepath.ToSlash(s.Dir)
	} else {
		// There it is a job of that machine, whose own hob judges it by pid and boot.
		m.Host, m.ClientMachine, m.Dir = "", "", s.Dir
	}
	j.Meta, err = json.Marshal(m)
	return j, err
}

// owner names whose jobs a sweep may delete: those of this machine.
func owner(j engine.Job) string { return recipe.OneWord(j.Machine) }

// spawn sends the start until there is an answer. sent says whether the host may
// have got it; without that nothing was started.
func (h *host) spawn(ctx context.Context, j recipe.Job) (s recipe.Spawned, sent bool, err error) {
	end := time.Now().Add(doubt)
	h.mu.Lock()
	watched := len(h.watchers) > 0 // who waits for looks is not to wait for this
	h.mu.Unlock()
	for {
		var a shell.Answer
		a, err = h.ask(ctx, slow, recipe.Spawn(j, rand.Text()), askOptions{asks: !sent, once: true, limit: spawnLimit, lent: !watched})
		if err == nil {
			return recipe.ParseSpawn(a.Out), true, nil
		}
		if broken, ok := errors.AsType[*shell.BrokenError](err); ok && broken.Sent || ctx.Err() != nil {
			sent = true
		}
		if !sent || ctx.Err() != nil || time.Now().After(end) {
			return s, sent, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// refusal is the error for a host that did not start a job.
func refusal(host string, s recipe.Spawned) error {
	err := fmt.Errorf("%s: %s", host, reasonOf(s))
	if slices.Contains(homeless, s.Error) && host != "" {
		err = fmt.Errorf("%w. %s", err, stateDirHint(host))
	}
	return err
}

// reasonOf is why a host did not start a job.
func reasonOf(s recipe.Spawned) string {
	reason := map[string]string{
		"home":    "there is no HOME to keep jobs in",
		"newline": "the directory for jobs has a line break in its name",
		"mkdir":   "cannot make the directory " + s.Text,
		"write":   "cannot write " + s.Text + ": the disk may be full",
		"mkfifo":  "cannot make named pipes, so the job cannot have input: " + s.Text,
		"start":   "the job's wrapper did not start " + s.Text,
		"taken":   "another job has its directory",
	}[s.Error]
	if reason == "" {
		return "unexpected answer: " + s.Error + " " + s.Text
	}
	return reason
}

const (
	sweepEvery = 24 * time.Hour
	// sweepDays is long after the engine's own retention: what it removes it
	// removes there too. This is for what no record here speaks of any more.
	sweepDays = 30
)

// sweepSometimes deletes on a host what this machine's jobs left there.
func (b *Backend) sweepSometimes(h *host) {
	h.mu.Lock()
	c := h.conn
	due := c != nil && time.Since(h.swept) > sweepEvery
	if due {
		h.swept = time.Now()
		ago := time.Duration(c.host.Date-c.host.Swept) * time.Second // by another program of this machine
		due = ago < 0 || ago > sweepEvery
	}
	h.mu.Unlock()
	if !due {
		return
	}
	b.goes(func() {
		me := recipe.OneWord(b.machine)
		if _, err := h.ask(b.life, slow, recipe.Sweep(c.host.Base, me, sweepDays), askOptions{limit: time.Minute}); err != nil && b.life.Err() == nil {
			b.log.Debug("a host cannot be swept", "host", h.name, "err", err)
		}
	})
}

// homeless are the errors of a spawn that another directory may cure.
var homeless = []string{"home", "mkdir", "write"}

// spareBase returns a private directory for jobs on a host where s says that the usual one
// cannot hold them; empty if there is none, or the user chose the directory. ask carries
// out a request.
func (b *Backend) spareBase(host string, s recipe.Spawned, ask func(script string) ([]byte, error)) string {
	if host == "" || !slices.Contains(homeless, s.Error) || b.settings(host).StateDir != "" {
		return ""
	}
	out, err := ask(recipe.Spare())
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(out), "\n")
}

// spawnIn starts j in base, where the usual directory could not hold it. Where the job is
// gets recorded first: nothing else leads there.
func (h *host) spawnIn(ctx context.Context, base string, l engine.Launch, j *recipe.Job, cause recipe.Spawned) (recipe.Spawned, bool, error) {
	j.Base = base
	dir := path.Join(base, j.ID)
	o := lastKnown(l.Record)
	o.Status, o.Backgrounded = engine.Starting, l.Spec.Backgrounded
	h.b.remember(l.Record, o, "", dir, true)
	s, sent, err := h.spawn(ctx, *j)
	if s.OK {
		h.b.warnSpare(h.name, base, cause)
	}
	return s, sent, err
}

func (b *Backend) warnSpare(host, base string, cause recipe.Spawned) {
	b.warn(host, fmt.Sprintf("%s; jobs are kept in %s, which the host may empty at any time. %s", reasonOf(cause), base, stateDirHint(host)))
}

// warn reports something to the user that is no error.
func (b *Backend) warn(host, text string) {
	b.log.Warn(text, "host", host)
	if b.warning != nil {
		b.warning(host, text)
	}
}

// stateDirHint is what the user can do about a host whose home cannot hold jobs.
func stateDirHint(host string) string {
	return fmt.Sprintf("Set [hosts.%s] state_dir in config.toml to a directory there that keeps files", host)
}
