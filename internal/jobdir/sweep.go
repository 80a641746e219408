package jobdir

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// SweepEvery is how often a root is swept at most.
	SweepEvery = time.Hour
	// orphanAge is how long a directory may stay without a meta.json.
	orphanAge = time.Hour
)

// Keep says what a sweep keeps of the finished jobs. A negative field is no
// limit.
type Keep struct {
	Age   time.Duration // since the end
	Count int
	Bytes int64         // of their logs together
	Trash time.Duration // in the trash
}

// SweepOptions is what a sweep needs to know.
type SweepOptions struct {
	Keep Keep
	Now  func() time.Time
	// Boot names this boot of the machine, and SinceBoot is how long ago that was,
	// by a clock that nobody can set. Without them only Now tells ages.
	Boot      string
	SinceBoot func() time.Duration
	// Ours reports whether the job was on this machine; others are left alone.
	Ours func(*Record) bool
	// Release gives up what is kept of a job elsewhere, before its directory is
	// deleted. After an error the directory stays in the trash.
	Release func(ctx context.Context, r *Record, dir string) error
}

// sweepDue reports whether the last sweep was long enough ago for the next.
func sweepDue(lockPath string, now time.Time) bool {
	fi, err := os.Stat(lockPath)
	return err != nil || now.Sub(fi.ModTime()) >= SweepEvery || fi.ModTime().After(now)
}

// Sweep deletes what need not be kept, until it is done or ctx is; then the next call goes
// on. It does nothing when another program sweeps, or one has within SweepEvery.
func (r *Root) Sweep(ctx context.Context, o SweepOptions) error {
	lockPath := filepath.Join(r.Jobs(), sweepName)
	now := o.Now()
	if !sweepDue(lockPath, now) {
		return nil
	}
	lock, err := lockFile(lockPath)
	switch {
	case errors.Is(err, ErrLocked), errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unusable(r.path, err)
	}
	defer lock.Close()
	_ = r.Make() // the trash, which roots of earlier versions may not have
	// Until it is done, the next one need not wait.
	if err := os.Chtimes(lockPath, time.Unix(0, 0), time.Unix(0, 0)); err != nil {
		return unusable(r.path, err)
	}
	s := sweep{Root: r, o: o, ctx: ctx, ages: r.ages(now, o)}
	if err := s.run(); err != nil {
		return err
	}
	return os.Chtimes(lockPath, now, now)
}

// sweep is one call of Sweep.
type sweep struct {
	*Root
	o    SweepOptions
	ages *ages
	ctx  context.Context // of that call
}

func (s *sweep) run() error {
	if err := s.unfinishedDirs(); err != nil {
		return err
	}
	err := s.expire()
	s.ages.save(s.Root)
	if err != nil {
		return err
	}
	// Lines of jobs that are nowhere go before the trash does, so that an id
	// that can be given again has none.
	if err := s.compactIndex(s.exists); err != nil {
		return err
	}
	return s.emptyTrash()
}

func (s *sweep) exists(id string) bool {
	if _, err := os.Lstat(s.Dir(id)); err == nil {
		return true
	}
	at, ok := s.trashedAt(id)
	return ok && !s.stale(at)
}

func (s *sweep) trashedAt(id string) (time.Time, bool) {
	fi, err := os.Lstat(s.trash(id))
	if err != nil {
		return time.Time{}, false
	}
	return fi.ModTime(), true
}

func (s *sweep) stale(trashed time.Time) bool {
	return s.o.Keep.Trash >= 0 && s.ages.over(trashed, s.o.Keep.Trash)
}

// unfinishedDirs deletes job directories whose creation was interrupted.
func (s *sweep) unfinishedDirs() error {
	entries, err := os.ReadDir(s.Jobs())
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), newPrefix) {
			continue
		}
		path := filepath.Join(s.Jobs(), e.Name())
		fi, err := os.Lstat(path)
		if err != nil || !s.ages.over(fi.ModTime(), orphanAge) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// ended is a finished job that a sweep may remove.
type ended struct {
	id    string
	at    time.Time // by the present clock
	old   bool      // kept long enough
	bytes int64
}

// expire moves into the trash the jobs that retention no longer keeps, those that are
// too old as if they had lain there long. The job that ended last stays however large
// its log is: its end may just have been seen.
func (s *sweep) expire() error {
	jobs, err := s.finished()
	if err != nil {
		return err
	}
	slices.SortFunc(jobs, func(a, b ended) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.id, b.id)) })
	k := s.o.Keep
	var sum int64
	for i, j := range jobs {
		sum += j.bytes
		at := sweptAt(s.ages.now)
		switch {
		case j.old:
			at = time.Unix(0, 0)
		case k.Count >= 0 && i >= k.Count, k.Bytes >= 0 && sum > k.Bytes && i > 0:
		default:
			continue
		}
		if err := s.moveToTrash(at, j.id); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (s *sweep) finished() ([]ended, error) {
	ids, err := s.IDs()
	if err != nil {
		return nil, err
	}
	index := s.Index()
	var jobs []ended
	var fresh []*Record
	defer func() { s.AddToIndex(fresh...) }() //nolint:errcheck // it only saves time
	for _, id := range ids {
		rec := index.Find(id)
		if rec == nil {
			if err := s.ctx.Err(); err != nil {
				return nil, err
			}
			read, err := Read(s.Dir(id))
			if errors.Is(err, ErrNoMeta) {
				s.orphan(id)
			}
			if err != nil {
				continue
			}
			rec = &read
			// Of what is held the holder may still add to the end.
			if rec.Finished() && !Locked(s.Dir(id)) {
				fresh = append(fresh, rec)
			}
		}
		// A job whose meta.json is damaged ended when its lock became free.
		damaged := rec.Problem != "" && !Locked(s.Dir(id))
		if !rec.Finished() && !damaged || !s.o.Ours(rec) {
			continue
		}
		at, old := s.ages.ended(rec, s.Dir(id), s.o.Keep.Age)
		jobs = append(jobs, ended{id, at, old, max(0, rec.Output-rec.State.Dropped)})
	}
	return jobs, nil
}

// orphan removes a directory without meta.json when it is old.
func (s *sweep) orphan(id string) {
	dir := s.Dir(id)
	fi, err := os.Lstat(dir)
	if err != nil || !s.ages.over(fi.ModTime(), orphanAge) || Locked(dir) {
		return
	}
	if s.moveToTrash(time.Unix(0, 0), id) == nil {
		s.Delete(id) //nolint:errcheck // the next sweep finds it in the trash
	}
}

// emptyTrash deletes what lay in the trash long enough.
func (s *sweep) emptyTrash() error {
	all, err := s.InTrash()
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.At.Sub(s.ages.now) > maxJump { // cleared when the clock was ahead
			t.At = s.ages.noticed(s.trash(t.ID))
		}
		if !s.stale(t.At) {
			continue
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		rec, err := Read(s.trash(t.ID))
		if released(s.ctx, &rec, err, s.trash(t.ID), s.o.Release) != nil {
			continue
		}
		if err := s.Delete(t.ID); err != nil {
			return err
		}
	}
	return nil
}

// released gives up what is kept elsewhere of the job whose directory dir is about to
// be deleted. After an error that is still there.
func released(ctx context.Context, rec *Record, err error, dir string, release func(context.Context, *Record, string) error) error {
	if rec.Unread != nil && isShortage(rec.Unread) {
		return rec.Unread // where it is cannot be known now
	}
	if err != nil && rec.Unread == nil || release == nil {
		return nil
	}
	return release(ctx, rec, dir)
}
