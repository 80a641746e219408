package statedir

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

const (
	// SweepEvery is the minimum time between two sweeps of a root.
	SweepEvery = time.Hour
	// orphanAge is the age at which a directory without meta.json is deleted.
	orphanAge = time.Hour
	// placeAge is the age at which a file in jobdir.RevivedDir is deleted.
	placeAge = 30 * 24 * time.Hour
)

// Keep is the retention of finished jobs. A negative field means no limit.
type Keep struct {
	Age   time.Duration // since the end
	Count int
	Bytes int64         // of all their logs
	Trash time.Duration // in the trash
}

// SweepOptions are the parameters of a sweep.
type SweepOptions struct {
	Keep Keep
	Now  func() time.Time
	// Boot identifies this boot of the machine, and SinceBoot returns the time since then
	// by a clock that cannot be set. Without them, ages depend on Now alone.
	Boot      string
	SinceBoot func() time.Duration
	// Ours reports whether a job was on this machine. Other jobs are not swept.
	Ours func(*jobdir.Record) bool
	// Release removes what a job has elsewhere, for example on its host, before its
	// directory is deleted. After an error the directory stays in the trash.
	Release func(ctx context.Context, r *jobdir.Record, dir string) error
}

// sweepDue reports whether the last sweep was at least SweepEvery ago.
func sweepDue(lockPath string, now time.Time) bool {
	fi, err := os.Stat(lockPath)
	if err != nil {
		return true
	}
	since := now.Sub(fi.ModTime())
	return since < 0 || since >= SweepEvery
}

// Sweep deletes jobs and leftovers that need not be kept any longer. If ctx ends first,
// the next call continues. Sweep does nothing while another program sweeps, and within
// SweepEvery of the last sweep.
func (r *Root) Sweep(ctx context.Context, o SweepOptions) error {
	lockPath := filepath.Join(r.Jobs(), sweepName)
	now := o.Now()
	if !sweepDue(lockPath, now) {
		return nil
	}
	lock, err := jobdir.LockPath(lockPath)
	switch {
	case errors.Is(err, jobdir.ErrLocked), errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unusable(r.path, err)
	}
	defer lock.Close()
	_ = r.Make() // roots of earlier versions may lack the trash
	// A sweep that does not finish is repeated at once.
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
	if err := s.oldPlaces(); err != nil {
		return err
	}
	err := s.expire()
	s.ages.save(s.Root)
	if err != nil {
		return err
	}
	// A job's line is removed from the index before its directory is deleted from the
	// trash, because after that its id can be reused.
	if err := s.compactIndex(s.exists); err != nil {
		return err
	}
	return s.emptyTrash()
}

func (s *sweep) exists(id string) bool {
	if _, err := os.Lstat(s.Dir(id)); err == nil {
		return true
	}
	fi, err := os.Lstat(s.TrashDir(id))
	return err == nil && !s.stale(fi.ModTime())
}

func (s *sweep) stale(trashed time.Time) bool {
	return s.o.Keep.Trash >= 0 && s.ages.olderThan(trashed, s.o.Keep.Trash)
}

// unfinishedDirs deletes job directories whose creation was interrupted.
func (s *sweep) unfinishedDirs() error {
	entries, err := os.ReadDir(s.Jobs())
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), jobdir.NewPrefix) {
			continue
		}
		path := filepath.Join(s.Jobs(), e.Name())
		if !s.abandoned(path) {
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

// oldPlaces deletes what shows which jobs were started in the place of lost ones, after a time in which every client
// has found the new jobs.
func (s *sweep) oldPlaces() error {
	dir := filepath.Join(s.Jobs(), jobdir.RevivedDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is none, or it cannot be read now
	}
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil || !s.ages.olderThan(fi.ModTime(), placeAge) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// abandoned reports whether a directory exists and was not changed for orphanAge.
func (s *sweep) abandoned(dir string) bool {
	fi, err := os.Lstat(dir)
	return err == nil && s.ages.olderThan(fi.ModTime(), orphanAge)
}

// ended is a finished job that a sweep may remove.
type ended struct {
	id    string
	at    time.Time // by the current wall clock
	old   bool      // older than the retention allows
	bytes int64
}

// expire moves jobs that retention no longer keeps to the trash. Those that are too old
// get a time in 1970, so that this sweep deletes them. The job that ended last stays
// however large its log is, because the user may be looking at it.
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
		case exceeds(i+1, k.Count):
		case i > 0 && exceeds(sum, k.Bytes): // the newest job stays
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

// exceeds reports whether n is more than a limit of the retention; a negative one is none.
func exceeds[T int | int64 | time.Duration](n, limit T) bool { return limit >= 0 && n > limit }

func (s *sweep) finished() ([]ended, error) {
	ids, err := s.IDs()
	if err != nil {
		return nil, err
	}
	index := s.Index()
	var jobs []ended
	var fresh []*jobdir.Record
	defer func() { s.AddToIndex(fresh...) }() //nolint:errcheck // the index is only a cache
	for _, id := range ids {
		rec := index.Find(id)
		if rec == nil {
			if err := s.ctx.Err(); err != nil {
				return nil, err
			}
			read, err := jobdir.Read(s.Dir(id))
			if errors.Is(err, jobdir.ErrNoMeta) {
				s.orphan(id)
			}
			if err != nil {
				continue
			}
			rec = &read
			// While the job has a holder, that may still change the record.
			if rec.Finished() && !jobdir.Locked(s.Dir(id)) {
				fresh = append(fresh, rec)
			}
		}
		if !s.hasEnded(id, rec) || !s.o.Ours(rec) {
			continue
		}
		at, old := s.ages.ended(rec, s.Dir(id), s.o.Keep.Age)
		jobs = append(jobs, ended{id, at, old, max(0, rec.Output-rec.State.Dropped)})
	}
	return jobs, nil
}

// hasEnded reports whether a job has ended. One with a damaged meta.json has if it has no holder.
func (s *sweep) hasEnded(id string, rec *jobdir.Record) bool {
	if rec.Finished() {
		return true
	}
	return rec.Problem != "" && !jobdir.Locked(s.Dir(id))
}

// orphan deletes a directory without meta.json if it is older than orphanAge.
func (s *sweep) orphan(id string) {
	dir := s.Dir(id)
	if !s.abandoned(dir) || jobdir.Locked(dir) {
		return
	}
	if s.moveToTrash(time.Unix(0, 0), id) == nil {
		s.Delete(id) //nolint:errcheck // the next sweep finds it in the trash
	}
}

// emptyTrash deletes jobs that were in the trash for longer than Keep.Trash.
func (s *sweep) emptyTrash() error {
	all, err := s.InTrash()
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.At.Sub(s.ages.now) > maxJump { // cleared when the clock was ahead
			t.At = s.ages.firstSeen(s.TrashDir(t.ID))
		}
		if !s.stale(t.At) {
			continue
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		rec, err := jobdir.Read(s.TrashDir(t.ID))
		if releaseRecord(s.ctx, &rec, err, s.TrashDir(t.ID), s.o.Release) != nil {
			continue
		}
		if err := s.Delete(t.ID); err != nil {
			return err
		}
	}
	return nil
}

// releaseRecord calls release for the job whose directory dir is about to be deleted. err
// is the error of reading rec. After an error dir must not be deleted.
func releaseRecord(ctx context.Context, rec *jobdir.Record, err error, dir string, release func(context.Context, *jobdir.Record, string) error) error {
	if rec.ReadErr.Temporary() {
		return rec.ReadErr // the host of the job is unknown for now
	}
	switch {
	case release == nil:
		return nil
	case err != nil && rec.ReadErr == nil:
		return nil
	}
	return release(ctx, rec, dir)
}

// A sweep deletes by age, and the wall clock can be wrong by years, for example on a
// machine without a clock battery or after a manual change. So each sweep records the
// clocks for the next one, and ages are computed only from clocks that can be trusted:
//
//   - The age of a job that ended in this boot is measured by the monotonic clock.
//   - After a jump of the wall clock, nothing is old by the wall clock until
//     trustAfter has passed.
//   - A job that ended in the future ages from the first sweep that saw it.
const (
	// maxJump is the largest difference between the wall clock and the monotonic clock
	// since the last sweep, and the furthest end in the future, that is taken for a
	// normal correction of the clock.
	maxJump = 24 * time.Hour
	// maxAbsence is the longest time between sweeps of two boots that is not taken for a
	// jump of the clock.
	maxAbsence = 30 * 24 * time.Hour
	// trustAfter is the time after a jump during which the user can correct the clock
	// before ages by it count again.
	trustAfter = 24 * time.Hour
)

// clockNote is what a sweep records for the next one.
type clockNote struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"` // of the sweep
	Boot    string    `json:"boot_id,omitempty"`
	BootMS  int64     `json:"boot_ms,omitempty"`
	Jumped  time.Time `json:"jumped,omitzero"` // when the last jump of the clock was detected
}

// maxClockNote is the largest note that is read, in bytes.
const maxClockNote = 1 << 20

// ages computes ages at the time of a sweep.
type ages struct {
	now    time.Time
	boot   string
	since  time.Duration // since the boot; 0: unknown
	jumped time.Time     // see clockNote
	doubt  bool          // the wall clock cannot be trusted
}

// ages compares the clocks with the note of the last sweep.
func (r *Root) ages(now time.Time, o SweepOptions) *ages {
	a := &ages{now: now.Round(0)}
	if o.SinceBoot != nil && o.Boot != "" {
		a.boot, a.since = o.Boot, o.SinceBoot()
	}
	last, ok := r.readClockNote()
	if !ok {
		return a
	}
	a.jumped = last.Jumped
	passed := a.now.Sub(last.At)
	most, least := maxAbsence, -maxJump
	if a.sameBoot(last.Boot) && last.BootMS > 0 {
		exact := a.since - time.Duration(last.BootMS)*time.Millisecond
		most, least = exact+maxJump, exact-maxJump
	}
	if passed > most || passed < least {
		a.jumped = a.now
	}
	a.doubt = !a.jumped.IsZero() && a.now.Sub(a.jumped) < trustAfter
	return a
}

func (r *Root) readClockNote() (n clockNote, ok bool) {
	data, err := plainfile.Read(r.clockNotePath(), maxClockNote)
	if err != nil || json.Unmarshal(data, &n) != nil || n.At.IsZero() {
		return clockNote{}, false
	}
	return n, true
}

func (r *Root) clockNotePath() string { return filepath.Join(r.path, clockNoteName) }

// save records the clocks. Without a note, the next sweep detects no jump.
func (a *ages) save(r *Root) {
	data, err := json.Marshal(&clockNote{
		Version: jobdir.Version,
		At:      a.now,
		Boot:    a.boot,
		BootMS:  a.since.Milliseconds(),
		Jumped:  a.jumped,
	})
	if err == nil {
		_ = atomicfile.Write(r.clockNotePath(), append(data, '\n')) // optional, see above
	}
}

// sameBoot reports whether a time by the monotonic clock of that boot can be compared with now.
func (a *ages) sameBoot(boot string) bool { return a.since > 0 && a.boot == boot }

// olderThan reports whether the time at, by the wall clock, is at least age ago. A time
// in 1970 always is: it marks directories to delete.
func (a *ages) olderThan(at time.Time, age time.Duration) bool {
	return at.Unix() <= 0 || !a.doubt && a.now.Sub(at) >= age
}

// ended returns when the finished job in dir ended, by the current wall clock as far as
// known, and whether that is longer ago than keep. A negative keep has no limit.
func (a *ages) ended(rec *jobdir.Record, dir string, keep time.Duration) (at time.Time, old bool) {
	at = rec.EndedAt()
	if end := rec.State.Exit; a.sameBoot(rec.State.BootID) && end.SinceBoot > 0 {
		age := a.since - end.SinceBoot.Duration()
		return a.now.Add(-age), exceeds(age, keep)
	}
	if at.Sub(a.now) > maxJump {
		at = a.firstSeen(dir)
	}
	return at, !a.doubt && exceeds(a.now.Sub(at), keep)
}

// firstSeen returns when a sweep first saw dir, whose recorded time is in the future. It
// is stored as the modification time of dir, which was in the future, too.
func (a *ages) firstSeen(dir string) time.Time {
	fi, err := os.Lstat(dir)
	if err == nil && !fi.ModTime().After(a.now) {
		return fi.ModTime()
	}
	_ = os.Chtimes(dir, a.now, a.now) // on failure the age starts with the next sweep
	return a.now
}
