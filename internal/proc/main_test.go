//go:build linux || darwin

package proc

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

// roleVariable makes the test binary play a part in a process tree.
const roleVariable = "PROC_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		testtool.Prepare()
		os.Exit(m.Run())
	case "holder":
		playHolder()
	case "terminator":
		playTerminator()
	case "stranger":
		playStranger()
	default:
		os.Exit(2)
	}
}

// playStranger says what a process does about its terminal.
func playStranger() {
	pid, _ := strconv.Atoi(os.Getenv("PROC_TEST_PID"))
	p, err := Stat(pid)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(WaitsForInput([]Process{p}, Source{TTY: p.TTY}))
	os.Exit(0)
}

// playHolder is a subreaper that runs a script in a session of its own, says
// the pid and start of it on descriptor 4, and collects strays until its input ends.
func playHolder() {
	if err := SetSubreaper(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var reaper Reaper
	ended := make(chan os.Signal, 16)
	signal.Notify(ended, syscall.SIGCHLD)
	cmd := exec.Command("sh", "-c", os.Getenv("PROC_TEST_SCRIPT"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "announce")}
	cmd.Env = append(os.Environ(), roleVariable+"=", JobVariable+"="+os.Getenv("PROC_TEST_JOB"))
	if err := reaper.Start(func() (int, error) {
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		return cmd.Process.Pid, nil
	}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	leader, err := Of(cmd.Process.Pid) // nobody has waited yet, so it has one
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintf(os.NewFile(4, "leader"), "%d\n%s\n", leader.PID, leader.Start)
	closed := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(closed)
	}()
	waited := make(chan struct{})
	go func() {
		cmd.Wait()
		reaper.Forget(cmd.Process.Pid)
		close(waited)
	}()
	for {
		select {
		case <-ended:
			reaper.ReapStrays()
		case <-closed:
			cmd.Process.Kill()
			<-waited
			os.Exit(0)
		}
	}
}

// playTerminator ends the job it reads and writes the result.
func playTerminator() {
	var ref JobRef
	if err := json.NewDecoder(os.Stdin).Decode(&ref); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	res, err := Terminate(context.Background(), ref, Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(res)
}

// tree is a job that a test started. Every process of it inherits descriptor
// 3, a pipe on which scripts say their pids and whose end proves that none is
// left.
type tree struct {
	t      *testing.T
	ref    JobRef
	lines  *bufio.Reader
	read   *os.File
	close  func()
	leader *exec.Cmd // nil under a holder
}

// startTree runs script as the leader of a session, with no holder.
func startTree(t *testing.T, script string, options ...func(*exec.Cmd)) *tree {
	t.Helper()
	r, w := pipe(t)
	job := "proc-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	cmd := exec.Command("sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{w}
	cmd.Env = append(os.Environ(), JobVariable+"="+job)
	for _, option := range options {
		option(cmd)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	id, err := Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan struct{})
	go func() {
		cmd.Wait()
		close(waited)
	}()
	tr := &tree{t: t, lines: bufio.NewReader(r), read: r, leader: cmd,
		ref: JobRef{Leader: id, Session: id.PID, JobID: job}}
	tr.close = func() { <-waited }
	t.Cleanup(func() {
		tr.end()
		<-waited
		tr.nobodyLeft()
	})
	return tr
}

// startHeld runs script under a holder, a process of its own.
func startHeld(t *testing.T, script string, env ...string) *tree {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w := pipe(t)
	said, say := pipe(t)
	job := "held-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	cmd := exec.Command(exe)
	cmd.Args[0] = "/somewhere/" + HolderName
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{w, say}
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), roleVariable+"=holder", "PROC_TEST_SCRIPT="+script, "PROC_TEST_JOB="+job)
	cmd.Env = append(cmd.Env, env...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	say.Close()
	waited := make(chan struct{})
	go func() {
		cmd.Wait()
		close(waited)
	}()
	tr := &tree{t: t, lines: bufio.NewReader(r), read: r}
	tr.close = func() {
		stdin.Close()
		<-waited
	}
	t.Cleanup(func() {
		tr.end()
		tr.close()
		tr.nobodyLeft()
	})
	lines := bufio.NewReader(said)
	pid, start := number10(t, lines), number10(t, lines)
	leader := Identity{PID: pid, Start: strconv.Itoa(start)}
	holder, err := Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	tr.ref = JobRef{Leader: leader, Session: pid, Holder: holder, JobID: job}
	return tr
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	r.SetReadDeadline(time.Now().Add(30 * time.Second))
	return r, w
}

func number10(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("waiting for a pid: %v", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// pids waits until n processes have said their pids.
func (tr *tree) pids(n int) []int {
	tr.t.Helper()
	var out []int
	for range n {
		out = append(out, number10(tr.t, tr.lines))
	}
	return out
}

// end kills what is left of the job.
func (tr *tree) end() {
	tr.t.Helper()
	res, err := Terminate(context.Background(), tr.ref, Options{})
	if err != nil || len(res.Survivors) != 0 {
		tr.t.Errorf("cleaning up: %+v, %v", res, err)
	}
}

// nobodyLeft fails unless every process that the job ever had is gone.
func (tr *tree) nobodyLeft() {
	tr.t.Helper()
	if rest, err := io.ReadAll(tr.lines); err != nil {
		tr.t.Errorf("processes of the job still hold its pipe (%v); said %q", err, rest)
	}
}

// until polls a condition of another process for as long as a test may take.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !met() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}
