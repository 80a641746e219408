//go:build linux || darwin

package local_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/statedir"
)

// client returns this test binary as another program that starts jobs.
func client(t testing.TB, name string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), append(env, "HOB_TEST_CLIENT="+name)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// runClient is the main function of client.
func runClient(name string) int {
	root, err := statedir.OpenRoot(os.Getenv("HOB_TEST_ROOT"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p := &place{root: root, b: local.New()}
	switch name {
	case "starter": // starts jobs until it is killed
		for {
			l, err := p.makeHeld(engine.Spec{PTY: true, Script: os.Getenv("HOB_TEST_SCRIPT")})
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			fmt.Println(l.Dir)
			ctx, cancel := contextWithTimeout()
			_, err = p.b.Start(ctx, l)
			cancel()
			if err := errors.Join(err, l.Lock.Close()); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			fmt.Println("started")
		}
	case "untold": // starts a job but does not configure its holder
		l, err := p.makeHeld(engine.Spec{Script: "true"})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(l.Dir)
		_, _ = io.Copy(io.Discard, os.Stdin)
		runtime.KeepAlive(l)
		return 0
	case "one": // starts one job and exits
		kind := os.Getenv("HOB_TEST_KIND")
		l, err := p.makeHeld(engine.Spec{Script: os.Getenv("HOB_TEST_SCRIPT"), PTY: kind == "pty", TTYStdin: kind == "tty"})
		if err == nil {
			ctx, cancel := contextWithTimeout()
			defer cancel()
			_, err = p.b.Start(ctx, l)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(l.Dir)
		return 0
	}
	fmt.Fprintln(os.Stderr, "no client is called", name)
	return 2
}

// limitProcesses applies the limit in HOB_TEST_NPROC.
func limitProcesses() error {
	n, err := strconv.ParseUint(os.Getenv("HOB_TEST_NPROC"), 10, 64)
	if err != nil {
		return err
	}
	return unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: n, Max: n})
}

// observe returns a job's state by its directory.
func (p *place) observe(t testing.TB, dir string) engine.State {
	t.Helper()
	obs, err := p.b.Observe(t.Context(), []engine.Record{{ID: engine.ID(filepath.Base(dir)), Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	return obs[engine.ID(filepath.Base(dir))]
}

func TestKilledClientLosesNoJobs(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const script = "i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i+1)); done; exit 7"
	var want strings.Builder
	for i := range 200 {
		fmt.Fprintf(&want, "line %d\r\n", i)
	}
	for range 12 {
		cmd := client(t, "starter", "HOB_TEST_ROOT="+p.root.Path(), "HOB_TEST_SCRIPT="+script)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		var dirs []string
		confirmed := 0
		for kill := 1 + rand.IntN(8); lines.Scan(); {
			if line := lines.Text(); line == "started" {
				confirmed++
			} else {
				dirs = append(dirs, line)
			}
			if kill--; kill == 0 {
				time.AfterFunc(time.Duration(rand.IntN(4000))*time.Microsecond, func() { cmd.Process.Kill() })
			}
		}
		if err := lines.Err(); err != nil {
			t.Error(err)
		}
		cmd.Wait()
		for i, dir := range dirs {
			eventually(t, "end of "+dir, func() bool { return p.observe(t, dir).Status.Finished() })
			o := p.observe(t, dir)
			if i >= confirmed && o.Status == engine.Lost && strings.Contains(o.Exit.Error, "never started") {
				continue // killed before its holder was configured
			}
			if o.Status != engine.Exited || *o.Exit.Code != 7 {
				t.Errorf("job %d of a killed client: %s, %+v", i, o.Status, o.Exit)
			}
			if log, _ := os.ReadFile(filepath.Join(dir, jobdir.OutputFile)); string(log) != want.String() {
				t.Errorf("job %d of a killed client: %d bytes of log, want %d", i, len(log), want.Len())
			}
		}
	}
}

func TestClientKilledBeforeConfiguringHolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cmd := client(t, "untold", "HOB_TEST_ROOT="+p.root.Path())
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dir, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	dir = strings.TrimSpace(dir)
	if o := p.observe(t, dir); o.Status != engine.Starting {
		t.Errorf("while the client runs, the job is %s", o.Status)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	o := p.observe(t, dir)
	if o.Status != engine.Lost || o.Exit.Reason != engine.ReasonHolderDied || o.Exit.Code != nil || !strings.Contains(o.Exit.Error, "never started") {
		t.Errorf("after it was killed: %s, %+v", o.Status, o.Exit)
	}
}

// A program of another version then uses its own holder.
func TestHolderRejectsOtherVersion(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l, err := p.make(engine.Spec{Script: "exit 4"})
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"launch": 2, "dir": l.Dir, "env": []byte("PATH=/bin\x00"), "stdin": true})
	if err != nil {
		t.Fatal(err)
	}
	if said := answerOfHolder(t, exe, string(l.ID), config); !strings.Contains(said, `"unknown":true`) {
		t.Errorf("answer %q", said)
	}
	if _, err := os.Stat(filepath.Join(l.Dir, jobdir.StateFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it has a state: %v", err)
	}
}

// answerOfHolder starts the program exe as the holder of the job id, sends it config and returns
// its whole reply.
func answerOfHolder(t *testing.T, exe, id string, config []byte) string {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.CloseOnExec(fds[0])
	ours, theirs := os.NewFile(uintptr(fds[0]), "config"), os.NewFile(uintptr(fds[1]), "config")
	reply, holderReply, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, id)
	cmd.Args[0], cmd.Stdin, cmd.ExtraFiles = proc.HolderName, theirs, []*os.File{holderReply}
	if err := errors.Join(cmd.Start(), theirs.Close(), holderReply.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = ours.Write(config)
	if err := errors.Join(err, ours.Close()); err != nil {
		t.Error(err)
	}
	said, err := io.ReadAll(reply)
	if err := errors.Join(err, reply.Close()); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // a holder that starts nothing exits with 1
	return string(said)
}

func TestJobOutlivesItsClient(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cmd := client(t, "one", "HOB_TEST_ROOT="+p.root.Path(), "HOB_TEST_SCRIPT=trap '' HUP; sleep 0.3; echo late; exit 5")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSpace(string(out))
	eventually(t, "end", func() bool { return p.observe(t, dir).Status.Finished() })
	if o := p.observe(t, dir); o.Status != engine.Exited || *o.Exit.Code != 5 {
		t.Errorf("%s, %+v", o.Status, o.Exit)
	}
}

func TestIgnoredSignalsAreNotInherited(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc here")
	}
	p := newPlace(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// As under nohup, and with a descriptor left open.
	cmd := exec.Command("sh", "-c", `trap '' HUP INT QUIT PIPE TERM USR1; exec 7</dev/null; exec "$0"`, exe)
	cmd.Env = append(os.Environ(), "HOB_TEST_CLIENT=one", "HOB_TEST_ROOT="+p.root.Path(),
		"HOB_TEST_SCRIPT=echo $(ls /proc/self/fd); exec grep SigIgn /proc/self/status")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSpace(string(out))
	eventually(t, "end", func() bool { return p.observe(t, dir).Status.Finished() })
	log, err := os.ReadFile(filepath.Join(dir, jobdir.OutputFile))
	if want := "0 1 2 3\nSigIgn:\t0000000000000000\n"; err != nil || string(log) != want {
		t.Errorf("log %q, want %q", log, want)
	}
}

func TestKilledHolderIsLost(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, pty := range []bool{true, false} {
		t.Run(fmt.Sprintf("pty %v", pty), func(t *testing.T) {
			s := p.start(t, engine.Spec{Script: "echo begun; sleep 1000", PTY: pty})
			s.printed(t, "begun")
			st := s.state(t)
			waited := make(chan error, 1)
			var exit engine.Exit
			go func() {
				var err error
				exit, err = exitOf(t.Context(), s.run)
				waited <- err
			}()
			if err := proc.Signal(st.Holder, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if err := <-waited; err != nil {
				t.Fatal(err)
			}
			if exit.Status != engine.Lost || exit.Reason != engine.ReasonHolderDied || exit.Code != nil {
				t.Errorf("exit %+v", exit)
			}
			if o := p.observe(t, s.dir); o.Status != engine.Lost {
				t.Errorf("status %s", o.Status)
			}
			if _, ok := jobdir.ReadExitCode(s.dir); ok {
				t.Error("there is an exit_code")
			}
			if pty {
				eventually(t, "the kernel hangs the job up", func() bool { return !proc.Alive(st.Leader) })
				return
			}
			o := p.observe(t, s.dir)
			if len(o.Exit.Survivors) == 0 {
				t.Error("no survivors named")
			}
			report, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"})
			if err != nil || len(report.Survivors) > 0 {
				t.Errorf("stop of survivors: %+v, %v", report, err)
			}
			if proc.Alive(st.Leader) {
				t.Error("the survivor still runs")
			}
			if _, err := s.run.Stop(t.Context(), engine.StopOptions{By: "test"}); !errors.Is(err, engine.ErrNotRunning) {
				t.Errorf("stop of nothing: %v", err)
			}
		})
	}
}

func TestTerminatedHolderEndsJob(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "sleep 1000", PTY: true})
	if err := proc.Signal(s.state(t).Holder, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	exit := s.wait(t)
	if exit.Status != engine.Killed || exit.EndedBy != "SIGTERM to the holder" {
		t.Errorf("exit %+v", exit)
	}
}

func TestGrandchildOutlivesLeader(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := t.TempDir()
	s := p.start(t, engine.Spec{
		PTY: true,
		// In a group of its own, so that the leader's end does not hang it up.
		Command: []string{"bash", "-c", `set -m; (while [ ! -e "$0/go" ]; do sleep 0.02; done; echo late; exec sleep 1000) & echo early; exit 3`, dir},
	})
	exit := s.wait(t)
	if *exit.Code != 3 || len(exit.Survivors) == 0 {
		t.Fatalf("exit %+v", exit)
	}
	if got := s.output(t); !strings.Contains(got, "early") {
		t.Errorf("output at the end %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.printed(t, "late")
	if !jobdir.Locked(s.dir) {
		t.Error("the holder has gone while a survivor uses the terminal")
	}
	report, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"})
	if err != nil || len(report.Survivors) > 0 {
		t.Errorf("stop: %+v, %v", report, err)
	}
	eventually(t, "the holder goes", func() bool { return !jobdir.Locked(s.dir) })
	if o := p.observe(t, s.dir); o.Status != engine.Exited || *o.Exit.Code != 3 {
		t.Errorf("afterwards %s, %+v", o.Status, o.Exit)
	}
}

func TestOutputAfterReopeningTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: `exec </dev/null >/dev/null 2>&1; sleep 0.2; echo back >/dev/tty`})
	s.wait(t)
	if got := s.output(t); got != "back\r\n" {
		t.Errorf("output %q", got)
	}
}

func TestLongOutputAtExitIsComplete(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Command: []string{"sh", "-c", "seq 1 200000"}})
	s.wait(t)
	h := sha256.New()
	for i := 1; i <= 200000; i++ {
		h.Write(append(strconv.AppendInt(nil, int64(i), 10), '\r', '\n'))
	}
	got := sha256.Sum256([]byte(s.output(t)))
	if want := hex.EncodeToString(h.Sum(nil)); hex.EncodeToString(got[:]) != want {
		t.Error("output differs")
	}
}

func TestUnwritableDirectory(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root writes everywhere")
	}
	p := newPlace(t)
	l, err := p.make(engine.Spec{Script: "true"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(l.Dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(l.Dir, 0o700)
	if _, err := p.b.Start(t.Context(), l); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("start: %v", err)
	}
}

func TestNoJobIsLostWhileItStarts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for i := range 40 {
		ask := p.makeHeld
		if i%2 == 0 { // as an earlier version
			ask = p.make
		}
		l, err := ask(engine.Spec{Script: "exit 3", PTY: true})
		if err != nil {
			t.Fatal(err)
		}
		over, watched := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(watched)
			for {
				select {
				case <-over:
					return
				default:
				}
				o := p.observe(t, l.Dir)
				if o.Status == engine.Lost || o.Status == engine.Exited && *o.Exit.Code != 3 {
					t.Errorf("seen as %s, %+v", o.Status, o.Exit)
					return
				}
			}
		}()
		s := p.launch(t, l)
		if l.Lock != nil {
			l.Lock.Close()
		}
		s.wait(t)
		close(over)
		<-watched
	}
}
