package jobdir_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// sweepAll sweeps until there is nothing more to do, and fails if that is never.
func sweepAll(t *testing.T, r *jobdir.Root, o jobdir.SweepOptions) {
	t.Helper()
	for range 20 {
		done, err := r.Sweep(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			return
		}
	}
	t.Fatal("each slice does again what the one before did")
}

func sweepsEverything() jobdir.SweepOptions {
	return jobdir.SweepOptions{
		Keep: jobdir.Keep{Age: -1, Count: -1, Bytes: -1, Trash: time.Hour}, Now: time.Now,
		Ours: func(*jobdir.Record) bool { return true },
	}
}

// Who holds a job that has ended may still record what that has left running.
func TestSweepLeavesAnEndThatIsHeldOutOfTheIndex(t *testing.T) {
	r := newRoot(t)
	id, dir := create(t, r, jobdir.Meta{})
	code := 0
	st := record.State{Exit: record.Exit{Status: "exited", Code: &code, At: time.Now()}}
	if err := jobdir.Finish(dir, &st); err != nil {
		t.Fatal(err)
	}
	lock, err := jobdir.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := sweepsEverything()
	sweepAll(t, r, o)
	if r.Index().Find(id) != nil {
		t.Error("it is in the index while it is held")
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	o.Now = func() time.Time { return time.Now().Add(2 * jobdir.SweepEvery) }
	sweepAll(t, r, o)
	if r.Index().Find(id) == nil {
		t.Error("it is not in the index when nobody holds it")
	}
}

// Where looking at what stays takes longer than a slice, a sweep still ends.
func TestSweepOfSlowJobsEnds(t *testing.T) {
	t.Run("to be read", func(t *testing.T) {
		r := newRoot(t)
		for range 3 { // damaged, so that the index does not have them
			_, dir := create(t, r, jobdir.Meta{})
			write(t, dir+"/"+jobdir.MetaFile, "{")
		}
		o := sweepsEverything()
		o.Ours = func(*jobdir.Record) bool {
			time.Sleep(jobdir.SweepSlice)
			return true
		}
		sweepAll(t, r, o)
	})
	t.Run("to be released", func(t *testing.T) {
		r := newRoot(t)
		for range 3 {
			id, _ := create(t, r, jobdir.Meta{})
			if err := r.Trash(time.Unix(0, 0), id); err != nil {
				t.Fatal(err)
			}
		}
		o := sweepsEverything()
		o.Release = func(context.Context, *jobdir.Record, string) error {
			time.Sleep(jobdir.SweepSlice)
			return errors.New("not now")
		}
		sweepAll(t, r, o)
		if left, err := r.InTrash(); err != nil || len(left) != 3 {
			t.Errorf("%d left in the trash, %v", len(left), err)
		}
	})
}
