package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/grouplog"
	"github.com/hobjobs/hob/internal/app/project"
)

// upStream starts the processes of a project and prints the output of all of them as one stream.
type upStream struct {
	*upRun
	chosen []project.Process
	wait   bool // until all have ended; the jobs do not outlive hob

	stopStarts context.CancelFunc
	started    chan struct{}  // closed when no process is started any more
	codes      map[string]int // exit codes of the processes that have ended

	mu       sync.Mutex
	over     bool // the processes are being stopped
	code     int  // the exit code then
	stopping sync.WaitGroup
}

// inStream starts the processes and prints their output until no process is left, or until a signal or the reader
// ends it. Then the jobs keep running, unless hob waits for their end.
func (u *upRun) inStream(ctx context.Context, chosen []project.Process, f upFlags) error {
	ctx, release := leaveOnSignal(engine.WithLockNotice(ctx, nil))
	defer release()
	u.streams = true
	s := &upStream{
		upRun:   u,
		chosen:  chosen,
		wait:    f.wait,
		started: make(chan struct{}),
		codes:   map[string]int{},
	}
	u.Done = func(r project.Result) {
		u.done(r)
		if failed(r) {
			s.stopAll(exitFailed)
		}
	}
	err := u.app.whileRead(ctx, func(ctx context.Context) error { return s.run(ctx, f.output) })
	sig, signaled := errors.AsType[signalled](context.Cause(ctx))
	if signaled {
		err = sig.status()
	}
	if err != nil {
		s.stopAll(exitFailed)
		s.stopping.Wait()
	}
	switch {
	case signaled && s.wait:
		u.app.reportf("The processes are stopped")
	case signaled:
		u.app.reportf("The jobs keep running. To stop them: hob down")
	}
	if err != nil {
		return err
	}
	s.stopping.Wait()
	if !s.wait {
		return u.finish(nil)
	}
	return s.status()
}

// run starts the processes and prints their output. When it returns, none is started any more.
func (s *upStream) run(ctx context.Context, f logFlags) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	starts, stopStarts := context.WithCancel(ctx)
	s.stopStarts = stopStarts
	starting, started := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer stopStarts()
	f.follow = true
	m := newManyLog(s.app, nil, engine.Filter{Here: true, Labels: s.Group.Labels()}, f)
	m.width, m.starting, m.begun, m.wants, m.ended = s.width, starting, s.begun, s.has, s.ended
	stream, err := grouplog.Open(ctx, s.Engine, grouplog.Options{Filter: m.filter, Follow: true})
	if err != nil {
		close(s.started)
		started()
		return err
	}
	defer stream.Close()
	work.Go(func() {
		if err := s.Run(starts, s.chosen); err != nil && starts.Err() == nil {
			cancel(err)
		}
		close(s.started)
		started()
	})
	err = m.copyFrom(ctx, stream)
	if errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// begun returns the jobs of the processes that were started.
func (s *upStream) begun() (ids []engine.ID) {
	s.upRun.mu.Lock()
	defer s.upRun.mu.Unlock()
	for _, r := range s.results {
		if r.Job != nil && r.Error == "" && s.has(*r.Job) {
			ids = append(ids, r.Job.ID)
		}
	}
	return ids
}

// has reports whether a job runs one of the processes.
func (s *upStream) has(j engine.Job) bool { return s.process(j) != nil }

func (s *upStream) process(j engine.Job) *project.Process {
	i := slices.IndexFunc(s.chosen, func(p project.Process) bool { return p.Name == project.ProcessOf(j) })
	if i < 0 {
		return nil
	}
	return &s.chosen[i]
}

// ended notes how a process has ended, and stops the others if its file says so. It reports whether a process that
// was stopped may be started again.
func (s *upStream) ended(j engine.Job) (mayRestart bool) {
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	if over || !s.wait {
		return !over
	}
	proc, code := s.process(j), ownCode(j.Exit)
	s.codes[proc.Name] = code
	if !proc.EndsAll.At(j.Exit) {
		return true
	}
	s.app.reportf("The other processes are stopped, as the file says for %s", escape(proc.Name))
	s.stopAll(code)
	return false
}

// stopAll stops the processes, if hob waits for them. It does not wait for that.
func (s *upStream) stopAll(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || !s.wait {
		return
	}
	s.over, s.code = true, code
	s.stopStarts()
	s.stopping.Go(func() {
		<-s.started
		ctx := context.Background() // a signal is the reason for it
		jobs, err := s.Group.Running(ctx, s.Engine)
		jobs = slices.DeleteFunc(jobs, func(j engine.Job) bool { return !s.has(j) })
		stopped := func(j engine.Job, r engine.StopReport) error { return notEnded(s.app, j, r) }
		if err = errors.Join(err, project.Down(ctx, s.Engine, jobs, project.ByUp, stopped)); err != nil {
			s.app.report(err)
		}
	})
}

// status returns the exit status once all have ended: that of the process that ended all, or else the first one
// that is not 0, in the order of the processes.
func (s *upStream) status() error {
	code := s.code
	if !s.over {
		for _, proc := range s.chosen {
			code = cmp.Or(code, s.codes[proc.Name])
		}
	}
	if code == 0 {
		return nil
	}
	return exitStatus(code)
}
