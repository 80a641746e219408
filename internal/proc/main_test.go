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

// roleVariable selects the role of the test binary in a process tree.
const roleVariable = "PROC_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		testtool.Prepare()
		os.Exit(m.Run())
	case "holder":
		runHolderRole()
	case "terminator":
		runTerminatorRole()
	case "inspector":
		runInspectorRole()
	default:
		os.Exit(2)
	}
}

// runInspectorRole prints whether a process waits for input from its terminal.
func runInspectorRole() {
	pid, _ := strconv.Atoi(os.Getenv("PROC_TEST_PID"))
	p, err := Stat(pid)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(new(Scanner).WaitsForInput([]Process{p}, Source{TTY: p.TTY}))
	os.Exit(0)
}

// runHolderRole is a subreaper that runs a script in a new session, writes its pid and start time
// to descriptor 4, and reaps orphans until its input ends.
func runHolderRole() {
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
	leader, err := IdentityOf(cmd.Process.Pid) // not reaped yet, so it has an identity
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
			reaper.ReapOrphans()
		case <-closed:
			cmd.Process.Kill()
			<-waited
			os.Exit(0)
		}
	}
}

// runTerminatorRole ends the job that it reads and prints the result.
func runTerminatorRole() {
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

// tree is a job that a test started. All its processes inherit descriptor 3, a pipe to which
// scripts write their pids and whose end proves that no process is left.
type tree struct {
	t      *testing.T
	ref    JobRef
	lines  *bufio.Reader
	read   *os.File
	close  func()
	leader *exec.Cmd // nil under a holder
}

// startTree runs script as the leader of a session, without a holder.
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
	id, err := IdentityOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan struct{})
	go func() {
		cmd.Wait()
		close(waited)
	}()
	tr := &tree{t: t, lines: lines(r), read: r, leader: cmd,
		ref: JobRef{Leader: id, Session: id.PID, JobID: job}}
	tr.close = func() { <-waited }
	t.Cleanup(func() {
		tr.end()
		<-waited
		tr.assertAllGone()
	})
	return tr
}

// startWithHolder runs script under a holder process.
func startWithHolder(t *testing.T, script string, env ...string) *tree {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w := pipe(t)
	fromHolder, toTest := pipe(t)
	job := "held-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	cmd := exec.Command(exe)
	cmd.Args[0] = "/path/to/" + HolderName
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{w, toTest}
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
	toTest.Close()
	waited := make(chan struct{})
	go func() {
		cmd.Wait()
		close(waited)
	}()
	tr := &tree{t: t, lines: lines(r), read: r}
	tr.close = func() {
		stdin.Close()
		<-waited
	}
	t.Cleanup(func() {
		tr.end()
		tr.close()
		tr.assertAllGone()
	})
	said := lines(fromHolder)
	pid, start := readInt(t, said), readInt(t, said)
	leader := Identity{PID: pid, Start: strconv.Itoa(start)}
	holder, err := IdentityOf(cmd.Process.Pid)
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
	return r, w
}

// patience bounds each wait for another process.
const patience = time.Minute

// lines reads a pipe. Each wait for more has a time limit of its own.
func lines(r *os.File) *bufio.Reader { return bufio.NewReader(patient{r}) }

type patient struct{ *os.File }

func (p patient) Read(b []byte) (int, error) {
	_ = p.SetReadDeadline(time.Now().Add(patience)) // every pipe has deadlines
	return p.File.Read(b)
}

func readInt(t *testing.T, r *bufio.Reader) int {
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

// pids waits until n processes have written their pids.
func (tr *tree) pids(n int) []int {
	tr.t.Helper()
	var out []int
	for range n {
		out = append(out, readInt(tr.t, tr.lines))
	}
	return out
}

// end kills the remaining processes of the job.
func (tr *tree) end() {
	tr.t.Helper()
	res, err := Terminate(context.Background(), tr.ref, Options{})
	if err != nil || len(res.Survivors) != 0 {
		tr.t.Errorf("cleaning up: %+v, %v", res, err)
	}
}

// assertAllGone fails unless all processes of the job have ended.
func (tr *tree) assertAllGone() {
	tr.t.Helper()
	if rest, err := io.ReadAll(tr.lines); err != nil {
		tr.t.Errorf("processes of the job still have its pipe open (%v); output %q", err, rest)
	}
}

// waitUntil polls a condition of another process.
func waitUntil(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !met() {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting for: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}
