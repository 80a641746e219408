//go:build linux || darwin

package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool"
)

// dyingHolder is the argument that makes this test binary a holder that dies between the start of
// its job and the reply.
const dyingHolder = "dying-holder"

// silentHolder is the argument that makes it a holder that stops there, and startedBySilent the
// file with the pid of the process it started.
const (
	silentHolder    = "silent-holder"
	startedBySilent = "started"
)

func dieAsHolder() {
	var cfg struct{ Dir string }
	if err := json.NewDecoder(os.Stdin).Decode(&cfg); err != nil {
		os.Exit(1)
	}
	if err := os.WriteFile(filepath.Join(cfg.Dir, jobdir.OutputFile), nil, 0o600); err != nil {
		os.Exit(1)
	}
	syscall.CloseOnExec(3)                    // the pipe for the reply
	job := exec.Command("/bin/sleep", "1000") // PATH is not set
	job.Env = []string{"HOB_JOB_ID=" + filepath.Base(cfg.Dir)}
	if err := job.Start(); err != nil {
		os.Exit(1)
	}
	if os.Args[2] == silentHolder {
		if err := os.WriteFile(filepath.Join(cfg.Dir, startedBySilent), strconv.AppendInt(nil, int64(job.Process.Pid), 10), 0o600); err != nil {
			os.Exit(1)
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

func TestHolderDiesBeforeReply(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, local.WithHolderCommand(exe, dyingHolder))
	s := p.start(t, engine.Spec{Script: "true"})
	// A program that another test is just starting briefly has all descriptors, so that the job
	// seems to be held.
	var o engine.State
	eventually(t, "the job is lost", func() bool { o = p.observe(t, s.dir); return o.Status == engine.Lost })
	if o.Exit.Reason != engine.ReasonHolderDied || o.Exit.Code != nil {
		t.Errorf("the job is %s, %+v", o.Status, o.Exit)
	}
	if len(o.Exit.Survivors) != 1 || o.Exit.Survivors[0].Command != "/bin/sleep 1000" {
		t.Errorf("survivors %+v", o.Exit.Survivors)
	}
	report, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"})
	if err != nil || len(report.Survivors) > 0 {
		t.Errorf("stop of survivors: %+v, %v", report, err)
	}
}

// stoppedHolder returns a holder program that stops at once, and a function that returns its pid.
func stoppedHolder(t *testing.T) (program string, stopped func() (pid int, is bool)) {
	t.Helper()
	dir := t.TempDir()
	program, at := filepath.Join(dir, "holder"), filepath.Join(dir, "pid")
	testtool.WriteScript(t, program, "echo $$ >"+at+"\nkill -STOP $$")
	return program, func() (int, bool) {
		text, err := os.ReadFile(at)
		if err != nil {
			return 0, false
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return 0, false
		}
		p, err := proc.Stat(pid)
		return pid, err == nil && p.State == 'T'
	}
}

func TestHolderDoesNotRead(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{
		"more than is sent at once": 4 << 20,
		"what is sent at once":      1 << 10,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, stopped := stoppedHolder(t)
			p := newPlace(t, local.WithHolderCommand(program))
			l, err := p.makeHeld(engine.Spec{Script: "true"})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Lock.Close()
			l.Env = append(l.Env, "LARGE="+strings.Repeat("x", size))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := p.b.Start(ctx, l)
				ended <- err
			}()
			eventually(t, "the holder stops", func() bool { _, is := stopped(); return is })
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("start: %v", err)
			}
			if pid, is := stopped(); is {
				t.Errorf("the holder %d is still there", pid)
			}
		})
	}
}

// The outcome of a holder that never replied is in its job's records.
func TestHolderDoesNotReply(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, local.WithHolderCommand(exe, silentHolder))
	e, err := engine.New(engine.WithStateDir(p.root.Path()), engine.WithBackend(p.b))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	type result struct {
		job engine.Job
		err error
	}
	ended := make(chan result, 1)
	go func() {
		j, err := e.Start(ctx, engine.Spec{Script: "true"})
		ended <- result{j, err}
	}()
	left := 0
	eventually(t, "it starts the job", func() bool {
		ids, err := p.root.IDs()
		if err != nil || len(ids) != 1 {
			return false
		}
		text, err := os.ReadFile(filepath.Join(p.root.Dir(ids[0]), startedBySilent))
		left, _ = strconv.Atoi(string(text))
		return err == nil && left != 0
	})
	cancel()
	r := <-ended
	if r.err != nil {
		t.Fatal(r.err)
	}
	// A program that another test is just starting briefly has all descriptors, so that the job
	// seems to be held.
	eventually(t, "the job is lost", func() bool {
		r.job, err = e.Handle(r.job.ID).Facts(t.Context())
		return err == nil && r.job.Status == engine.Lost
	})
	if r.job.Exit.Reason != engine.ReasonHolderDied {
		t.Fatalf("end: %+v", r.job.Exit)
	}
	if len(r.job.Exit.Survivors) != 1 || r.job.Exit.Survivors[0].PID != left {
		t.Errorf("survivors %+v, want %d", r.job.Exit.Survivors, left)
	}
	report, err := e.Handle(r.job.ID).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow})
	if err != nil || len(report.Survivors) > 0 {
		t.Errorf("kill of what is left: %+v, %v", report, err)
	}
}
