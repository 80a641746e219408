package statedir_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
)

func sweepAll(t *testing.T, r *statedir.Root, o statedir.SweepOptions) {
	t.Helper()
	if err := r.Sweep(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

func sweepsEverything() statedir.SweepOptions {
	return statedir.SweepOptions{
		Keep: statedir.Keep{Age: -1, Count: -1, Bytes: -1, Trash: time.Hour}, Now: time.Now,
		Ours: func(*jobdir.Record) bool { return true },
	}
}

// The holder of a job that has ended may still record survivors.
func TestSweepDoesNotIndexJobsWithHolder(t *testing.T) {
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
		t.Error("the job is in the index while it has a holder")
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	o.Now = func() time.Time { return time.Now().Add(2 * statedir.SweepEvery) }
	sweepAll(t, r, o)
	if r.Index().Find(id) == nil {
		t.Error("the job is not in the index after its holder has exited")
	}
}

// A job that cannot be read or released does not keep the sweep from deleting others.
func TestSweepContinuesAfterFailures(t *testing.T) {
	r := newRoot(t)
	for range 3 {
		_, dir := create(t, r, jobdir.Meta{})
		write(t, dir+"/"+jobdir.MetaFile, "{")
		id, _ := create(t, r, jobdir.Meta{})
		if err := r.Trash(time.Unix(0, 0), id); err != nil {
			t.Fatal(err)
		}
	}
	o, asked := sweepsEverything(), 0
	o.Release = func(context.Context, *jobdir.Record, string) error {
		asked++
		return errors.New("not now")
	}
	sweepAll(t, r, o)
	if left, err := r.InTrash(); err != nil || len(left) != 3 || asked != 3 {
		t.Errorf("%d left in the trash, %d asked for, %v", len(left), asked, err)
	}
}

// The next call continues a canceled sweep, without waiting for an hour.
func TestSweepStopsWhenCanceled(t *testing.T) {
	r := newRoot(t)
	for range 3 {
		id, _ := create(t, r, jobdir.Meta{})
		if err := r.Trash(time.Unix(0, 0), id); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := sweepsEverything()
	o.Release = func(context.Context, *jobdir.Record, string) error { cancel(); return nil }
	if err := r.Sweep(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	if left, err := r.InTrash(); err != nil || len(left) != 2 {
		t.Errorf("%d left in the trash, %v", len(left), err)
	}
	sweepAll(t, r, o)
	if left, err := r.InTrash(); err != nil || len(left) != 0 {
		t.Errorf("%d left in the trash by the next sweep, %v", len(left), err)
	}
}
