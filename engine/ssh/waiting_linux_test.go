package ssh

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/testtool"
)

// becomes waits until a subscriber to a job gets a state.
func becomes(r *rig, s *engine.Subscription, what string, ok func(engine.Job) bool) {
	r.Helper()
	for ctx := r.ctx(); ; {
		events, err := s.Next(ctx)
		if err != nil {
			r.Fatalf("%s: %v", what, err)
		}
		for _, ev := range events {
			if ok(ev.Job) {
				return
			}
		}
	}
}

func TestWaitingOnAHost(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "script", "stty")
	r := newRig(t, nil)
	gate := filepath.Join(t.TempDir(), "gate")
	j := r.start(`echo begun; head -n 1 >/dev/null; echo busy; until [ -e `+gate+` ]; do sleep 0.1; done; stty -echo; printf 'Password: '; head -n 1 >/dev/null; exec sleep 1000`, onTerminal)
	s := r.e.Subscribe(engine.Filter{IDs: []engine.ID{j.ID}})
	defer s.Close()
	is := func(waiting bool, entry engine.Entry) func(engine.Job) bool {
		return func(j engine.Job) bool { return j.Waiting == waiting && j.Entry == entry }
	}
	answer := func() {
		if err := r.e.Handle(j.ID).Write(r.ctx(), []byte("x\r")); err != nil {
			t.Fatal(err)
		}
	}
	becomes(r, s, "a question", is(true, engine.EntryOpen))
	if got, err := r.e.Handle(j.ID).Facts(r.ctx()); err != nil || !got.Waiting {
		t.Errorf("a single look, %v: %+v", err, got.State)
	}
	answer()
	becomes(r, s, "its answer", func(j engine.Job) bool { return !j.Waiting })
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	becomes(r, s, "a password", is(true, engine.EntryHidden))
	answer() // prints nothing
	becomes(r, s, "the password", is(false, engine.EntryHidden))
	if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err != nil {
		t.Fatal(err)
	}
	if got, err := r.e.Handle(j.ID).Facts(r.ctx()); err != nil || got.Waiting || got.Entry != engine.EntryUnknown {
		t.Errorf("after the end, %v: %+v", err, got.State)
	}
}

func TestQuietJobIsCheckedRarely(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(d time.Duration) time.Time { return start.Add(d) }
	f := inputFacts{since: start}
	var checks []time.Duration
	for now := time.Duration(0); now <= 24*time.Hour; now += 100 * time.Millisecond {
		if f.due(at(now)) {
			checks = append(checks, now)
			f.checked = at(now)
		}
	}
	if len(checks) > 13 || checks[0] != quietTime || checks[1] != 3*quietTime {
		t.Errorf("checked after %v", checks)
	}
	f.waits = true
	if !f.due(f.checked.Add(waitingAgain)) || f.due(f.checked.Add(waitingAgain/2)) {
		t.Error("a job that waits is not checked every few seconds")
	}
}
