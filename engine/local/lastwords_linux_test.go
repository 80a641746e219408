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

func TestFailedHolderLeavesATrace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "sleep 1000", PTY: true})
	log := filepath.Join(s.dir, "lock")
	// The Go runtime ends the program by this signal as by a panic.
	holder := s.state(t).Holder
	leavesWords(t, holder.PID, s.dir)
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

// leavesWords waits until what the holder pid says when it fails is kept in dir.
func leavesWords(t *testing.T, pid int, dir string) {
	t.Helper()
	eventually(t, "standard error is the lock", func() bool {
		link, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/2")
		return err == nil && link == filepath.Join(dir, jobdir.LockFile)
	})
}

func TestHolderThatEndsLeavesNoTrace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "exit 3", PTY: true})
	s.wait(t)
	eventually(t, "the holder has gone", func() bool { return !jobdir.Locked(s.dir) })
	if trace, err := os.ReadFile(filepath.Join(s.dir, "lock")); err != nil || len(trace) > 0 {
		t.Errorf("it left %q, %v", trace, err)
	}
}

// A holder of the version before wrote its trace to a file of its own.
func TestTraceOfAnOlderHolder(t *testing.T) {
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
