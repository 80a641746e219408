package queue

import (
	"os"
	"strconv"
	"testing"

	"github.com/hobjobs/hob/engine/record"
)

func TestCancel(t *testing.T) {
	p := newPlace(t, "1 0 0\n")
	p.add("a", Running)
	b := p.add("b", Waiting).begin()
	b.waits()
	b.change(Entry{Canceled, b.entry.Seq, "b"})
	if r := b.ends(isCanceled); r.Entry != b.path() {
		t.Errorf("entry %s", r.Entry)
	}
}

// A cancellation that the job's holder has not noticed, for example because its client was killed, is repeated.
func TestRepeatedCancel(t *testing.T) {
	p := newPlace(t, "1 0 0\n")
	p.add("a", Running)
	b := p.add("b", Waiting).begin()
	b.waits()
	held, err := lock(p.queue)
	if err != nil {
		t.Fatal(err)
	}
	from := b.path()
	b.entry.State = Canceled
	if err := os.Rename(from, b.path()); err != nil {
		t.Fatal(err)
	}
	held.Close()
	if err := Cancel(t.Context(), p.queue, "b", record.StopOptions{By: "cli"}); err != nil {
		t.Fatal(err)
	}
	b.ends(isCanceled)
}

// Without the lock of the queue, the job's holder may look at the queue between the wake-up and the change.
func TestCancelWithoutTheLock(t *testing.T) {
	p := newPlace(t, "1 0 0\n")
	p.add("a", Running)
	for i := range 200 {
		id := "b" + strconv.Itoa(i)
		b := p.add(id, Waiting).begin()
		b.looks()
		if err := cancelUnlocked(p.queue, id, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		b.ends(isCanceled)
		b.end("killed", "")
	}
}
