package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// unwritable returns a state directory and a function that makes it read-only for this user.
func unwritable(t *testing.T) (state string, refuse func(jobDir string)) {
	t.Helper()
	if os.Geteuid() == 0 { // permissions do not bind root
		m := newMedium(t)
		return filepath.Join(m.dir, "state"), func(string) { m.fail(t) }
	}
	return filepath.Join(shortDir(t), "state"), func(jobDir string) {
		if err := os.Chmod(jobDir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(jobDir, 0o700) })
	}
}

// A job whose end its holder cannot record is gone nevertheless: a kill says what is missing, and
// every later look, which asks the holder, shows the end.
func TestKillOnReadOnlyDisk(t *testing.T) {
	t.Parallel()
	state, refuse := unwritable(t)
	open := func() *engine.Engine {
		e, err := engine.New(engine.WithStateDir(state), engine.WithBackend(local.New()), engine.WithClient("cli"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		return e
	}
	e := open()
	j, err := e.Start(t.Context(), engine.Spec{PTY: true, Script: "echo begun; sleep 600"})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(j.OutputPath)
	began, err := e.Handle(j.ID).Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reserved(t, dir)
	t.Cleanup(func() { // it keeps trying to record the end
		_ = unix.Kill(began.Holder.PID, unix.SIGKILL)
	})
	refuse(dir)
	_, err = e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow})
	if err == nil || !strings.Contains(err.Error(), "it has ended, but the end cannot be recorded") {
		t.Errorf("kill: %v", err)
	}
	if err := unix.Kill(began.Leader.PID, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("its process: %v", err)
	}
	for name, e := range map[string]*engine.Engine{"the engine that stopped it": e, "another one": open()} {
		jobs, err := e.List(t.Context(), engine.Filter{})
		if err != nil || len(jobs) != 1 {
			t.Fatalf("%s lists %+v, %v", name, jobs, err)
		}
		if got := jobs[0]; got.Status != engine.Killed || got.Exit.Reason != engine.ReasonKill || got.Unrecorded == nil {
			t.Errorf("%s lists it as %s (%s)", name, got.Status, got.Exit.Reason)
		}
		if running, err := e.List(t.Context(), engine.Filter{Running: true}); err != nil || len(running) > 0 {
			t.Errorf("%s lists %d running jobs, %v", name, len(running), err)
		}
		sub := e.Subscribe(engine.Filter{})
		events, err := sub.Next(t.Context())
		if err != nil || len(events) == 0 {
			t.Fatalf("%s publishes %+v, %v", name, events, err)
		}
		if got := events[0].Job.Status; got != engine.Killed {
			t.Errorf("%s publishes it as %s", name, got)
		}
		_ = sub.Close()
		if exit, err := e.Handle(j.ID).Wait(t.Context()); !errors.Is(err, engine.ErrUnrecorded) || exit.Status != engine.Killed {
			t.Errorf("%s waits until %+v, %v", name, exit, err)
		}
		if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, j.ID); !errors.Is(err, engine.ErrUnrecorded) {
			t.Errorf("%s clears it: %v", name, err)
		}
	}
}

// A job that waits does not start after a kill, although its queue cannot be changed on a read-only disk.
func TestKillWaitingJobsOnReadOnlyDisk(t *testing.T) {
	t.Parallel()
	m := newMedium(t)
	e, err := engine.New(engine.WithStateDir(filepath.Join(m.dir, "state")), engine.WithBackend(local.New()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	start := func(spec engine.Spec) engine.Job {
		t.Helper()
		spec.Backgrounded = true
		j, err := e.Start(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { // a holder keeps trying to record the end
			if p, ok := proc.LockHolder(filepath.Join(filepath.Dir(j.OutputPath), jobdir.LockFile)); ok && proc.IsHolder(p.PID) {
				_ = unix.Kill(p.PID, unix.SIGKILL)
			}
		})
		return j
	}
	status := func(j engine.Job) engine.Status {
		t.Helper()
		now, err := e.Handle(j.ID).Facts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return now.Status
	}
	ended := start(engine.Spec{Script: "true", Queue: "other"})
	eventually(t, "the first job ends", func() bool { return status(ended) == engine.Exited })
	first := start(engine.Spec{Script: "sleep 600", Queue: "q"})
	inQueue := start(engine.Spec{Script: "sleep 600", Queue: "q"})
	after := start(engine.Spec{Script: "sleep 600", After: []engine.ID{first.ID}})
	again := start(engine.Spec{Script: "exit 3", Restart: "always"})
	eventually(t, "it waits for a long time between two runs", func() bool {
		now, err := e.Handle(again.ID).Facts(t.Context())
		return err == nil && now.Runs != nil && now.Runs.Count > 2 && now.Status == engine.Queued
	})
	m.fail(t)
	for _, tc := range []struct {
		name string
		job  engine.Job
		says string
		then engine.Status
	}{
		{"one that waits in a queue", inQueue, "it will not start, but that cannot be recorded: ", engine.Lost},
		{"one that waits for another", after, "it will not start, but that cannot be recorded: ", engine.Lost},
		{"one between two runs", again, "it has ended, but the end cannot be recorded: ", engine.Killed},
		{"one that has ended", ended, engine.ErrNotRunning.Error(), engine.Exited},
		{"one that runs", first, "it has ended, but the end cannot be recorded: ", engine.Killed},
	} {
		_, err := e.Handle(tc.job.ID).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow})
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("kill of %s: %v", tc.name, err)
		}
		if got := status(tc.job); got != tc.then {
			t.Errorf("%s is %s, want %s", tc.name, got, tc.then)
		}
	}
}
