package proc

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// withoutPidfd returns a handle like those on kernels without pidfds.
func withoutPidfd(t *testing.T, id Identity) *handle {
	t.Helper()
	p, err := Stat(id.PID)
	if err != nil {
		t.Fatal(err)
	}
	g, err := openHandle(p)
	if err != nil {
		t.Fatal(err)
	}
	g.release()
	return g
}

func TestHandleWithoutPidfd(t *testing.T) {
	tr := startTree(t, stay)
	tr.pids(1)
	g := withoutPidfd(t, tr.ref.Leader)
	other := *g
	other.p.Start++
	if err := other.signal(syscall.SIGKILL); !errors.Is(err, ErrGone) || !Alive(tr.ref.Leader) {
		t.Fatalf("other start time: %v", err)
	}
	if err := g.signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gs := handleSet{handles: []*handle{g}}
	if err := gs.wait(t.Context(), time.Now().Add(time.Minute)); err != nil || len(gs.handles) != 0 {
		t.Errorf("waited: %v, %d left", err, len(gs.handles))
	}
	if Alive(tr.ref.Leader) {
		t.Error("alive after the wait")
	}
}

func TestHandleSetWait(t *testing.T) {
	tr := startTree(t, stay)
	tr.pids(1)
	p, err := Stat(tr.ref.Leader.PID)
	if err != nil {
		t.Fatal(err)
	}
	g, err := openHandle(p)
	if err != nil {
		t.Fatal(err)
	}
	gs := handleSet{handles: []*handle{g}}
	defer gs.release()
	if err := gs.wait(t.Context(), time.Now().Add(time.Millisecond)); err != nil || len(gs.handles) != 1 {
		t.Errorf("at the deadline: %v, %d left", err, len(gs.handles))
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if err := gs.wait(ctx, time.Now().Add(time.Hour)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestHandleSetIsBounded(t *testing.T) {
	var gs handleSet
	defer gs.release()
	parent, err := Stat(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	for range maxHandles + 10 {
		g, err := openHandle(parent)
		if err != nil {
			t.Skip(err) // the test was started by process 1
		}
		gs.add(g)
	}
	if len(gs.handles) != maxHandles {
		t.Errorf("%d handles", len(gs.handles))
	}
}

func BenchmarkMembers(b *testing.B) {
	var s Scanner
	ref := JobRef{Leader: Self(), Session: 1 << 30, JobID: "none"}
	ref.Leader.Start = "0" // so that all processes are examined
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Members(ref); err != nil {
			b.Fatal(err)
		}
	}
}
