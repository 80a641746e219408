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

func TestTerminateSendsSIGTERMFirst(t *testing.T) {
	tr := startTree(t, `sh -c '`+stay+`' & `+stay)
	tr.pids(2)
	kills := 0
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute, OnKill: func() { kills++ }})
	if err != nil {
		t.Fatal(err)
	}
	if res.Escalated || len(res.Survivors) != 0 || len(res.Signaled) < 2 {
		t.Errorf("result %+v", res)
	}
	if kills != 0 {
		t.Errorf("OnKill was called %d times, want 0", kills)
	}
	tr.assertAllGone()
	tr.close()
	if got := tr.leader.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != syscall.SIGTERM {
		t.Errorf("leader ended by %v", got)
	}
}

func TestTerminateLetsCleanupFinish(t *testing.T) {
	// The trap starts a child, which is not signaled while the leader runs.
	tr := startTree(t, `trap 'sh -c "sleep 0.2"; exit 7' TERM; echo $$ >&3; while :; do sleep 1000 & wait; done`)
	tr.pids(1)
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute})
	if err != nil || res.Escalated {
		t.Fatalf("result %+v, %v", res, err)
	}
	tr.assertAllGone()
	tr.close()
	if code := tr.leader.ProcessState.ExitCode(); code != 7 {
		t.Errorf("exit code %d, want the trap's 7", code)
	}
}

func TestTerminateSignalsAgainAfterExec(t *testing.T) {
	// The handler consumes the first signal before exec.
	tr := startTree(t, `trap 'exec sleep 1000' TERM; echo $$ >&3; while :; do sleep 0.01; done`)
	tr.pids(1)
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute})
	if err != nil || res.Escalated {
		t.Fatalf("result %+v, %v", res, err)
	}
	tr.assertAllGone()
}

func TestTerminateEscalatesAfterGrace(t *testing.T) {
	tr := startTree(t, `trap '' TERM HUP; sh -c '`+stay+`' & `+stay)
	tr.pids(2)
	kills := 0
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: 50 * time.Millisecond, OnKill: func() { kills++ }})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Escalated || len(res.Survivors) != 0 {
		t.Errorf("result %+v", res)
	}
	if kills != 1 {
		t.Errorf("OnKill was called %d times, want 1", kills)
	}
	tr.assertAllGone()
}

func TestTerminateContinuesStoppedProcesses(t *testing.T) {
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
	waitUntil(t, "stopped", func() bool {
		procs, err := Members(tr.ref)
		if err != nil {
			t.Fatal(err)
		}
		// A shell whose child was stopped in vfork is not reported as stopped.
		return slices.ContainsFunc(procs, Process.Stopped)
	})
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute})
	if err != nil || res.Escalated {
		t.Errorf("result %+v, %v", res, err)
	}
	tr.assertAllGone()
}

func TestTerminateSendsHUPToInteractiveShell(t *testing.T) {
	testtool.Need(t, "bash")
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	// bash -i ignores SIGTERM even without a terminal.
	tr := startTree(t, "exec "+bash+` --norc --noprofile -i -c '`+stay+`; :' 2>/dev/null`)
	tr.pids(1)
	res, err := Terminate(t.Context(), tr.ref, Options{Grace: time.Minute, HUP: true})
	if err != nil || res.Escalated {
		t.Errorf("result %+v, %v", res, err)
	}
	tr.assertAllGone()
}

func TestTerminateStopsWhenCanceled(t *testing.T) {
	// The sleeps are short: a shell that starts one after the signal has come runs the trap only
	// when that sleep ends, and such a late child is not signaled.
	tr := startTree(t, `trap 'echo TERM >&3' TERM; echo $$ >&3; while :; do sleep 0.01; done`)
	tr.pids(1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		_, _ = tr.lines.ReadString('\n') // the trap has run
	}()
	res, err := Terminate(ctx, tr.ref, Options{Grace: time.Hour})
	<-ctx.Done()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if res.Escalated || len(res.Survivors) == 0 || !Alive(tr.ref.Leader) {
		t.Errorf("a canceled call killed: %+v", res)
	}
}

func TestTerminateIgnoresReusedPID(t *testing.T) {
	tr := startTree(t, stay)
	tr.pids(1)
	ref := tr.ref
	ref.JobID = ""
	ref.Leader.Start += "0"
	res, err := Terminate(t.Context(), ref, Options{})
	if err != nil || len(res.Signaled) != 0 {
		t.Errorf("signalled %+v, %v", res.Signaled, err)
	}
	if !Alive(tr.ref.Leader) {
		t.Error("a process with another start time was killed")
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
	tr.assertAllGone()
}

func TestSignalRefusesInitAndSelf(t *testing.T) {
	one, err := IdentityOf(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []Identity{one, Self(), {}, {PID: -1, Start: "1"}, {PID: 0, Start: "1"}} {
		if err := Signal(id, 0); err == nil {
			t.Errorf("signalled %+v", id)
		}
	}
}
