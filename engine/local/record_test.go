//go:build linux || darwin

package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

func TestBackground(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "sleep 1000"})
	if p.observe(t, s.dir).Backgrounded {
		t.Error("backgrounded from the start")
	}
	for range 2 {
		if err := s.run.Background(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !p.observe(t, s.dir).Backgrounded {
		t.Error("not recorded")
	}
	facts, err := jobdir.Facts(s.dir, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, f := range facts {
		kinds = append(kinds, f.Kind)
	}
	if diff := cmp.Diff([]string{"started", "backgrounded"}, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	over := p.start(t, engine.Spec{Script: "true"})
	over.wait(t)
	eventually(t, "refused", func() bool {
		return errors.Is(over.run.Background(t.Context()), engine.ErrNotRunning)
	})
}

func TestWatchReportsChanges(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: `read x; printf '\033]2;the title\007'; read x; printf '\007'; read x; printf '\033]9;look here\007'; read x; printf '\033]9;4;1;42\007'; read x; printf '\033]7;file:///usr/lib\007'; read x; exit 3`})
	steps := []func(engine.State, engine.Note) bool{
		func(o engine.State, _ engine.Note) bool { return o.Status == engine.Running && o.Leader.PID > 0 },
		func(o engine.State, _ engine.Note) bool { return o.Title == "the title" },
		func(o engine.State, _ engine.Note) bool { return o.Bells == 1 },
		func(_ engine.State, note engine.Note) bool { return note.Body == "look here" },
		func(o engine.State, _ engine.Note) bool {
			return o.Progress != nil && *o.Progress == engine.Progress{State: "normal", Percent: 42}
		},
		func(o engine.State, _ engine.Note) bool { return o.Cwd == "/usr/lib" },
		func(o engine.State, _ engine.Note) bool { return o.Status == engine.Exited && *o.Exit.Code == 3 },
	}
	step := 0
	ctx, cancel := contextWithTimeout()
	defer cancel()
	err := s.run.Watch(ctx, func(o engine.State, note engine.Note) {
		if step < len(steps) && steps[step](o, note) {
			step++
			go s.run.Write(ctx, []byte("\n"))
		}
	})
	if err != nil || step != len(steps) {
		t.Errorf("after step %d: %v", step, err)
	}
}

func TestWatchOfOwnLog(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := t.TempDir()
	s := p.start(t, engine.Spec{Command: []string{"sh", "-c", `while [ ! -e "$0/go" ]; do sleep 0.01; done; echo 12345; while [ ! -e "$0/end" ]; do sleep 0.01; done`, dir}})
	var once sync.Once
	ctx, cancel := contextWithTimeout()
	defer cancel()
	err := s.run.Watch(ctx, func(o engine.State, _ engine.Note) {
		once.Do(func() { os.WriteFile(filepath.Join(dir, "go"), nil, 0o600) })
		if o.Output == 6 {
			os.WriteFile(filepath.Join(dir, "end"), nil, 0o600)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "sleep 1000"})
	ctx, cancel := context.WithCancel(t.Context())
	err := s.run.Watch(ctx, func(engine.State, engine.Note) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("watch: %v", err)
	}
}

func TestCap(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, pty := range []bool{true, false} {
		s := p.start(t, engine.Spec{PTY: pty, LogLimit: 2 << 20, Script: "seq -f %099.f 1 100000; sleep 0.5; echo end"})
		s.wait(t)
		st := s.state(t)
		if st.NoLimit {
			t.Skip("this file system cannot free bytes")
		}
		if st.Hole.Start != 1<<20 || st.Hole.End < 6<<20 || st.Dropped != st.Hole.End-st.Hole.Start {
			t.Errorf("pty %v: hole %+v, dropped %d", pty, st.Hole, st.Dropped)
		}
		o, err := s.run.OpenOutput(t.Context(), engine.StreamOutput)
		if err != nil {
			t.Fatal(err)
		}
		holes, err := o.Holes(t.Context())
		if err != nil || len(holes) != 1 || holes[0].Start != 1<<20 || holes[0].End < st.Hole.End {
			t.Errorf("pty %v: holes %v, %v", pty, holes, err)
		}
		size, err := o.Size(t.Context())
		if err != nil || size < 10_000_000 {
			t.Errorf("pty %v: size %d, %v", pty, size, err)
		}
		tail := make([]byte, 5)
		if _, err := o.ReadAt(t.Context(), tail, size-5); err != nil || !strings.Contains(string(tail), "end") {
			t.Errorf("pty %v: tail %q, %v", pty, tail, err)
		}
		o.Close()
	}
}

func TestTimesAreRecorded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	before := time.Now().Add(-time.Second)
	s := p.start(t, engine.Spec{PTY: true, Script: "stty -echo; echo one; read x; sleep 0.3; echo two"})
	// Before that the holder may be late, so that the two are recorded closer to each other than they were.
	s.printed(t, "one")
	if err := s.run.Write(t.Context(), []byte("\n")); err != nil {
		t.Fatal(err)
	}
	s.wait(t)
	times, err := jobdir.OpenTimes(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer times.Close()
	first, ok1 := times.At(0)
	second, ok2 := times.At(int64(strings.Index(s.output(t), "two")))
	if !ok1 || !ok2 || first.At.Before(before) || second.At.Sub(first.At) < 200*time.Millisecond || first.Size != (record.Size{Cols: 120, Rows: 40}) {
		t.Errorf("times %+v %v, %+v %v", first, ok1, second, ok2)
	}
}

func TestNotifyCommand(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notice")
	p := newPlace(t, local.WithNotify(`echo "$1|$2|$HOB_NAME|$HOB_RESULT|$HOB_STATUS|$HOB_EXIT_CODE|$HOB_JOB_ID" >`+file+".tmp && mv "+file+".tmp "+file))
	s := p.start(t, engine.Spec{Script: "sleep 0.2; exit 6", Backgrounded: true})
	s.wait(t) // a client that only waits does not suppress the notification
	eventually(t, "the notification", func() bool { _, err := os.Stat(file); return err == nil })
	got, err := os.ReadFile(file)
	want := "test|exited|test|exited (exit code 6)|exited|6|" + string(s.rec.ID) + "\n"
	if err != nil || string(got) != want {
		t.Errorf("notified of %q, %v, want %q", got, err, want)
	}
}

func TestNoNotifyCommandWhileUserWatches(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notice")
	p := newPlace(t, local.WithNotify(": >"+file), local.ForUser())
	s := p.start(t, engine.Spec{Script: "read x; exit 6", Stdin: true, Backgrounded: true})
	holder := s.state(t).Holder
	watching := sync.OnceFunc(func() {
		if err := s.run.Write(t.Context(), []byte("\n")); err != nil {
			t.Error(err)
		}
	})
	if err := s.run.Watch(t.Context(), func(engine.State, engine.Note) { watching() }); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the holder has gone", func() bool { return !proc.Alive(holder) })
	if _, err := os.Stat(file); err == nil {
		t.Error("the command ran")
	}
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l, err := p.make(engine.Spec{Script: "true"})
	if err != nil {
		t.Fatal(err)
	}
	if o := p.observe(t, l.Dir); o.Status != engine.Starting {
		t.Errorf("just made: %s", o.Status)
	}
	meta, err := jobdir.ReadMeta(l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, ago := range []time.Duration{time.Hour, -time.Hour} { // a negative age: the clock was set back
		meta.CreatedAt = time.Now().Add(-ago)
		old, err := p.root.Create(&meta, "old", nil)
		if err != nil {
			t.Fatal(err)
		}
		if o := p.observe(t, old); o.Status != engine.Lost || o.Exit.Code != nil {
			t.Errorf("asked for %v ago, never started: %s %+v", ago, o.Status, o.Exit)
		}
	}
}

func TestReboot(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l, err := p.make(engine.Spec{Script: "true"})
	if err != nil {
		t.Fatal(err)
	}
	st := record.State{Machine: "m", BootID: "another boot", StartedAt: time.Now()}
	if err := jobdir.WriteState(l.Dir, &st); err != nil {
		t.Fatal(err)
	}
	if o := p.observe(t, l.Dir); o.Status != engine.Lost || o.Exit.Reason != engine.ReasonReboot {
		t.Errorf("%s %+v", o.Status, o.Exit)
	}
}

// The holder measures how long the machine has run. After the wall clock is set, the recorded start
// and deadline are off by the same amount and do not determine the timeout.
func TestDeadlineIgnoresClockChange(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "sleep 1000", Timeout: time.Hour})
	before := p.observe(t, s.dir)
	for name, off := range map[string]time.Duration{"ahead": -365 * 24 * time.Hour, "back": 3 * time.Hour} {
		st := s.state(t)
		st.StartedAt, st.Deadline = before.StartedAt.Add(off), before.Deadline.Add(off)
		if err := jobdir.WriteState(s.dir, &st); err != nil {
			t.Fatal(err)
		}
		if got := p.observe(t, s.dir); got.Deadline.Sub(before.Deadline).Abs() > time.Minute || got.StartedUp != before.StartedUp {
			t.Errorf("%s: deadline %v, want about %v", name, got.Deadline, before.Deadline)
		}
	}
}
