package ssh

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/shellword"
)

const (
	spawnLimit = time.Minute
	// doubt is how long a start is sent again while it is unknown whether the host received it.
	doubt = 30 * time.Second
)

// Start implements [engine.Backend]. If the connection breaks in the middle the same request is sent
// again: the host starts the job at most once. If it remains unknown whether the job was started,
// its status is starting, and its host is unreachable.
func (b *Backend) Start(ctx context.Context, l engine.Launch) (begun *engine.State, err error) {
	if len(l.Files) > 0 {
		return nil, fmt.Errorf("%w: files of this program cannot be passed to a job on a host", engine.ErrUnsupported)
	}
	h := b.host(l.Spec.Host)
	j, err := b.request(l)
	if err != nil {
		return nil, err
	}
	c, err := h.connect(ctx, true)
	if err != nil {
		return nil, unreachable(h.name, err)
	}
	if j.Cluster == "" && h.name != "" {
		needed := neededBy(&l.Spec)
		p, ok, err := h.launcher(ctx, c, needed)
		if err != nil {
			return nil, err
		}
		if ok {
			if begun, ok, err := h.launch(ctx, c, p, needed, l); ok {
				b.sweepSometimes(h)
				return begun, err
			}
		}
	}
	if j.TTY {
		has := func(tool string) bool { return slices.Contains(c.Host.Tools, tool) }
		if err := terminalOf(h.name, has); err != nil {
			return nil, err
		}
	}
	if j.Base == "" {
		j.Base = c.Host.Base
	}
	if h.name != "" {
		b.keepDir(l.ID, path.Join(j.Base, j.ID))
	}
	following, blocked, err := h.follow(ctx, l)
	if err != nil {
		return nil, err
	}
	if blocked != "" {
		b.failDependency(l, blocked)
		return begun, nil
	}
	j.Options = append(j.Options, following...)
	if l.Spec.Stdin && !l.Spec.Backgrounded {
		h.prepare(slow) // the caller is about to write
	}
	if j.Cluster != "" {
		h.forgetQueue()
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
	} else if s.OK && c.Host.Spare {
		b.warnSpare(h.name, j.Base, recipe.Spawned{Error: "home"})
	}
	switch {
	case err != nil && !sent:
		return nil, unreachable(h.name, err)
	case err != nil:
		b.log.Warn("it is not known whether a job was started", "job", l.ID, "host", h.name, "err", err)
		return begun, nil
	case s.Error == "doubt":
		b.warn(h.name, fmt.Sprintf("%s; whether Slurm has accepted the job %s is known when it answers", s.Text, l.ID))
		return begun, nil
	case s.Error == "slurm" && len(j.Options) > 0:
		return nil, &engine.Error{
			Op:   "start",
			Err:  refusal(h.name, s),
			Hint: "the options for sbatch, from --sbatch and the settings, were: " + shellword.Join(j.Options),
		}
	case s.Error == "", s.Error == "exists":
	default:
		return nil, refusal(h.name, s)
	}
	if e := s.List.Jobs[j.ID]; e != nil {
		rec := l.Record
		rec.Job.After, rec.Job.AfterAny = l.Spec.After, l.Spec.AfterAny // without those that have ended
		seen := judge.Look{
			Record: rec,
			Entry:  e,
			Clock:  s.List.Clock,
			At:     time.Now(),
		}
		o, sure := seen.State() // if that is not certain, the next look decides
		if !o.StartedAt.IsZero() && o.StartedAt.Before(began) {
			o.StartedAt = began
		}
		o.Backgrounded = l.Spec.Backgrounded
		if sure == judge.Certain && o.Status.Finished() { // it was short
			h.summarize(l.ID, &o, h.ends(ctx, endsIn(s.Dir, l.Record, e, mostRead))[l.ID])
		}
		b.remember(l.Record, o, e.BootOf(), s.Dir, true)
		if sure == judge.Certain {
			begun = &o
		}
	}
	b.sweepSometimes(h)
	return begun, nil
}

// request converts l to the recipe's request.
func (b *Backend) request(l engine.Launch) (recipe.Job, error) {
	s := &l.Spec
	j := recipe.Job{
		ID:         string(l.ID),
		Token:      l.Job.Token,
		InPlaceOf:  l.InPlaceOf,
		Owner:      owner(l.Job),
		Command:    s.Command,
		Script:     s.Script,
		Dir:        s.Dir,
		Stdin:      s.Stdin || s.TTYStdin,
		Split:      s.Split,
		TTY:        s.PTY,
		Cols:       s.Size.Cols,
		Rows:       s.Size.Rows,
		Timeout:    s.Timeout,
		Grace:      s.Grace,
		StopSignal: s.StopSignal,
		Limit:      max(0, s.LogLimit),
	}
	if _, ok := slurm.Login(s.Host); ok {
		j.Cluster = slurm.Name
		if s.Timeout > 0 {
			j.Options = append(j.Options, fmt.Sprintf("--time=%d", slurm.Minutes(s.Timeout)))
		}
		j.Options = append(append(j.Options, b.settings(s.Host).Sbatch...), s.SchedulerArgs...)
		if err := slurm.CheckOptions(j.Options); err != nil {
			return j, fmt.Errorf("%w: %w", engine.ErrInvalid, err)
		}
		if slurm.Depends(j.Options) && len(l.Job.After)+len(l.Job.AfterAny) > 0 {
			return j, fmt.Errorf("%w: --after and --after-any cannot be combined with the option --dependency of sbatch", engine.ErrInvalid)
		}
	} else if len(s.SchedulerArgs) > 0 {
		return j, fmt.Errorf("%w: options for sbatch without a cluster; use --on slurm:LOGIN", engine.ErrInvalid)
	}
	if len(s.Command) > 0 && strings.HasPrefix(s.Command[0], "-") {
		return j, fmt.Errorf("%w: a command that begins with -", engine.ErrInvalid)
	}
	j.Env = maps.Clone(s.Env)
	if j.Env == nil {
		j.Env = map[string]string{}
	}
	for name := range j.Env {
		if strings.HasPrefix(name, recipe.OwnVariables) {
			return j, fmt.Errorf("%w: variable %s: on a host, names that begin with %s are those of hob", engine.ErrInvalid, name, recipe.OwnVariables)
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
		// On the host it is a local job: a hob there judges it by pid and boot.
		m.Host, m.ClientMachine, m.Boot, m.Dir, m.Scheduler = "", "", "", s.Dir, j.Cluster
	}
	j.Meta, err = json.Marshal(m)
	return j, err
}

// owner is the name of the machine that made the request: a sweep deletes only jobs of its own machine.
func owner(j engine.Job) string { return recipe.OneWord(j.Machine) }

// spawn sends the start until the host answers. sent reports whether the host may have received it;
// if not, nothing was started.
func (h *host) spawn(ctx context.Context, j recipe.Job) (s recipe.Spawned, sent bool, err error) {
	h.mu.Lock()
	watched := len(h.watchers) > 0 // looks that callers wait for must not wait for this
	h.mu.Unlock()
	sent, err = untilKnown(ctx, func(o askOptions) error {
		o.mayShare = !watched
		a, err := h.ask(ctx, slow, recipe.Spawn(j, rand.Text()), o)
		if err == nil {
			s = recipe.ParseSpawn(a.Out)
		}
		return err
	})
	return s, sent, err
}

// untilKnown sends a start until the host answers. sent reports whether the host may have received it.
func untilKnown(ctx context.Context, send func(askOptions) error) (sent bool, err error) {
	for end := time.Now().Add(doubt); ; {
		err = send(askOptions{asks: !sent, once: true, limit: spawnLimit})
		if err == nil || ctx.Err() != nil {
			return true, err
		}
		if missing := (*missingError)(nil); errors.As(err, &missing) {
			return sent, err
		}
		sent = sent || mayHaveRun(err)
		if !sent || time.Now().After(end) {
			return sent, err
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return true, err
		}
	}
}

// refusal is the error for a host that did not start a job.
func refusal(host string, s recipe.Spawned) error {
	err := errors.New(hostname.Prefix(host) + reasonOf(s))
	if hint := hintFor(host, s); hint != "" && host != "" {
		err = fmt.Errorf("%w. %s", err, hint)
	}
	return err
}

// hintFor returns what the user can do about a host that did not start a job; it may be empty.
func hintFor(host string, s recipe.Spawned) string {
	switch {
	case slices.Contains(homeless, s.Error):
		return stateDirHint(host)
	case s.Error == "unsafe":
		return unsafeHint(host, s.Text)
	}
	return ""
}

// reasonOf returns why a host did not start a job.
func reasonOf(s recipe.Spawned) string {
	reason := map[string]string{
		"home":    "HOME is not set, so there is no directory for jobs",
		"newline": "the directory for jobs has a line break in its name",
		"unsafe":  "the directory for jobs is not safe: " + s.Text,
		"mkdir":   "cannot create the directory " + s.Text,
		"write":   "cannot write " + s.Text + ": the disk may be full",
		"mkfifo":  "cannot create named pipes for the job's input: " + s.Text,
		"start":   "the job's wrapper did not start " + s.Text,
		"slurm":   "Slurm does not accept the job: " + s.Text,
		"taken":   "its directory belongs to another job",

		"replaced": replacedBy(s.Text),
	}[s.Error]
	if reason == "" {
		return "unexpected answer: " + s.Error + " " + s.Text
	}
	return reason
}

const (
	sweepEvery = 24 * time.Hour
	// sweepDays is long after the engine's own retention, which removes jobs on the host too. The
	// sweep is for jobs that no longer have a record here.
	sweepDays = 30
)

// sweepSometimes deletes leftovers of this machine's jobs on a host, at most once a day.
func (b *Backend) sweepSometimes(h *host) {
	h.mu.Lock()
	c := h.conn
	due := c != nil && time.Since(h.swept) > sweepEvery
	if due {
		h.swept = time.Now()
		ago := time.Duration(c.Host.Date-c.Host.Swept) * time.Second // by another program of this machine
		due = ago < 0 || ago > sweepEvery
	}
	h.mu.Unlock()
	if !due {
		return
	}
	b.async(func() {
		me := recipe.OneWord(b.machine)
		if _, err := h.ask(b.life, slow, recipe.Sweep(c.Host.Base, me, sweepDays), askOptions{limit: time.Minute}); err != nil && b.life.Err() == nil {
			b.log.Debug("cannot delete old jobs on a host", "host", h.name, "err", err)
		}
	})
}

// homeless are the errors of a spawn that another directory may cure.
var homeless = []string{"home", "mkdir", "write"}

// spareBase returns a private directory for jobs on a host where s reports that the usual one cannot
// hold them. It is empty if the host has no such directory, or if the user chose the usual one. ask
// carries out a request.
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

// spawnIn starts j in base because the usual directory cannot hold it. It records the directory
// first: without that the job could not be found again.
func (h *host) spawnIn(ctx context.Context, base string, l engine.Launch, j *recipe.Job, cause recipe.Spawned) (recipe.Spawned, bool, error) {
	j.Base = base
	dir := path.Join(base, j.ID)
	o := judge.LastKnown(l.Record)
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

// warn shows the user a message that is not an error.
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

// unsafeHint is what the user can do about a directory for jobs on a host that other users control;
// why begins with the element of its path, as [recipe.Host] has it.
func unsafeHint(host, why string) string {
	hint := fmt.Sprintf("Set [hosts.%s] state_dir in config.toml to a directory there that only you can replace", host)
	if element, writable := strings.CutSuffix(why, " can be changed by other users"); writable {
		hint += ", or run chmod go-w " + shellword.Join([]string{element}) + " there"
	}
	return hint
}
