//go:build linux || darwin

package proc

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

const stay = `echo $$ >&3; while :; do sleep 1000; done`

func TestTerminateAsksPolitely(t *testing.T) {
	tr := startTree(t, `sh -c '`+stay+`' & `+stay)
	tr.pids(2)
	var stages []Stage
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute, OnStage: func(s Stage, _ []Process) { stages = append(stages, s) }})
	if err != nil {
		t.Fatal(err)
	}
	if res.Escalated || len(res.Survivors) != 0 || len(res.Signalled) < 2 {
		t.Errorf("result %+v", res)
	}
	if !slices.Equal(stages, []Stage{StageAsk}) {
		t.Errorf("stages %q", stages)
	}
	tr.nobodyLeft()
	tr.close()
	if got := tr.leader.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != syscall.SIGTERM {
		t.Errorf("leader ended by %v", got)
	}
}

func TestTerminateLetsACleanupFinish(t *testing.T) {
	// The trap starts a child: only the leader is asked, the child is left to it.
	tr := startTree(t, `trap 'sh -c "sleep 0.2"; exit 7' TERM; echo $$ >&3; while :; do sleep 1000 & wait; done`)
	tr.pids(1)
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute})
	if err != nil || res.Escalated {
		t.Fatalf("result %+v, %v", res, err)
	}
	tr.nobodyLeft()
	tr.close()
	if code := tr.leader.ProcessState.ExitCode(); code != 7 {
		t.Errorf("exit code %d, want the trap's 7", code)
	}
}

func TestTerminateAsksTheProgramThatCameAfterwards(t *testing.T) {
	// The signal is spent on a handler, and sleep has never been asked.
	tr := startTree(t, `trap 'exec sleep 1000' TERM; echo $$ >&3; while :; do sleep 0.01; done`)
	tr.pids(1)
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute})
	if err != nil || res.Escalated {
		t.Fatalf("result %+v, %v", res, err)
	}
	tr.nobodyLeft()
}

func TestTerminateEscalatesAfterGrace(t *testing.T) {
	tr := startTree(t, `trap '' TERM HUP; sh -c '`+stay+`' & `+stay)
	tr.pids(2)
	var stages []Stage
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: 50 * time.Millisecond, OnStage: func(s Stage, _ []Process) { stages = append(stages, s) }})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Escalated || len(res.Survivors) != 0 {
		t.Errorf("result %+v", res)
	}
	if !slices.Equal(stages, []Stage{StageAsk, StageKill}) {
		t.Errorf("stages %q", stages)
	}
	tr.nobodyLeft()
}

func TestTerminateWakesTheStopped(t *testing.T) {
	tr := startTree(t, stay)
	tr.pids(1)
	members, err := Members(tr.ref)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range members {
		if err := Signal(p.Identity(), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "stopped", func() bool {
		procs, err := Members(tr.ref)
		if err != nil {
			t.Fatal(err)
		}
		// A shell whose child was stopped in vfork waits for it instead.
		return slices.ContainsFunc(procs, Process.Stopped)
	})
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute})
	if err != nil || res.Escalated {
		t.Errorf("result %+v, %v", res, err)
	}
	tr.nobodyLeft()
}

func TestTerminateHangsUpAnInteractiveShell(t *testing.T) {
	testtool.Need(t, "bash")
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	// Without a terminal bash -i still ignores SIGTERM, which is the point.
	tr := startTree(t, "exec "+bash+` --norc --noprofile -i -c '`+stay+`; :' 2>/dev/null`)
	tr.pids(1)
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute, HUP: true})
	if err != nil || res.Escalated {
		t.Errorf("result %+v, %v", res, err)
	}
	tr.nobodyLeft()
}

func TestTerminateEndsWithItsContext(t *testing.T) {
	tr := startTree(t, `trap '' TERM; `+stay)
	tr.pids(1)
	ctx, cancel := context.WithCancel(t.Context())
	res, err := Terminate(ctx, tr.ref, Options{Grace: time.Hour, OnStage: func(Stage, []Process) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if res.Escalated || len(res.Survivors) == 0 || !Alive(tr.ref.Leader) {
		t.Errorf("a cancelled call killed: %+v", res)
	}
}

func TestTerminateOfAnotherBirthDoesNothing(t *testing.T) {
	tr := startTree(t, stay)
	tr.pids(1)
	ref := tr.ref
	ref.JobID = ""
	ref.Leader.Start += "0"
	res, err := Terminate(t.Context(), ref, Options{})
	if err != nil || len(res.Signalled) != 0 {
		t.Errorf("signalled %+v, %v", res.Signalled, err)
	}
	if !Alive(tr.ref.Leader) {
		t.Error("a process was killed by its pid alone")
	}
	if err := Signal(ref.Leader, syscall.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("Signal: %v", err)
	}
}

func TestTerminateTwice(t *testing.T) {
	tr := startTree(t, stay)
	tr.pids(1)
	for range 2 {
		if res, err := Terminate(t.Context(), tr.ref, Options{}); err != nil || len(res.Survivors) != 0 {
			t.Errorf("result %+v, %v", res, err)
		}
	}
	tr.nobodyLeft()
}

func TestSignalRefusesInitAndItself(t *testing.T) {
	one, err := Of(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []Identity{one, Self(), {}, {PID: -1, Start: "1"}, {PID: 0, Start: "1"}} {
		if err := Signal(id, 0); err == nil {
			t.Errorf("signalled %+v", id)
		}
	}
}
