package local_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

func TestCrashedHolderLeavesTrace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "sleep 1000", PTY: true})
	log := filepath.Join(s.dir, "lock")
	// This signal makes the Go runtime crash like a panic.
	holder := s.state(t).Holder
	keepsCrashLog(t, holder.PID, s.dir)
	if err := proc.Signal(holder, syscall.SIGABRT); err != nil {
		t.Fatal(err)
	}
	exit := s.wait(t)
	if exit.Status != engine.Lost || !strings.Contains(exit.Error, "its holder failed: SIGABRT") {
		t.Errorf("exit %+v", exit)
	}
	if trace, err := os.ReadFile(log); err != nil || !strings.Contains(string(trace), "goroutine ") || len(trace) > 64<<10 {
		t.Errorf("trace of %d bytes, %v", len(trace), err)
	}
}

// keepsCrashLog waits until the stderr of the holder pid is redirected to a file in dir.
func keepsCrashLog(t *testing.T, pid int, dir string) {
	t.Helper()
	eventually(t, "standard error is the lock", func() bool {
		link, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/2")
		return err == nil && link == filepath.Join(dir, jobdir.LockFile)
	})
}

func TestExitedHolderLeavesNoTrace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "exit 3", PTY: true})
	s.wait(t)
	eventually(t, "the holder has gone", func() bool { return !jobdir.Locked(s.dir) })
	if trace, err := os.ReadFile(filepath.Join(s.dir, "lock")); err != nil || len(trace) > 0 {
		t.Errorf("it left %q, %v", trace, err)
	}
}

// A holder of the previous version wrote its trace to a file of its own.
func TestTraceOfEarlierHolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "sleep 1000", PTY: true})
	if err := os.WriteFile(filepath.Join(s.dir, "holder.log"), []byte("panic: of old\n\ngoroutine 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := proc.Signal(s.state(t).Holder, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if exit := s.wait(t); exit.Status != engine.Lost || !strings.Contains(exit.Error, "its holder failed: panic: of old") {
		t.Errorf("exit %+v", exit)
	}
}
