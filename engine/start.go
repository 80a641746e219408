package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/jobname"
	"github.com/hobjobs/hob/internal/termenv"
)

// Start starts a job and returns once it is running. A command that cannot be executed, or a bad
// directory, is not an error: the job is recorded as failed. Start returns ErrInvalid for an
// invalid request, ErrUnsupported if no backend can run it, ErrStateDir, or an error of the
// backend; in these cases nothing was started.
func (e *Engine) Start(ctx context.Context, spec Spec, opts ...StartOption) (Job, error) {
	var o startOptions
	for _, opt := range opts {
		opt(&o)
	}
	if e.isClosed() {
		return Job{}, &Error{Op: "start", Err: ErrClosed}
	}
	spec, b, err := e.complete(spec)
	if err != nil {
		return Job{}, err
	}
	if err := checkFiles(o.files, spec.PTY); err != nil {
		return Job{}, err
	}
	if o.token != "" || spec.Single {
		j, lock, err := o.exclude(ctx, e, spec)
		if err != nil || lock == nil {
			return j, err
		}
		defer lock.Close()
	}
	if spec.Port == AutoPort {
		if spec.Port, err = freePort(ctx, e, spec, b); err != nil {
			return Job{}, err
		}
	}
	waits, err := e.dependencies(ctx, spec)
	if err != nil {
		return Job{}, err
	}
	meta := e.metaOf(spec, b.Name(), o)
	dir, lock, err := e.create(ctx, &meta)
	if err != nil {
		return Job{}, err
	}
	l := Launch{
		Record: Record{
			ID:  meta.ID,
			Dir: dir,
			Job: jobOf(&jobdir.Record{ID: string(meta.ID), Meta: meta}, dir),
		},
		Spec:  waits,
		Files: o.files,
		Lock:  lock,

		InPlaceOf: o.lost,
	}
	l.Spec.Env = withPort(spec)
	if spec.Host == "" {
		l.Env = environ(o.env, l.Spec.Env, string(meta.ID))
	}
	if o.hold != nil {
		e.hold(o.hold, l.Job)
	}
	begun, err := b.Start(ctx, l)
	lock.Close() // before anything caused by the start is recorded
	if err != nil {
		if rmErr := os.RemoveAll(dir); rmErr != nil {
			e.log.Warn("cannot delete the directory of a job that was not started", "job", meta.ID, "err", rmErr)
		}
		return Job{}, opError("start", Job{Request: Request{Backend: b.Name()}}, err)
	}
	var j Job
	if begun != nil && !begun.Status.Finished() {
		j = observed(l.Job, *begun)
		e.setHostPaths(&j, dir)
	} else { // every client reads an end from the records, so that all see the same
		// The job exists now, even if the caller stops waiting.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), activeTimeout)
		defer cancel()
		j, err = e.read(ctx, meta.ID)
	}
	if err != nil {
		// The job is running even if its records cannot be read now.
		e.log.Warn("cannot read the records of a new job", "job", meta.ID, "err", err)
		j = l.Job
	}
	e.changed()
	e.sweepSometimes()
	return j, nil
}

// exclude keeps other starts with a token or of a process from happening until lock is closed. If there is a job that
// the start would repeat, it returns that, and no lock. It waits for the end of one that is being stopped: the new one
// may need what that holds, such as a port.
func (o startOptions) exclude(ctx context.Context, e *Engine, spec Spec) (j Job, lock *jobdir.FileLock, err error) {
	for {
		if lock, err = e.root.Exclusive(ctx, "tokens"); err != nil {
			return Job{}, nil, rootError(err)
		}
		j, ok, err := o.earlier(ctx, e, spec)
		if err == nil && !ok {
			return Job{}, lock, nil
		}
		lock.Close()
		if waits := spec.Single && j.Status == Stopping; err != nil || !waits {
			return j, nil, err
		}
		if err := waitStopped(ctx, e.Handle(j.ID), j); err != nil {
			return Job{}, nil, err
		}
	}
}

// earlier returns the job that a start would repeat: the one with its token, or the one that runs the same process.
func (o startOptions) earlier(ctx context.Context, e *Engine, spec Spec) (j Job, ok bool, err error) {
	if o.token != "" {
		if j, ok, err = e.byToken(ctx, o.token); ok || err != nil {
			return j, ok, err
		}
	}
	if spec.Single {
		return processOf(spec.Labels).running(ctx, e)
	}
	return Job{}, false, nil
}

// create creates the directory of a job, whose lock the caller has then. On a full disk it empties
// the trash and tries again.
func (e *Engine) create(ctx context.Context, m *jobdir.Meta) (dir string, lock *jobdir.FileLock, err error) {
	hold := func(dir string) (err error) {
		lock.Close() // of the first attempt
		lock, err = jobdir.Lock(dir)
		return err
	}
	if dir, err = e.root.Create(m, m.Name, hold); errors.Is(err, syscall.ENOSPC) && e.makeRoom(ctx) {
		dir, err = e.root.Create(m, m.Name, hold)
	}
	if err != nil {
		lock.Close()
		return "", nil, rootError(err)
	}
	return dir, lock, nil
}

// complete validates spec and fills in the defaults.
func (e *Engine) complete(s Spec) (Spec, Backend, error) {
	if err := s.Check(); err != nil {
		return s, nil, startError(err)
	}
	s.StopSignal, _ = parseStopSignal(s.StopSignal) // Check has accepted it
	b := e.serving(s.Host)
	if b == nil {
		e := &Error{
			Op:   "start",
			Err:  fmt.Errorf("%w: no backend runs jobs on this machine", ErrUnsupported),
			Hint: "name a host; on Windows run hob in WSL",
		}
		if s.Host != "" {
			e.Err, e.Hint = fmt.Errorf("%w: no backend runs jobs on host %q", ErrUnsupported, s.Host), ""
		}
		return s, nil, e
	}
	caps := b.Capabilities(s.Host)
	s = caps.nearest(s)
	for _, ability := range []struct {
		asked, there bool
		name         string
	}{
		{s.Split, caps.Split, "separate stdout and stderr"},
		{s.Stdin && !s.PTY, caps.Stdin, "input"},
		{s.Restart != "", caps.Restart, "restarting"},
		{s.StopCommand != "", caps.StopCommand, "a stop command"},
		{s.Health.Check != "", caps.Health, "a health check"},
	} {
		if ability.asked && !ability.there {
			return s, nil, &Error{
				Op:      "start",
				Backend: b.Name(),
				Err:     fmt.Errorf("%w: %s of a job there", ErrUnsupported, ability.name),
			}
		}
	}
	if s.Host == "" {
		dir, err := filepath.Abs(s.Dir) // the working directory, for ""
		if errors.Is(err, fs.ErrNotExist) {
			dir, err = filepath.Join(deletedDir(), s.Dir), nil
		}
		if err != nil {
			return s, nil, &Error{
				Op:   "start",
				Err:  fmt.Errorf("find the current directory: %w", err),
				Hint: "change to another directory, or specify one",
			}
		}
		s.Dir = dir
	}
	if s.Size == (Size{}) {
		s.Size = defaultSize
	}
	return e.withDefaults(s), b, nil
}

// nearest returns a request with the terminal and the input that come closest to what is asked for.
func (c Capabilities) nearest(s Spec) Spec {
	if s.Split || !c.PTY {
		s.PTY = false
	}
	switch {
	case s.PTY:
		s.TTYStdin = false // the terminal has the input, too
	case s.TTYStdin && !c.TTYStdin:
		s.TTYStdin = false
		s.Stdin = s.Stdin || c.Stdin // a pipe is the closest substitute
	}
	return s
}

// startError returns why a request cannot be used as the error of a start.
func startError(err error) error {
	e := &Error{Op: "start", Err: err}
	if wrong, ok := errors.AsType[*SpecError](err); ok {
		_, e.Hint = wrong.Text(func(o JobOption) string { return o.Field })
	}
	return e
}

// withDefaults fills in what every job needs.
func (e *Engine) withDefaults(s Spec) Spec {
	if s.Name = jobname.Clip(s.Name); s.Name == "" {
		s.Name = jobname.Of(s.Command, s.Script)
	}
	s.Grace = cmp.Or(s.Grace, defaultGrace)
	s.LogLimit = cmp.Or(s.LogLimit, e.cfg.logLimit)
	s.CreatedBy = cmp.Or(s.CreatedBy, e.cfg.client)
	return s
}

// deletedDir returns the path of the working directory if it has been deleted. A job cannot be
// started in it, and must not run in another directory created under the same path.
func deletedDir() string {
	dir := os.Getenv("PWD")
	if !filepath.IsAbs(dir) {
		dir = "/"
	}
	if _, err := os.Lstat(dir); err == nil {
		dir += " (deleted)"
	}
	return dir
}

// maxFile is the largest descriptor number that can be passed to a job.
const maxFile = 1<<16 - 1

func checkFiles(files map[int]*os.File, terminal bool) error {
	for n := range files {
		switch {
		case n == 0, n == 2 && terminal, n > 2 && n <= maxFile:
		default:
			return invalid("start", fmt.Sprintf("descriptor %d cannot be passed to a job", n), "use 0, a number from 3 to 65535, or 2 for a job with a terminal")
		}
	}
	return nil
}

// environ returns the environment of a job on this machine: base without the variables that
// describe the caller's terminal, then added, which may set those again.
func environ(base []string, added map[string]string, id string) []string {
	if base == nil {
		base = os.Environ()
	}
	env := make([]string, 0, len(base)+len(added)+1)
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		_, again := added[name]
		switch {
		case again, name == jobIDVariable, termenv.Describes(name):
		default:
			env = append(env, kv)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		env = append(env, name+"="+added[name])
	}
	return append(env, jobIDVariable+"="+id)
}

// withPort returns the variables to add: those of spec, and PORT if spec sets it.
func withPort(spec Spec) map[string]string {
	if spec.Port == 0 {
		return spec.Env
	}
	return merged(map[string]string{"PORT": strconv.Itoa(spec.Port)}, spec.Env)
}

const jobIDVariable = "HOB_JOB_ID"

func merged(a, b map[string]string) map[string]string {
	if len(b) == 0 {
		return a
	}
	m := maps.Clone(a)
	if m == nil {
		m = map[string]string{}
	}
	maps.Copy(m, b)
	return m
}
