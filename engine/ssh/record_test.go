//go:build unix

package ssh

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

// The end of a job whose record is its own directory is recorded in full, even if the record is
// locked at that moment: the end is not requested again.
func TestEndIsRecordedWhileTheRecordIsInUse(t *testing.T) {
	t.Parallel()
	root := testtool.TempDir(t)
	eng, err := engine.New(engine.WithStateDir(root), engine.WithBackend(newHere()))
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	gate := filepath.Join(t.TempDir(), "gate")
	j, err := eng.Start(t.Context(), engine.Spec{
		Script: "sleep 600 & until [ -e " + gate + " ]; do sleep 0.02; done", Backgrounded: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := eng.Handle(j.ID).Stop(t.Context(), engine.StopOptions{Grace: -1}); err != nil {
			t.Errorf("what the job left is not gone: %v", err)
		}
	}()
	dir := filepath.Join(root, "jobs", string(j.ID))
	sub := eng.Subscribe(engine.Filter{})
	defer sub.Close()
	if _, err := sub.Next(t.Context()); err != nil { // it is followed from here on
		t.Fatal(err)
	}
	lock, err := jobdir.Lock(dir)
	for errors.Is(err, jobdir.ErrLocked) { // a look is just being recorded
		lock, err = jobdir.Lock(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, ok := jobdir.ReadExitCode(dir); ok {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the job does not end")
		}
	}
	// Longer than any attempt to get the lock: a program that finds the end finds the lock held.
	time.AfterFunc(300*time.Millisecond, func() { lock.Close() })
	if _, err := eng.Handle(j.ID).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for {
		events, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Job.Status.Finished() {
				if st, err := jobdir.ReadState(dir); err != nil || !st.Exit.Known() || len(st.Exit.Survivors) != 1 {
					t.Errorf("recorded %+v, %v", st.Exit, err)
				}
				return
			}
		}
	}
}

// The record of a job that prints all the time is not written at each look; what else
// changes is recorded at once, and how much was printed at last.
func TestOutputIsRecordedInTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		defer b.Close()
		rec := engine.Record{ID: "job", Dir: t.TempDir(), Job: engine.Job{Request: engine.Request{Host: "box"}, State: engine.State{Machine: "m"}}}
		o := engine.State{Status: engine.Running, Leader: engine.Identity{PID: 7}, StartedAt: time.Now()}
		look := func(printed, want int64, paused bool) {
			t.Helper()
			o.Output, o.Paused = printed, paused
			b.remember(rec, o, "boot", "/there/job", false)
			if st, err := jobdir.ReadState(rec.Dir); err != nil || st.Output != want || st.Paused != paused {
				t.Errorf("printed %d, paused %v: recorded %+v, %v; want %d", printed, paused, st, err, want)
			}
		}
		look(10, 10, false)
		look(20, 10, false)
		time.Sleep(outputEvery)
		look(30, 30, false)
		look(40, 30, false)
		look(50, 50, true)
		look(60, 50, true)
		time.Sleep(outputEvery)
		look(60, 60, true)
	})
}
