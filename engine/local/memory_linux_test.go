package local_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

// When memory runs out, the kernel must end a job rather than its holder: with the holder, the
// record of the end and the terminal would be lost.
func TestOOMKillsJobBeforeHolder(t *testing.T) {
	t.Parallel()
	for name, pty := range map[string]bool{"terminal": true, "file": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := p.start(t, engine.Spec{Script: "sleep 1000", PTY: pty})
			st := s.state(t)
			holder := oomAdjust(t, st.Holder.PID)
			eventually(t, "the job counts for more than its holder", func() bool {
				return oomAdjust(t, st.Leader.PID) > min(holder, 999)
			})
			if now := oomAdjust(t, st.Holder.PID); now != holder || now != oomAdjust(t, os.Getpid()) {
				t.Errorf("the holder's is %d, was %d", now, holder)
			}
		})
	}
}

func oomAdjust(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/oom_score_adj")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A holder that runs out of memory is ended by the kernel, or by its own runtime: then the job is
// lost, its log remains, and its survivors are found by their environment.
func TestHolderWithoutMemory(t *testing.T) {
	t.Parallel()
	for name, squeeze := range map[string]func(*testing.T, int){"control group": intoSmallGroup, "limit": limitMemory} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			mark := filepath.Join(t.TempDir(), "mark")
			s := p.start(t, engine.Spec{PTY: true, Command: []string{"sh", "-c", `echo before; setsid sh -c 'echo >"$0"; exec sleep 1000' "$0" & read x; yes "$1" | head -c 50000000; read x`, mark, strings.Repeat("x", 3000)}})
			s.printed(t, "before")
			eventually(t, "the other session", func() bool { _, err := os.Stat(mark); return err == nil })
			holder := s.state(t).Holder.PID
			keepsCrashLog(t, holder, s.dir)
			squeeze(t, holder)
			// A large screen takes memory once it is filled.
			_ = s.run.Resize(t.Context(), engine.Size{Cols: 4000, Rows: 4000})
			_ = s.run.Write(t.Context(), []byte("\r"))
			exit := s.wait(t)
			if exit.Status != engine.Lost || exit.Reason != engine.ReasonHolderDied || exit.Code != nil {
				t.Errorf("exit %+v", exit)
			}
			if name == "limit" && !strings.Contains(exit.Error, "its holder failed: ") {
				t.Errorf("the error is %q", exit.Error)
			}
			if _, ok := jobdir.ReadExitCode(s.dir); ok {
				t.Error("it left an exit code")
			}
			if out := s.output(t); !strings.HasPrefix(out, "before\r\n") {
				t.Errorf("log %q", out)
			}
			eventually(t, "what is left is found", func() bool {
				left := p.observe(t, s.dir).Exit.Survivors
				return len(left) == 1 && left[0].Command == "sleep 1000"
			})
			report, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"})
			if err != nil || len(report.Survivors) > 0 {
				t.Errorf("kill what is left: %+v, %v", report, err)
			}
		})
	}
}

// limitMemory limits the process to its current memory.
func limitMemory(t *testing.T, pid int) {
	t.Helper()
	if err := unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}, nil); err != nil {
		t.Fatal(err)
	}
}

// intoSmallGroup moves the process into a control group of its own with little memory.
func intoSmallGroup(t *testing.T, pid int) {
	t.Helper()
	testtool.NeedRoot(t)
	const limit = "16777216"
	name := "hob-test-" + strconv.Itoa(pid)
	for _, h := range []struct{ root, file string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, // cgroup version 1
		{"/sys/fs/cgroup", "memory.max"},
	} {
		dir := filepath.Join(h.root, name)
		if os.Mkdir(dir, 0o700) != nil {
			continue
		}
		t.Cleanup(func() {
			eventually(t, "the group is empty", func() bool { err := os.Remove(dir); return err == nil || errors.Is(err, fs.ErrNotExist) })
		})
		if setting(dir, h.file, limit) != nil {
			continue
		}
		_ = setting(dir, "memory.swap.max", "0")
		if setting(dir, "cgroup.procs", strconv.Itoa(pid)) == nil {
			return
		}
	}
	t.Skip("no control group with a limit of memory can be made")
}

// setting writes to a file of a control group. It creates none, where no control groups are mounted.
func setting(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}
