package proc

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// withoutPidfd is a grip as kernels without pidfds give it.
func withoutPidfd(t *testing.T, id Identity) *grip {
	t.Helper()
	p, err := Stat(id.PID)
	if err != nil {
		t.Fatal(err)
	}
	g, err := take(p)
	if err != nil {
		t.Fatal(err)
	}
	g.release()
	return g
}

func TestGripWithoutPidfd(t *testing.T) {
	tr := startTree(t, stay)
	tr.pids(1)
	g := withoutPidfd(t, tr.ref.Leader)
	other := *g
	other.p.Start++
	if err := other.signal(syscall.SIGKILL); !errors.Is(err, ErrGone) || !Alive(tr.ref.Leader) {
		t.Fatalf("another birth: %v", err)
	}
	if err := g.signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gs := grips{held: []*grip{g}}
	if err := gs.wait(t.Context(), time.Now().Add(20*time.Second)); err != nil || len(gs.held) != 0 {
		t.Errorf("waited: %v, %d left", err, len(gs.held))
	}
	if Alive(tr.ref.Leader) {
		t.Error("alive after the wait")
	}
}

func TestGripsWaitEnds(t *testing.T) {
	tr := startTree(t, stay)
	tr.pids(1)
	p, err := Stat(tr.ref.Leader.PID)
	if err != nil {
		t.Fatal(err)
	}
	g, err := take(p)
	if err != nil {
		t.Fatal(err)
	}
	gs := grips{held: []*grip{g}}
	defer gs.release()
	if err := gs.wait(t.Context(), time.Now().Add(time.Millisecond)); err != nil || len(gs.held) != 1 {
		t.Errorf("at the deadline: %v, %d left", err, len(gs.held))
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if err := gs.wait(ctx, time.Now().Add(time.Hour)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestGripsAreBounded(t *testing.T) {
	var gs grips
	defer gs.release()
	parent, err := Stat(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	for range held + 10 {
		g, err := take(parent)
		if err != nil {
			t.Skip(err) // the test was started by process 1
		}
		gs.keep(g)
	}
	if len(gs.held) != held {
		t.Errorf("%d held", len(gs.held))
	}
}

func BenchmarkMembers(b *testing.B) {
	var s Scanner
	defer s.Close()
	ref := JobRef{Leader: Self(), Session: 1 << 30, JobID: "none"}
	ref.Leader.Start = "0" // every process is a candidate
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Members(ref); err != nil {
			b.Fatal(err)
		}
	}
}
