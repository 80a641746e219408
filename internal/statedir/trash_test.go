package statedir_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
)

func TestTrash(t *testing.T) {
	r := newRoot(t)
	a, _ := create(t, r, jobdir.Meta{})
	b, _ := create(t, r, jobdir.Meta{})
	c, _ := create(t, r, jobdir.Meta{})
	now := time.Now()
	if err := errors.Join(r.Trash(now.Add(-time.Minute), c), r.Trash(now, a, b)); err != nil {
		t.Fatal(err)
	}
	last, err := r.LastCleared()
	want := []string{a, b}
	slices.Sort(want)
	if diff := cmp.Diff(want, last); diff != "" || err != nil {
		t.Errorf("err %v, last cleared:\n%s", err, diff)
	}
	for _, id := range []string{a, b} {
		if err := r.Restore(id); err != nil {
			t.Error(err)
		}
	}
	if last, _ := r.LastCleared(); len(last) != 1 || last[0] != c {
		t.Errorf("then %v", last)
	}
	for _, id := range []string{a, "nothing", "../jobs/" + b} {
		if err := r.Restore(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("restore %q: %v", id, err)
		}
	}
	if err := r.Delete(c); err != nil {
		t.Error(err)
	}
	if all, _ := r.InTrash(); len(all) != 0 {
		t.Errorf("left: %v", all)
	}
}

// The user may be looking at the job that ended last, so it stays however large it is.
// Older jobs are removed, oldest first.
func TestSweepKeepsTheJobThatEndedLast(t *testing.T) {
	for name, c := range map[string]struct {
		sizes []int // the newest first
		stay  int
	}{
		"larger than the limit":                   {[]int{1000}, 1},
		"larger than the limit, with others":      {[]int{1000, 1, 1}, 1},
		"the others leave room":                   {[]int{200, 200, 100}, 3},
		"the oldest are too many bytes":           {[]int{200, 200, 101, 1}, 2},
		"an older one is larger than the limit":   {[]int{1, 1000, 1}, 1},
		"the newest has nothing, the next is big": {[]int{0, 501}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r, now, code := newRoot(t), time.Now(), 0
			var ids []string
			for i, size := range c.sizes {
				id, dir := create(t, r, jobdir.Meta{})
				write(t, filepath.Join(dir, jobdir.OutputFile), strings.Repeat("x", size))
				st := record.State{Exit: record.Exit{Status: "exited", Code: &code, At: now.Add(time.Duration(-i) * time.Minute)}}
				if err := jobdir.Finish(dir, &st); err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
			o := sweepsEverything()
			o.Keep.Bytes = 500
			sweepAll(t, r, o)
			for i, id := range ids {
				if _, err := os.Stat(r.Dir(id)); (err == nil) != (i < c.stay) {
					t.Errorf("job %d: %v, want %d to stay", i, err, c.stay)
				}
			}
			for _, id := range ids[c.stay:] {
				if err := r.Restore(id); err != nil {
					t.Errorf("bring %s back: %v", id, err)
				}
			}
		})
	}
}

func TestSweep(t *testing.T) {
	r := newRoot(t)
	now := time.Now()
	end := func(id string, age time.Duration, size int, machine string) {
		code := 0
		write(t, filepath.Join(r.Dir(id), jobdir.OutputFile), strings.Repeat("x", size))
		st := record.State{Machine: machine, Exit: record.Exit{Status: "exited", Code: &code, At: now.Add(-age)}}
		if err := jobdir.Finish(r.Dir(id), &st); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[string]string{}
	for name, c := range map[string]struct {
		age     time.Duration
		size    int
		machine string
	}{
		"new":       {time.Minute, 10, "here"},
		"newer":     {2 * time.Minute, 10, "here"},
		"old":       {8 * 24 * time.Hour, 10, "here"},
		"old there": {8 * 24 * time.Hour, 10, "there"},
		"big":       {3 * time.Minute, 1000, "here"},
		"too many":  {4 * time.Minute, 0, "here"},
	} {
		id, _ := create(t, r, jobdir.Meta{})
		end(id, c.age, c.size, c.machine)
		ids[id] = name
	}
	running, _ := create(t, r, jobdir.Meta{Request: record.Request{CreatedAt: now.Add(-30 * 24 * time.Hour)}})
	ids[running] = "running"
	cleared, _ := create(t, r, jobdir.Meta{})
	kept, _ := create(t, r, jobdir.Meta{})
	if err := errors.Join(r.Trash(now.Add(-2*time.Hour), cleared), r.Trash(now.Add(-time.Minute), kept)); err != nil {
		t.Fatal(err)
	}
	orphan := r.Dir("orphan-22222")
	half := filepath.Join(r.Jobs(), ".new-123")
	young := r.Dir("young-22222")
	for _, d := range []string{orphan, half, young} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ids["young-22222"] = "young"
	for _, d := range []string{orphan, half} {
		if err := os.Chtimes(d, now.Add(-2*time.Hour), now.Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	releaseRecord := 0
	o := statedir.SweepOptions{
		Keep:    statedir.Keep{Age: 7 * 24 * time.Hour, Count: 4, Bytes: 500, Trash: time.Hour},
		Now:     func() time.Time { return now },
		Ours:    func(rec *jobdir.Record) bool { return rec.State.Machine != "there" },
		Release: func(context.Context, *jobdir.Record, string) error { releaseRecord++; return nil },
	}
	sweep := func() {
		if err := r.Sweep(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	sweep()
	left, err := r.IDs()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, id := range left {
		names = append(names, ids[id])
	}
	slices.Sort(names)
	// Jobs older than the big one are removed, too.
	if diff := cmp.Diff([]string{"new", "newer", "old there", "running", "young"}, names); diff != "" {
		t.Errorf("left:\n%s", diff)
	}
	// Jobs beyond the count or the bytes can be restored, but are not part of the last clear.
	ids[kept] = "kept"
	names = nil
	trash, _ := r.InTrash()
	for _, j := range trash {
		names = append(names, ids[j.ID])
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"big", "kept", "too many"}, names); diff != "" || releaseRecord != 2 {
		t.Errorf("released %d, in the trash:\n%s", releaseRecord, diff)
	}
	if last, err := r.LastCleared(); err != nil || len(last) != 1 || last[0] != kept {
		t.Errorf("the last clear is %v, %v", last, err)
	}
	if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half made %s: %v", half, err)
	}
	// The next sweep is an hour later.
	o.Keep.Age = 0
	sweep()
	if again, _ := r.IDs(); len(again) != len(left) {
		t.Errorf("swept twice within the hour: %d left", len(again))
	}
	now = now.Add(2 * time.Hour)
	sweep()
	if again, _ := r.IDs(); len(again) != 2 { // running, old there
		t.Errorf("an hour later %d left", len(again))
	}
}
