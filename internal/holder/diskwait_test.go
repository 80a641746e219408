//go:build linux || darwin

package holder

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// A write that takes long is reported from then on until it ends.
func TestWriteThatTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var op diskOp
		notified := 0
		notify := func() { notified++ }
		for _, quick := range []time.Duration{0, diskPatience - 1} {
			op.begin(notify)
			time.Sleep(quick)
			if at := op.waitsSince(time.Now()); !at.IsZero() {
				t.Errorf("waits since %v after %v", at, quick)
			}
			op.end(notify)
		}
		synctest.Wait()
		if notified != 0 {
			t.Errorf("%d notifications of quick writes", notified)
		}
		began := time.Now()
		op.begin(notify)
		time.Sleep(diskPatience)
		synctest.Wait()
		if at := op.waitsSince(time.Now()); !at.Equal(began) || notified != 1 {
			t.Errorf("waits since %v, %d notifications", at, notified)
		}
		op.end(notify)
		if at := op.waitsSince(time.Now()); !at.IsZero() || notified != 2 {
			t.Errorf("waits since %v at the end, %d notifications", at, notified)
		}
	})
}

// newOnHangingDisk returns the run of a job whose holder's disk does not finish a write of output until resume is
// called.
func newOnHangingDisk(t *testing.T) (r *Run, resume func()) {
	t.Helper()
	h := newHeld(t, Config{Terminal: true})
	h.outputMu.Lock()
	h.logging.begin(h.diskChanged)
	h.logging.since.Store(time.Now().Add(-diskPatience).UnixNano())
	h.logging.late.Store(true)
	meta, err := jobdir.ReadMeta(h.cfg.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return NewRun(h.cfg.Dir, meta.Request, false), func() {
		h.logging.end(h.diskChanged)
		h.outputMu.Unlock()
	}
}

// A client that watches a job is told when its holder waits for the disk, and when that answers again.
func TestWatchWhileDiskHangs(t *testing.T) {
	t.Parallel()
	r, resume := newOnHangingDisk(t)
	ctx, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	links := []record.Link{record.LinkUnreachable, record.LinkNone}
	_ = r.Watch(ctx, func(s record.State, _ record.Note) {
		if len(links) == 0 || s.Link != links[0] {
			return
		}
		want := ""
		if s.Link == record.LinkUnreachable {
			want = ErrDisk.Error()
		}
		if s.Status != record.Running || s.LinkError != want || s.StaleSince.IsZero() != (want == "") {
			t.Errorf("%s, link %q (%s) since %v", s.Status, s.Link, s.LinkError, s.StaleSince)
		}
		if links = links[1:]; len(links) == 0 {
			done()
			return
		}
		resume()
	})
	if len(links) > 0 {
		t.Errorf("its link does not become %q", links[0])
	}
}

// What needs the disk fails with a reason while it hangs.
func TestScreenWhileDiskHangs(t *testing.T) {
	t.Parallel()
	r, resume := newOnHangingDisk(t)
	defer resume()
	if _, err := r.Screen(t.Context()); !errors.Is(err, ErrDisk) || err.Error() != ErrDisk.Error() {
		t.Errorf("screen: %v", err)
	}
}
