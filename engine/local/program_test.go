//go:build linux || darwin

package local_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// A program that holds jobs itself has children of its own. Stopping a job that has ended must not
// treat them as survivors.
func TestStopSparesChildrenOfProgram(t *testing.T) {
	t.Parallel()
	s := newPlace(t, local.InProcess()).start(t, engine.Spec{Script: "exit 3"})
	if exit := s.wait(t); exit.Status != engine.Exited {
		t.Fatalf("exit %+v", exit)
	}
	child := exec.Command("sleep", "1000")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	id, err := proc.IdentityOf(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	// The end is reported before the job is released.
	eventually(t, "the job is let go", func() bool {
		_, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"})
		return err != nil
	})
	if !proc.Alive(id) {
		t.Error("a stop of a job that had ended killed a child of this program")
	}
}

// Jobs that a program holds itself end with it, and their ends are recorded, since no other process
// could observe them.
func TestInProcessJobsEndWithProgram(t *testing.T) {
	t.Parallel()
	for name, spec := range map[string]engine.Spec{
		"terminal":        {Script: "echo pid $$; exec sleep 1000", PTY: true},
		"no terminal":     {Script: "echo pid $$; exec sleep 1000"},
		"ignores SIGHUP":  {Script: "trap '' HUP; echo pid $$; exec sleep 1000", PTY: true},
		"ignores SIGTERM": {Script: "trap '' HUP TERM; echo pid $$; while :; do sleep 0.01; done", Grace: 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, local.InProcess())
			s := p.start(t, spec)
			ids := s.pids(t, 1)
			if err := p.b.Close(); err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				if proc.Alive(id) {
					t.Errorf("process %d still runs", id.PID)
				}
			}
			st, err := jobdir.ReadState(s.dir)
			if err != nil || !st.Exit.Known() || st.Exit.Status != "killed" || st.Exit.Reason != "kill" {
				t.Errorf("state %+v, %v", st, err)
			}
		})
	}
}

// A job that is being started when the program releases its jobs is one of them.
func TestInProcessJobStartedDuringClose(t *testing.T) {
	p := newPlace(t, local.InProcess())
	l, err := p.make(engine.Spec{Script: "exec sleep 1000"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := p.make(engine.Spec{Script: "true"})
	if err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock() // the start proceeds until the fork
	free := sync.OnceFunc(syscall.ForkLock.RUnlock)
	defer free()
	started, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := p.b.Start(t.Context(), l)
		started <- err
	}()
	eventually(t, "the log is there", func() bool {
		_, err := os.Stat(filepath.Join(l.Dir, jobdir.OutputFile))
		return err == nil
	})
	go func() { closed <- p.b.Close() }()
	eventually(t, "nothing more is started", func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := p.b.Start(ctx, other)
		return errors.Is(err, engine.ErrClosed)
	})
	free()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	st, err := jobdir.ReadState(l.Dir)
	if err != nil || !st.Exit.Known() || st.Exit.Status != "killed" {
		t.Errorf("state %+v, %v", st, err)
	}
	if proc.Alive(st.Leader) {
		t.Errorf("process %d still runs", st.Leader.PID)
	}
}

// Concurrent stops of a job all report that it has ended, even between its end and the record of
// it.
func TestConcurrentStops(t *testing.T) {
	t.Parallel()
	p := newPlace(t, local.InProcess())
	for range 5 {
		s := p.start(t, engine.Spec{Script: "exec sleep 1000"})
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				for err := error(nil); err == nil; {
					_, err = s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"})
				}
				if _, ok := jobdir.ReadExitCode(s.dir); !ok {
					t.Error("it is said to have ended, and no end is recorded")
				}
			})
		}
		all.Wait()
	}
}
