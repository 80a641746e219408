// Package enginetest is the conformance suite that every backend passes. Its cases are the executable
// contract of [engine.Backend].
//
//	func TestBackend(t *testing.T) {
//		enginetest.Run(t, func(t *testing.T) enginetest.Config {
//			return enginetest.Config{New: func() engine.Backend { return local.New() }}
//		})
//	}
package enginetest

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/testtool"
)

// Patience is the time limit of every wait. A working backend needs far less.
const Patience = time.Minute

// Config describes a backend under test. Its jobs run POSIX sh.
type Config struct {
	// New creates the backend, as another process would: it must find the jobs of earlier
	// instances. The engine closes it.
	New func() engine.Backend
	// Host is where the jobs run; empty: this machine.
	Host string
	// Holder means that jobs on Host have hob's holder there, and that it has the files and processes of this
	// machine: no case is skipped.
	Holder bool
	// KillHolder kills the process that supervises the job with SIGKILL. If nil, cases that need it
	// are skipped.
	KillHolder func(t *testing.T, j engine.Job)
	// Cut makes the host unreachable and returns a function that restores the connection. If nil,
	// cases that need it are skipped.
	Cut func(t *testing.T) (heal func())
	// Terminal skips or fails a case that needs a terminal if the machine lacks a program that the
	// backend needs to provide one. If nil, it needs none.
	Terminal func(t testing.TB)
	// EndsWithEngine means that jobs live only as long as the backend that started them: cases
	// about survival are skipped.
	EndsWithEngine bool
	// Queues means that a scheduler starts the jobs: cases continue once their job has begun.
	Queues bool
}

// here reports whether the jobs are local jobs with files and processes of this machine.
func (c *Config) here() bool { return c.Host == "" || c.Holder }

// Run runs every case of the suite. setup is called for each of them. They run in parallel, because most of them wait.
func Run(t *testing.T, setup func(t *testing.T) Config) {
	t.Helper()
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &suite{T: t, cfg: setup(t), root: testtool.TempDir(t)}
			s.e = s.engine()
			c.run(s)
		})
	}
}

type suiteCase struct {
	name string
	run  func(*suite)
}

func cases() []suiteCase {
	return slices.Concat(endings(), outputs(), readers(), groups(), lives(), summaries(), programs())
}

// suite is one running case.
type suite struct {
	*testing.T
	cfg  Config
	caps engine.Capabilities
	root string
	e    *engine.Engine
}

// engine opens another engine on the state directory, as another process would.
func (s *suite) engine() *engine.Engine {
	s.Helper()
	backend := s.cfg.New()
	s.caps = backend.Capabilities(s.cfg.Host)
	e, err := engine.New(engine.WithStateDir(s.root), engine.WithClient("suite"), engine.WithBackend(backend))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		// Do not leave jobs of this case running.
		if jobs, err := e.List(context.Background(), engine.Filter{Running: true}); err == nil {
			for _, j := range jobs {
				ctx, cancel := context.WithTimeout(context.Background(), Patience)
				e.Handle(j.ID).Stop(ctx, engine.StopOptions{Grace: engine.KillNow})
				cancel()
			}
		}
		if err := e.Close(); err != nil {
			s.Errorf("close the engine: %v", err)
		}
	})
	return e
}

func (s *suite) ctx() context.Context {
	ctx, cancel := context.WithTimeout(s.Context(), Patience)
	s.Cleanup(cancel)
	return ctx
}

// sh starts a script. adapt may change the request.
func (s *suite) sh(script string, adapt ...func(*engine.Spec)) engine.Job {
	s.Helper()
	spec := engine.Spec{Script: script, Host: s.cfg.Host}
	for _, f := range adapt {
		f(&spec)
	}
	j, err := s.e.Start(s.ctx(), spec)
	if err != nil {
		s.Fatalf("start: %v", err)
	}
	if s.cfg.Queues {
		return s.begun(j.ID)
	}
	return j
}

// begun waits until the job runs or has ended.
func (s *suite) begun(id engine.ID) engine.Job {
	s.Helper()
	for end := time.Now().Add(Patience); ; <-time.After(20 * time.Millisecond) {
		j := s.get(id)
		if j.Status != engine.Queued && j.Status != engine.Starting {
			return j
		}
		if time.Now().After(end) {
			s.Fatalf("the job does not begin: %+v", j)
		}
	}
}

func (s *suite) wait(id engine.ID) engine.Exit {
	s.Helper()
	exit, err := s.e.Handle(id).Wait(s.ctx())
	if err != nil {
		s.Fatalf("wait: %v", err)
	}
	return exit
}

func (s *suite) get(id engine.ID) engine.Job {
	s.Helper()
	j, err := s.e.Handle(id).Facts(s.ctx())
	if err != nil {
		s.Fatalf("get: %v", err)
	}
	return j
}

// output returns everything that the job has printed on a stream.
func (s *suite) output(id engine.ID, stream engine.Stream) string {
	s.Helper()
	var all []byte
	buf := make([]byte, 256<<10)
	for {
		n, _, err := ReadStream(s.ctx(), s.e.Handle(id), stream, buf, int64(len(all)))
		if err != nil {
			s.Fatalf("read the output: %v", err)
		}
		if n == 0 {
			return string(all)
		}
		all = append(all, buf[:n]...)
	}
}

// printed checks everything that the job has printed.
func (s *suite) printed(id engine.ID, want string) {
	s.Helper()
	if out := s.output(id, engine.StreamOutput); out != want {
		s.Errorf("output %q, want %q", out, want)
	}
}

// exits waits for the end of the job and checks its exit code.
func (s *suite) exits(id engine.ID, want int) {
	s.Helper()
	if exit := s.wait(id); s.code(exit) != want {
		s.Errorf("exit = %+v", exit)
	}
}

// done fails the case if what it did failed.
func (s *suite) done(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) changed(_ []engine.Job, err error) {
	s.Helper()
	s.done(err)
}

func (s *suite) kill(id engine.ID) {
	s.Helper()
	_, err := s.e.Handle(id).Stop(s.ctx(), engine.StopOptions{Grace: engine.KillNow})
	s.done(err)
}

// until polls the job, as a separate client, until its output satisfies ok.
func (s *suite) until(id engine.ID, ok func(string) bool) {
	s.Helper()
	ctx := s.ctx()
	cursor, all := int64(0), ""
	for {
		p, err := s.e.Handle(id).Poll(ctx, engine.PollOptions{Cursor: &cursor, Wait: Patience})
		if err != nil {
			s.Fatalf("after %q: %v", all, err)
		}
		cursor, all = p.Cursor, all+string(p.Output)
		if ok(all) {
			return
		}
		if p.Job.Status.Finished() && !p.More {
			s.Fatalf("the job ended as %s with the output %q", p.Job.Status, all)
		}
	}
}

func (s *suite) code(exit engine.Exit) int {
	s.Helper()
	if exit.Code == nil {
		s.Fatalf("no exit code: %+v", exit)
	}
	return *exit.Code
}

// terminal skips the case if jobs cannot have a terminal.
func (s *suite) terminal() {
	s.Helper()
	s.need(s.caps.PTY, "terminal")
	if s.cfg.Terminal != nil {
		s.cfg.Terminal(s)
	}
}

func (s *suite) need(there bool, what string) {
	if !there {
		s.Skipf("the backend has no %s", what)
	}
}

// ReadStream reads from one stream of a job. At its end, n is 0.
func ReadStream(ctx context.Context, h *engine.Handle, s engine.Stream, p []byte, off int64) (n int, size int64, err error) {
	log, err := h.Log(ctx, s)
	if err != nil {
		return 0, 0, err
	}
	defer log.Close()
	if size, err = log.Size(ctx); err != nil {
		return 0, 0, err
	}
	if n, err = log.ReadAt(ctx, p, off); errors.Is(err, io.EOF) {
		err = nil
	}
	return n, size, err
}
