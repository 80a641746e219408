//go:build linux || darwin

package local_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool"
)

var separator = regexp.MustCompile(`── run (\d+) · \d\d:\d\d:\d\d ──`)

// numbers returns the numbers of the runs that the lines between them name.
func numbers(output string) string {
	var all []string
	for _, m := range separator.FindAllStringSubmatch(output, -1) {
		all = append(all, m[1])
	}
	return strings.Join(all, " ")
}

func TestRestartAfterEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, policy, script string
		code, count          int
	}{
		{"not needed", "on-failure", "exit 0", 0, 0},
		{"as often as allowed", "on-failure:2", "exit 3", 3, 2},
		{"until it succeeds", "on-failure", "test -e done && exit; touch done; exit 3", 0, 1},
		{"after success as often as allowed", "always:1", "exit 0", 0, 1},
		{"killed by a signal", "on-failure:1", "kill -SEGV $$", 139, 1},
	} {
		for _, spec := range []engine.Spec{{PTY: true}, {}, {TTYStdin: true}, {Stdin: true}} {
			t.Run(fmt.Sprintf("%s/pty %v, tty %v, pipe %v", tt.name, spec.PTY, spec.TTYStdin, spec.Stdin), func(t *testing.T) {
				t.Parallel()
				spec.Dir, spec.Restart, spec.Script = shortDir(t), tt.policy, "printf out; "+tt.script
				s := newPlace(t).start(t, spec)
				exit := s.wait(t)
				st := s.state(t)
				if exit.Code == nil || *exit.Code != tt.code || st.Runs == nil || st.Runs.Count != tt.count || !st.Runs.NextAt.IsZero() {
					t.Errorf("end %+v, runs %+v", exit, st.Runs)
				}
				out := s.output(t)
				if want := []string{"", "2", "2 3"}[tt.count]; numbers(out) != want || strings.Count(out, "out") != tt.count+1 {
					t.Errorf("output %q", out)
				}
				if tt.count > 0 && !strings.Contains(separator.ReplaceAllString(out, "=")+"\n", "\n=") && !spec.PTY {
					t.Errorf("a run does not begin on a line of its own: %q", out)
				}
			})
		}
	}
}

// Each run gets the terminal as the first one did.
func TestNextRunGetsCleanTerminal(t *testing.T) {
	testtool.Need(t, "ps")
	t.Parallel()
	s := newPlace(t).start(t, engine.Spec{
		PTY: true, Dir: shortDir(t), Restart: "on-failure:1",
		Script: `stty -g; tty; ps -o tpgid= -p $$ | grep -qw $$ && echo foreground
printf '\033[?1049h\033[?25l\033[31m'; stty raw -echo; exit 1`,
	})
	s.wait(t)
	parts := separator.Split(s.output(t), -1)
	if len(parts) != 2 {
		t.Fatalf("output %q", parts)
	}
	clean := regexp.MustCompile(`\x1b(\[[0-?]*[!-/ ]*[@-~]|\][^\x1b]*\x1b\\|[78>]|[()]B)|\x0f|\r`)
	first := strings.Fields(clean.ReplaceAllString(parts[0], ""))
	second := strings.Fields(clean.ReplaceAllString(parts[1], ""))
	if len(first) != 3 || strings.Join(first, " ") != strings.Join(second, " ") {
		t.Errorf("the first run has %q, the second %q", first, second)
	}
	screen, err := s.run.Screen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if main, _, _ := strings.Cut(screen.Main, "\x1b[?1049h"); !separator.MatchString(main) {
		t.Errorf("the line between the runs is not on the main screen: %q", screen.Main)
	}
}

// What a run left running would keep what the next one needs, such as a port.
func TestRemainsEndWithTheirRun(t *testing.T) {
	t.Parallel()
	for _, pty := range []bool{true, false} {
		t.Run(fmt.Sprintf("pty %v", pty), func(t *testing.T) {
			t.Parallel()
			s := newPlace(t).start(t, engine.Spec{
				PTY: pty, Dir: shortDir(t), Restart: "on-failure:1",
				Script: `test -s left && { kill -0 $(cat left) && echo there || echo gone; exit 0; }
sleep 1000 & echo $! > left; exit 1`,
			})
			s.wait(t)
			if out := s.output(t); !strings.Contains(out, "gone") || strings.Contains(out, "there") {
				t.Errorf("output %q", out)
			}
		})
	}
}

// Without its holder, only the record of a run proves that what the run left belongs to the job.
func TestKilledHolderLeavesRecordOfDaemons(t *testing.T) {
	testtool.Need(t, "setsid")
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{
		Dir: shortDir(t), Restart: "on-failure",
		Script: "test -e left && exec sleep 1000; env -i setsid -f sleep 1000; echo > left; exit 1",
	})
	var left []engine.Process
	eventually(t, "the next run, and what the one before left", func() bool {
		st := s.state(t)
		if st.Runs == nil || st.Runs.Last == nil {
			return false
		}
		left = st.Runs.Last.Survivors
		return len(left) > 0 && st.Leader.PID > 0
	})
	st := s.state(t)
	if err := proc.Signal(st.Holder, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.wait(t)
	if o := p.observe(t, s.dir); o.Status != engine.Lost || len(o.Exit.Survivors) != 2 {
		t.Errorf("status %s, survivors %+v; want the daemon and the leader", o.Status, o.Exit.Survivors)
	}
	if _, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); err != nil {
		t.Errorf("stop: %v", err)
	}
	for _, one := range left {
		if proc.Alive(proc.Identity{PID: one.PID, Start: one.Start}) {
			t.Errorf("%+v still runs", one)
		}
	}
}

// The limit is that of the log of all runs, however many there are.
func TestLogLimitOfAllRuns(t *testing.T) {
	t.Parallel()
	const limit = 2 << 20
	s := newPlace(t).start(t, engine.Spec{LogLimit: limit, Restart: "on-failure:2", Script: "seq -f %099.f 1 30000; exit 3"})
	s.wait(t)
	st := s.state(t)
	if st.NoLimit {
		t.Skip("this file system cannot free bytes")
	}
	o, err := s.run.OpenOutput(t.Context(), engine.StreamOutput)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	size, err := o.Size(t.Context())
	if err != nil || size < 3*30_000*100 || st.Runs.Count != 2 {
		t.Fatalf("%d bytes of 3 runs, %+v, %v", size, st.Runs, err)
	}
	// Bytes are freed in steps.
	if kept := size - st.Dropped; st.Dropped != st.Hole.End-st.Hole.Start || kept > limit+limit/2 {
		t.Errorf("%d bytes kept, hole %+v, dropped %d", kept, st.Hole, st.Dropped)
	}
}

// A command that could be started once is tried again: it may be replaced by a new build just now.
func TestRestartOfMissingCommand(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	path := filepath.Join(dir, "command")
	testtool.WriteScript(t, path, `rm "$0"; exit 1`)
	s := newPlace(t).start(t, engine.Spec{Command: []string{path}, Dir: dir, Restart: "on-failure:2"})
	if exit := s.wait(t); exit.Status != engine.Failed || exit.Reason != engine.ReasonSpawn || *exit.Code != 127 {
		t.Errorf("end %+v", exit)
	}
	if st := s.state(t); st.Runs.Count != 2 {
		t.Errorf("runs %+v", st.Runs)
	}
}

func TestFirstStartThatFailsIsTheEnd(t *testing.T) {
	t.Parallel()
	s := newPlace(t).start(t, engine.Spec{Command: []string{"/nowhere/command"}, Restart: "always"})
	if exit := s.wait(t); exit.Status != engine.Failed || numbers(s.output(t)) != "" {
		t.Errorf("end %+v, output %q", exit, s.output(t))
	}
}

// between waits until a run has ended and the next one is at least left away.
func (s started) between(t *testing.T, left time.Duration) engine.State {
	t.Helper()
	var st engine.State
	eventually(t, "a pause between two runs", func() bool {
		st = s.state(t)
		return st.Runs.Between() && time.Until(st.Runs.NextAt) > left
	})
	return st
}

func TestStopBetweenRuns(t *testing.T) {
	t.Parallel()
	for by, stop := range map[string]func(s started) error{
		"test": func(s started) error {
			_, err := s.run.Stop(t.Context(), engine.StopOptions{By: "test", Reason: engine.ReasonKill})
			return err
		},
		"Ctrl+C": func(s started) error { return s.run.Write(t.Context(), []byte{3}) },
		"signal": func(s started) error { return s.run.Signal(t.Context(), "SIGINT", "signal") },
	} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			var exit engine.Exit
			for range 10 {
				s := newPlace(t).start(t, engine.Spec{PTY: true, Script: "exit 1", Restart: "always"})
				s.between(t, 3*time.Second)
				if err := stop(s); err != nil {
					t.Fatal(err)
				}
				if exit = s.wait(t); exit.Code == nil {
					break
				}
				// On a slow machine the next run may have begun.
			}
			if exit.Status != engine.Killed || exit.Code != nil || exit.Reason != engine.ReasonKill || exit.EndedBy != by {
				t.Errorf("end %+v", exit)
			}
		})
	}
}

// The timeout is that of all runs together.
func TestTimeoutEndsJobThatIsRestarted(t *testing.T) {
	t.Parallel()
	s := newPlace(t).start(t, engine.Spec{PTY: true, Script: "sleep 0.1; exit 1", Restart: "always", Timeout: 2 * time.Second})
	if exit := s.wait(t); exit.Status != engine.Killed || exit.Reason != engine.ReasonTimeout {
		t.Errorf("end %+v", exit)
	}
}

func TestInterruptedJobIsNotRestarted(t *testing.T) {
	t.Parallel()
	s := newPlace(t).start(t, engine.Spec{PTY: true, Script: "trap 'exit 5' INT; echo up; while :; do sleep 0.01; done", Restart: "always"})
	eventually(t, "the trap", func() bool { return strings.Contains(s.output(t), "up") })
	if err := s.run.Write(t.Context(), []byte{3}); err != nil {
		t.Fatal(err)
	}
	if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 5 || numbers(s.output(t)) != "" {
		t.Errorf("end %+v, output %q", exit, s.output(t))
	}
}

// A program may handle a signal that asks it to end, and then exits with a code of its own.
func TestJobThatIsAskedToEndIsNotRestarted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"SIGINT", "SIGTERM"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPlace(t).start(t, engine.Spec{Script: "trap 'exit 5' INT TERM; echo up; while :; do sleep 0.01; done", Restart: "always"})
			eventually(t, "the trap", func() bool { return strings.Contains(s.output(t), "up") })
			if err := s.run.Signal(t.Context(), name, "test"); err != nil {
				t.Fatal(err)
			}
			_ = s.run.Signal(t.Context(), "SIGCONT", "test") // as timeout(1) does; the job may have ended
			if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 5 || numbers(s.output(t)) != "" {
				t.Errorf("end %+v, output %q", exit, s.output(t))
			}
		})
	}
}

var killsOfRuns = flag.Int("kills", 12, "how many jobs are killed around a restart")

// A request to end a job wins at any moment: at the start of a run, at its end, and in between.
func TestKillWinsAgainstRestart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	slots := make(chan struct{}, 6)
	for i := range *killsOfRuns {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			killAroundRestart(t, p, i%2 == 0)
		})
	}
}

func killAroundRestart(t *testing.T, p *place, pty bool) {
	dir := shortDir(t)
	s := p.start(t, engine.Spec{PTY: pty, Dir: dir, Script: "echo $$ >> runs; exit 1", Restart: "always"})
	st := s.between(t, 0)
	// This waits for nothing: the kill comes at any moment around the restart.
	time.Sleep(time.Until(st.Runs.NextAt) + time.Duration(rand.IntN(30_000)-10_000)*time.Microsecond)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := s.run.Stop(ctx, engine.StopOptions{By: "test", Reason: engine.ReasonKill}); err != nil && !errors.Is(err, engine.ErrNotRunning) {
		t.Fatal(err)
	}
	runs := func() int {
		data, err := os.ReadFile(filepath.Join(dir, "runs"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(data), "\n")
	}
	st, before := s.state(t), runs()
	if !st.Exit.Known() || before > st.Runs.Count+1 {
		t.Fatalf("stopped after %d runs: %+v", before, st)
	}
	eventually(t, "the end of the holder", func() bool { return !jobdir.Locked(s.dir) })
	if after := runs(); after != before {
		t.Errorf("%d runs before the end, %d after it", before, after)
	}
}
