package queue

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// reason returns why the job has not started, as a client sees it.
func (m *member) reason() string {
	m.p.t.Helper()
	v, err := Read(m.p.queue)
	if err != nil {
		m.p.t.Fatal(err)
	}
	return v.Pending(m.entry.ID, &record.Request{Queue: Default}).Reason
}

// hasReason waits until the reason contains text.
func (m *member) hasReason(text string) {
	m.p.t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(m.reason(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			m.p.t.Fatalf("the reason is %q, want one with %q", m.reason(), text)
		}
	}
}

// A process that locks a queue and hangs keeps its jobs from starting. They say so, and can be killed.
func TestQueueThatStaysLocked(t *testing.T) {
	p := newPlace(t, "1 0 0\n")
	held, err := lock(p.queue)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	a, b := p.add("a", Waiting).begin(), p.add("b", Waiting).begin()
	name := fmt.Sprintf("process %d (", os.Getpid())
	a.hasReason(name)
	b.hasReason(name)

	if err := Cancel(t.Context(), p.queue, "a", record.StopOptions{By: "cli", Reason: record.ReasonKill}); err != nil {
		t.Fatal(err)
	}
	if r := a.ends(isCanceled); *r.Canceled != (Cancellation{By: "cli", Reason: string(record.ReasonKill)}) {
		t.Errorf("canceled as %+v", r.Canceled)
	}
	a.end("killed", "")
	b.hasReason(name)

	held.Close()
	b.ends(starts)
	if r := b.reason(); strings.Contains(r, name) {
		t.Errorf("the reason is %q after the queue was unlocked", r)
	}
}

// A process that was killed leaves no reason behind.
func TestReasonOfLockEndsWithTheLock(t *testing.T) {
	p := newPlace(t, "1 1 0\n")
	a := p.add("a", Waiting)
	if err := noteLockHolder(p.queue, "process 1 (x)"); err != nil {
		t.Fatal(err)
	}
	a.hasReason("the queue is paused")
}
