package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/termenv"
)

// Start starts a job and returns as soon as it runs. A command that cannot be
// executed, or a bad directory, is no error: it is a job that failed. The errors
// are ErrInvalid for a request that makes no sense, ErrUnsupported where no
// backend can, ErrStateRoot, and those of the backend; nothing was started then.
func (e *Engine) Start(ctx context.Context, spec Spec, opts ...StartOption) (Job, error) {
	var o startOptions
	for _, opt := range opts {
		opt(&o)
	}
	if e.isClosed() {
		return Job{}, &Error{Op: "start", Err: ErrClosed}
	}
	spec.Env = merged(spec.Env, o.extra)
	spec.Labels = merged(spec.Labels, o.label)
	spec, b, err := e.complete(spec)
	if err != nil {
		return Job{}, err
	}
	if err := checkFiles(o.files, spec.PTY); err != nil {
		return Job{}, err
	}
	if o.token != "" {
		lock, err := e.root.Exclusive(ctx, "tokens")
		if err != nil {
			return Job{}, rootError(err)
		}
		defer lock.Close()
		if j, ok, err := e.byToken(ctx, o.token); ok || err != nil {
			return j, err
		}
	}
	meta := e.metaOf(spec, b, o)
	var prepared io.Closer
	dir, err := e.create(ctx, &meta, func(dir string) (err error) {
		if prepared != nil {
			prepared.Close()
		}
		if p, ok := b.(Preparer); ok {
			prepared, err = p.Prepare(dir)
		}
		return err
	})
	if err != nil {
		if prepared != nil {
			prepared.Close()
		}
		return Job{}, err
	}
	l := Launch{
		Record: Record{ID: meta.ID, Dir: dir, Job: jobOf(&jobdir.Record{ID: string(meta.ID), Meta: meta}, dir)},
		Spec:   spec,
		Files:  o.files, Prepared: prepared,
	}
	if spec.Host == "" {
		l.Env = environ(o.env, spec.Env, string(meta.ID))
	}
	if o.hold != nil {
		o.hold.hold(dir, l.Job)
	}
	run, err := b.Start(ctx, l)
	if prepared != nil { // before anything that the start led to is recorded
		prepared.Close()
	}
	if err != nil {
		if rmErr := os.RemoveAll(dir); rmErr != nil {
			e.log.Warn("a job that was not started left its directory", "job", meta.ID, "err", rmErr)
		}
		return Job{}, fault("start", Job{Request: Request{Backend: b.Name()}}, err)
	}
	j, known := begun(run, l.Job)
	if known {
		e.place(&j, dir)
	} else {
		// It is there, whether or not anybody still waits for it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), activeTimeout)
		defer cancel()
		j, err = e.read(ctx, run.ID())
	}
	if err != nil {
		// It runs; that its records cannot be read now is no reason to say it
		// does not.
		e.log.Warn("the records of a new job cannot be read", "job", meta.ID, "err", err)
		j = l.Job
	}
	e.changed()
	e.sweepSometimes()
	return j, nil
}

// begun is j as its backend left it, if that knows. One that ended at once is
// read instead, so that its end is seen as everyone sees it.
func begun(run Run, j Job) (Job, bool) {
	s, ok := run.(StartObserver)
	if !ok {
		return j, false
	}
	now, ok := s.Begun()
	if !ok || now.Status.Finished() {
		return j, false
	}
	return observed(j, now), true
}

// complete checks spec and fills in every default.
func (e *Engine) complete(s Spec) (Spec, Backend, error) {
	if err := checkSpec(s); err != nil {
		return s, nil, err
	}
	b := e.serving(s.Host)
	if b == nil {
		e := &Error{Op: "start", Err: fmt.Errorf("%w: nothing here runs jobs on this machine", ErrUnsupported), Hint: "name a host; on Windows run hob in WSL"}
		if s.Host != "" {
			e.Err, e.Hint = fmt.Errorf("%w: nothing here runs jobs on host %q", ErrUnsupported, s.Host), ""
		}
		return s, nil, e
	}
	caps := b.Capabilities()
	s.PTY = s.PTY && !s.Split && caps.PTY
	if s.TTYStdin && !s.PTY && !caps.TTYStdin { // a pipe is the next best thing
		s.Stdin = s.Stdin || caps.Stdin
	}
	s.TTYStdin = s.TTYStdin && !s.PTY && caps.TTYStdin
	for _, ability := range []struct {
		asked, there bool
		name         string
	}{{s.Split, caps.Split, "separate stdout and stderr"}, {s.Stdin && !s.PTY, caps.Stdin, "input"}} {
		if ability.asked && !ability.there {
			return s, nil, &Error{Op: "start", Backend: b.Name(), Err: fmt.Errorf("%w: %s of a job there", ErrUnsupported, ability.name)}
		}
	}
	if s.Host == "" {
		dir, err := filepath.Abs(s.Dir) // of "" it is the working directory
		if errors.Is(err, fs.ErrNotExist) {
			dir, err = filepath.Join(deletedDir(), s.Dir), nil
		}
		if err != nil {
			return s, nil, &Error{
				Op: "start", Err: fmt.Errorf("find the current directory: %w", err),
				Hint: "change to another, or say which",
			}
		}
		s.Dir = dir
	}
	if s.Name = clipName(s.Name); s.Name == "" {
		s.Name = deriveName(s.Command, s.Script)
	}
	if s.Size == (Size{}) {
		s.Size = Size{Cols: defaultCols, Rows: defaultRows}
	}
	if s.Grace == 0 {
		s.Grace = defaultGrace
	}
	if s.LogLimit == 0 {
		s.LogLimit = e.cfg.logLimit
	}
	if s.CreatedBy == "" {
		s.CreatedBy = e.cfg.client
	}
	return s, b, nil
}

// deletedDir returns the path of a working directory that has been deleted. Nothing is
// there: a job in it cannot be started, and does not run in another directory that has
// been made in its place.
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

func checkSpec(s Spec) error {
	bad := func(what, hint string) error { return invalid("start", what, hint) }
	switch {
	case len(s.Command) > 0 && s.Script != "":
		return bad("both a command and a script", "give one of them")
	case len(s.Command) == 0 && strings.TrimSpace(s.Script) == "":
		return bad("no command", "say what to run")
	case len(s.Command) > 0 && s.Command[0] == "":
		return bad("the command's first word is empty", "say what to run")
	case s.Timeout < 0:
		return bad("a negative timeout", "0 is none")
	case s.Grace < 0:
		return bad("a negative grace time", "0 is the default of 5 seconds")
	case s.LogLimit > 0 && s.LogLimit < minLogLimit:
		return bad("a log limit under 2 MiB", "give at least 2 MiB, or a negative limit for none")
	case s.Size != (Size{}) && (s.Size.Cols < 1 || s.Size.Rows < 1 || s.Size.Cols > maxCells || s.Size.Rows > maxCells):
		return bad(fmt.Sprintf("a screen of %dx%d", s.Size.Cols, s.Size.Rows), "both sides are from 1 to 4096")
	case strings.HasPrefix(strings.TrimSpace(s.Name), "@"):
		return bad("a name that begins with @", "@ means the newest job; take another name")
	}
	for _, text := range append([]string{s.Script, s.Dir, s.Host, s.Name}, s.Command...) {
		if strings.IndexByte(text, 0) >= 0 {
			return bad("a NUL byte in the command, directory, host or name", "no system can pass it on")
		}
	}
	for name, value := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.IndexByte(value, 0) >= 0 {
			return bad(fmt.Sprintf("the environment variable %q", name), "a name is not empty and has no =, and nothing has NUL bytes")
		}
	}
	return nil
}

// maxFile is the largest number that a job's descriptor can be lent under.
const maxFile = 1<<16 - 1

func checkFiles(files map[int]*os.File, terminal bool) error {
	for n := range files {
		if n < 0 || n == 1 || n == 2 && !terminal || n > maxFile {
			return invalid("start", fmt.Sprintf("descriptor %d cannot be lent to a job", n), "0 can, those from 3 to 65535, and 2 to a job with a terminal")
		}
	}
	return nil
}

func (e *Engine) metaOf(s Spec, b Backend, o startOptions) jobdir.Meta {
	m := jobdir.Meta{
		Request: Request{
			Token: o.token, Name: s.Name, Command: s.Command, Script: s.Script, Dir: s.Dir, Host: s.Host, Backend: b.Name(),
			Kind: KindFile, Split: s.Split, Stdin: InputNull, InitialSize: s.Size,
			Timeout: InMilliseconds(s.Timeout), Grace: InMilliseconds(s.Grace), LogLimit: max(0, s.LogLimit),
			EnvNames: slices.Sorted(maps.Keys(s.Env)), Labels: s.Labels, StartInBackground: s.Backgrounded, Notify: s.Notify,
			ClientMachine: e.here.machine, CreatedAt: e.cfg.now(), CreatedBy: s.CreatedBy, RestartedFrom: s.RestartedFrom,
		},
	}
	if m.Token == "" {
		m.Token = jobdir.NewToken()
	}
	if m.EnvNames == nil {
		m.EnvNames = []string{}
	}
	if s.Timeout > 0 {
		m.Timeout = max(1, m.Timeout)
	}
	m.Grace = max(1, m.Grace)
	switch {
	case s.PTY:
		m.Kind, m.Stdin = KindPTY, InputPTY
	case o.files[0] != nil:
		m.Stdin = InputInherited
	case s.TTYStdin:
		m.Stdin = InputTTY
	case s.Stdin:
		m.Stdin = InputPipe
	}
	return m
}

// environ is the environment of a job on this machine: base without what
// describes the caller's terminal, then added, which may say it again.
func environ(base []string, added map[string]string, id string) []string {
	if base == nil {
		base = os.Environ()
	}
	env := make([]string, 0, len(base)+len(added)+1)
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if _, again := added[name]; !again && !termenv.Describes(name) && name != jobIDVariable {
			env = append(env, kv)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		env = append(env, name+"="+added[name])
	}
	return append(env, jobIDVariable+"="+id)
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

// Restart starts the job's request again as a new job: what was asked, with the
// environment of now. Variables that were added must be given again with
// [WithEnv] or be set; else the error is ErrInvalid and names them.
func (e *Engine) Restart(ctx context.Context, id ID, opts ...StartOption) (Job, error) {
	spec, err := e.Request(ctx, id)
	if err != nil {
		return Job{}, err
	}
	var o startOptions
	for _, opt := range opts {
		opt(&o)
	}
	base := o.env
	if base == nil {
		base = os.Environ()
	}
	var missing []string
	for name := range spec.Env {
		if _, ok := o.extra[name]; ok {
			continue
		}
		value, ok := lookupEnv(base, name)
		if !ok {
			missing = append(missing, name)
		}
		spec.Env[name] = value
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return Job{}, &Error{
			Op: "restart", Job: id, Err: fmt.Errorf("%w: it was started with %s, whose values are not kept", ErrInvalid, strings.Join(missing, ", ")),
			Hint: "give them again with -e NAME=VALUE, or set them",
		}
	}
	return e.Start(ctx, spec, opts...)
}

// Request is what was asked of a job, to be asked again. The values of Env are
// empty: they are not kept.
func (e *Engine) Request(ctx context.Context, id ID) (Spec, error) {
	rec, err := e.record(id)
	if err != nil {
		return Spec{}, err
	}
	if err := unasked("restart", rec); err != nil {
		return Spec{}, err
	}
	m := &rec.Meta
	switch {
	case rec.Problem != "":
		return Spec{}, &Error{
			Op: "restart", Job: id, Err: fmt.Errorf("%w: what was asked is lost: %s", ErrUnsupported, rec.Problem),
			Hint: "start the command anew; the log of this one is kept",
		}
	case m.Kind == KindVirtual:
		return Spec{}, &Error{
			Op: "restart", Job: id, Err: fmt.Errorf("%w: only the program that performed it can", ErrUnsupported),
			Hint: "ask that program for it again",
		}
	}
	s := Spec{
		Command: m.Command, Script: m.Script, Name: m.Name, Dir: m.Dir, Host: m.Host, PTY: m.Kind == KindPTY,
		Stdin: m.Stdin == InputPipe, TTYStdin: m.Stdin == InputTTY, Split: m.Split, Size: m.InitialSize,
		Timeout: m.Timeout.Duration(), Grace: m.Grace.Duration(),
		LogLimit: m.LogLimit, Labels: m.Labels, Backgrounded: true, Notify: m.Notify, RestartedFrom: id,
	}
	if s.LogLimit == 0 {
		s.LogLimit = -1
	}
	if len(m.EnvNames) > 0 {
		s.Env = make(map[string]string, len(m.EnvNames))
		for _, name := range m.EnvNames {
			s.Env[name] = ""
		}
	}
	return s, nil
}

func lookupEnv(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if n, v, ok := strings.Cut(kv, "="); ok && n == name {
			return v, true
		}
	}
	return "", false
}
