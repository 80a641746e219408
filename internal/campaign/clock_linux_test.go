package campaign

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

var setClock = flag.Duration("campaign.clock", 0, "by how much to set the machine's clock while jobs run, for a moment (0: not at all)")

// jobTimes are the fields of a job that depend on clocks.
type jobTimes struct {
	job
	Uptime   *float64   `json:"uptime_seconds"`
	Started  *time.Time `json:"started_at"`
	Ended    *time.Time `json:"ended_at"`
	Deadline *time.Time `json:"deadline_at"`
	Restart  *struct {
		Count  int        `json:"count"`
		NextAt *time.Time `json:"next_at"`
	} `json:"restart"`
}

// A clock is what hob runs under: a program with arguments, none for the machine's own clocks.
type clock []string

// ahead and behind are time namespaces whose clocks since boot differ from those of the machine.
// The other one cannot be before the boot.
var (
	ahead    = clock{"unshare", "--fork", "--time", "--boottime", "40000000", "--monotonic", "30000000"}
	behind   = clock{"unshare", "--fork", "--time", "--boottime", "-40", "--monotonic", "-30"}
	rebooted = clock{"unshare", "--fork", "--mount", "--time", "--boottime", "40000000", "--monotonic", "30000000", "sh", "-c",
		`mount --bind "$HOME/boot_id" /proc/sys/kernel/random/boot_id && exec "$0" "$@"`}
)

// ask runs hob under the clock c.
func (w *world) ask(t *testing.T, c clock, args ...string) string {
	t.Helper()
	cmd := w.Command(args...)
	if len(c) > 0 {
		path, err := exec.LookPath(c[0])
		if err != nil {
			t.Fatal(err)
		}
		cmd = &exec.Cmd{Path: path, Dir: cmd.Dir, Env: cmd.Env, Args: append(append(append([]string{}, c...), cmd.Path), args...)}
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", cmd.Args, err, complaints.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// times returns what hob under the clock c reports about a job.
func (w *world) times(t *testing.T, c clock, id string) jobTimes {
	t.Helper()
	var j jobTimes
	if err := json.Unmarshal([]byte(w.ask(t, c, "status", "--json", id)), &j); err != nil {
		t.Fatal(err)
	}
	return j
}

// TestClocksOfOtherNamespaces starts jobs under clocks since boot that are a year ahead of or behind
// those under which clients look at them and stop them. A namespace is the only way to move these
// clocks; containers and restored machines have their own.
func TestClocksOfOtherNamespaces(t *testing.T) {
	testtool.NeedMounts(t)
	testtool.Need(t, "unshare", "mount")
	if out, err := exec.Command(ahead[0], append(ahead[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("no time namespace: %v: %s", err, out)
	}
	clocks := map[string]clock{"machine": nil, "ahead": ahead, "behind": behind}
	for of, holders := range clocks {
		for at, clients := range clocks {
			t.Run(of+" seen from "+at, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.judgeTimes(t, holders, clients)
				w.judgeLost(t, holders, clients)
			})
		}
	}
}

// judgeTimes compares the times of a running job, one that its timeout ends and one that restarts.
func (w *world) judgeTimes(t *testing.T, holders, clients clock) {
	t.Helper()
	begun := time.Now()
	id := w.ask(t, holders, "run", "-b", "--timeout", "10h", "--", "sleep", "1000")
	j := w.times(t, clients, id)
	switch past := time.Since(begun); {
	case j.Status != "running" || j.Uptime == nil || j.Deadline == nil:
		t.Errorf("a running job: %v", j)
	case *j.Uptime > past.Seconds():
		t.Errorf("up %v seconds after %v", *j.Uptime, past)
	case j.Deadline.Before(begun.Add(10*time.Hour-time.Second)) || j.Deadline.After(time.Now().Add(10*time.Hour+time.Second)):
		t.Errorf("its timeout of 10 hours expires at %v, begun at %v", j.Deadline, begun)
	}
	w.ask(t, clients, "kill", id)
	if j := w.times(t, nil, id); j.Status != "killed" || j.Uptime == nil || *j.Uptime > time.Since(begun).Seconds() {
		t.Errorf("killed: %v after %v", j, text(j.Uptime))
	}

	id = w.ask(t, holders, "run", "-b", "--timeout", "1s", "--", "sleep", "1000")
	err := stage.Eventually("its timeout ends it", func() bool { return w.times(t, clients, id).finished() })
	if j := w.times(t, clients, id); err != nil || text(j.Reason) != " timeout" || j.Uptime == nil || *j.Uptime < 1 || *j.Uptime > time.Since(begun).Seconds() {
		t.Errorf("%v: timed out: %v after %v", err, j, text(j.Uptime))
	}

	id = w.ask(t, holders, "run", "-b", "--restart", "on-failure:1", "-c", "exit 3")
	err = stage.Eventually("the command restarts", func() bool {
		j := w.times(t, clients, id)
		if next := j.Restart.NextAt; next != nil && (next.Before(begun) || next.After(time.Now().Add(time.Minute))) {
			t.Errorf("it restarts at %v, now is %v", next, time.Now())
			return true
		}
		return j.finished()
	})
	if j := w.times(t, clients, id); err != nil || j.Restart.Count != 1 || text(j.Code) != " 3" {
		t.Errorf("restarted once: %v, %v, %+v", err, j, j.Restart)
	}
}

// judgeLost kills holders whose jobs go on: under all clocks of this boot their processes are known and
// ended, and seen first after a reboot there are none.
func (w *world) judgeLost(t *testing.T, holders, clients clock) {
	t.Helper()
	id := w.orphan(t, holders, "left")
	err := stage.Eventually("the job is lost", func() bool { return w.times(t, clients, id).finished() })
	if j := w.times(t, clients, id); err != nil || j.Status != "lost" || text(j.Reason) != " holder_died" || len(j.Survivors) == 0 {
		t.Errorf("%v: %v, want it lost with what it left running", err, j)
	}
	w.ask(t, clients, "kill", "--grace", "1ms", id)
	if j := w.times(t, clients, id); len(j.Survivors) != 0 {
		t.Errorf("killed: %v", j)
	}

	id = w.orphan(t, holders, "before")
	if err := os.WriteFile(filepath.Join(w.Dir, "boot_id"), []byte("11111111-2222-4333-8444-555555555555\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if j := w.times(t, rebooted, id); j.Status != "lost" || text(j.Reason) != " reboot" || len(j.Survivors) != 0 {
		t.Errorf("after a reboot: %v", j)
	}
}

// orphan starts a job whose holder is killed while the job runs for some more seconds.
func (w *world) orphan(t *testing.T, holders clock, name string) (id string) {
	t.Helper()
	id = w.ask(t, holders, "run", "-b", "-n", name, "-c", `trap '' HUP TERM; echo up; for i in $(seq 60); do sleep 1; done`)
	w.ask(t, holders, "wait", "--for", "up", id)
	holder, ok := w.holder(name)
	if !ok {
		t.Fatal("no holder")
	}
	if err := proc.Signal(holder, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := stage.Eventually("end of the holder", func() bool { return !proc.Alive(holder) }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.endOrphans(id) })
	return id
}

// endOrphans kills the processes of a job that has no holder.
func (w *world) endOrphans(id string) {
	st, err := jobdir.ReadState(filepath.Join(w.State, "jobs", id))
	if err == nil && proc.Alive(st.Leader) {
		_ = syscall.Kill(-st.Leader.PID, syscall.SIGKILL)
	}
}

// TestClockIsSet sets the machine's clock while jobs run, ahead and back. Everything else on the
// machine sees it too, so it must be asked for.
func TestClockIsSet(t *testing.T) {
	if *setClock == 0 {
		t.Skip("-campaign.clock is not given")
	}
	testtool.NeedRoot(t)
	for name, by := range map[string]time.Duration{"ahead": *setClock, "back": -*setClock} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			begun := time.Now()
			running := w.Must(t, "run", "-b", "--timeout", "10h", "--", "sleep", "1000")
			ends := w.Must(t, "run", "-b", "--timeout", "2s", "--", "sleep", "1000")
			restarts := w.Must(t, "run", "-b", "--restart", "on-failure:1", "-c", "exit 3")
			w.judgeClockSet(t, by, begun, running, ends)
			if err := stage.Eventually("all are over", func() bool {
				return w.times(t, nil, ends).finished() && w.times(t, nil, restarts).finished()
			}); err != nil {
				t.Error(err)
			}
			j := w.times(t, nil, ends)
			if text(j.Reason) != " timeout" || *j.Uptime < 2 || *j.Uptime > time.Since(begun).Seconds() || j.Ended.Before(*j.Started) {
				t.Errorf("timed out: %v after %v", j, *j.Uptime)
			}
			if j := w.times(t, nil, restarts); j.Restart.Count != 1 || text(j.Code) != " 3" {
				t.Errorf("restarted once: %v", j)
			}
			w.Must(t, "kill", running)
			if j := w.times(t, nil, running); *j.Uptime > time.Since(begun).Seconds() {
				t.Errorf("up %v seconds after %v", *j.Uptime, time.Since(begun))
			}
		})
	}
}

// judgeClockSet looks at the jobs while the clock is set: one with a timeout of ten hours, one that
// its timeout ends meanwhile or later.
func (w *world) judgeClockSet(t *testing.T, by time.Duration, begun time.Time, running, ends string) {
	t.Helper()
	moveClock(t, by)
	defer moveClock(t, -by)
	j := w.times(t, nil, running)
	past := time.Since(begun)
	due := begun.Round(0).Add(by + 10*time.Hour)
	if j.Status != "running" || *j.Uptime > past.Seconds() {
		t.Errorf("%v, up %v seconds after %v", j, *j.Uptime, past)
	}
	if off := j.Deadline.Sub(due); off < -2*time.Second || off > past+2*time.Second {
		t.Errorf("its timeout expires at %v, which is off by %v", j.Deadline, off)
	}
	if j := w.times(t, nil, ends); past < 2*time.Second && j.finished() {
		t.Errorf("ended after %v: %v", past, j)
	}
}

func moveClock(t *testing.T, by time.Duration) {
	t.Helper()
	ts := unix.NsecToTimespec(time.Now().Round(0).Add(by).UnixNano())
	if err := unix.ClockSettime(unix.CLOCK_REALTIME, &ts); err != nil {
		testtool.Missing(t, fmt.Sprint("needs to set the clock: ", err))
	}
}
