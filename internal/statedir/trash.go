package statedir

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Trash moves job directories to the trash, where they stay complete until a sweep. It
// sets the modification time of all of them to the same time, which identifies the jobs
// of one clear, and from which their time in the trash counts.
func (r *Root) Trash(at time.Time, ids ...string) error {
	at = at.Truncate(time.Microsecond) // the resolution of most file systems
	if IsSwept(at) {
		at = at.Add(time.Microsecond)
	}
	return r.moveToTrash(at, ids...)
}

// sweptAt returns the time for directories that a sweep moves to the trash now: a whole
// second, which Trash never uses.
func sweptAt(now time.Time) time.Time { return now.Truncate(time.Second) }

// IsSwept reports whether a directory with this time was moved to the trash by a sweep,
// not by a clear. It is always true on a file system without fractions of a second.
func IsSwept(trashed time.Time) bool { return trashed.Nanosecond() == 0 }

func (r *Root) moveToTrash(at time.Time, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(r.path, trashName), 0o700); err != nil {
		return unusable(r.path, err)
	}
	for _, id := range ids {
		if err := os.Chtimes(r.Dir(id), at, at); err != nil {
			return err
		}
		if err := os.Rename(r.Dir(id), r.TrashDir(id)); err != nil {
			return err
		}
		// On some file systems, renaming a directory changes its modification time.
		if err := os.Chtimes(r.TrashDir(id), at, at); err != nil {
			return err
		}
	}
	return nil
}

// Trashed is one directory in the trash.
type Trashed struct {
	ID string
	At time.Time
}

// InTrash lists the trash, newest first.
func (r *Root) InTrash() ([]Trashed, error) {
	names, err := jobNames(filepath.Join(r.path, trashName))
	if err != nil {
		return nil, err
	}
	var all []Trashed
	for _, id := range names {
		if fi, err := os.Lstat(r.TrashDir(id)); err == nil {
			all = append(all, Trashed{id, fi.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b Trashed) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// LastCleared returns the ids that the last call of Trash moved to the trash. If there are
// none, or the file system stores no fractions of a second, it returns the ids that were
// moved there last.
func (r *Root) LastCleared() ([]string, error) {
	all, err := r.InTrash()
	if err != nil {
		return nil, err
	}
	if cleared := slices.DeleteFunc(slices.Clone(all), func(t Trashed) bool { return IsSwept(t.At) }); len(cleared) > 0 {
		all = cleared
	}
	if len(all) == 0 {
		return nil, nil
	}
	var ids []string
	for _, t := range all {
		if t.At.Equal(all[0].At) {
			ids = append(ids, t.ID)
		}
	}
	return ids, nil
}

// Restore moves a directory from the trash back to the jobs. The error matches
// fs.ErrNotExist if it is not in the trash.
func (r *Root) Restore(id string) error {
	if !jobdir.ValidID(id) {
		return fs.ErrNotExist
	}
	if err := os.Rename(r.TrashDir(id), r.Dir(id)); err != nil {
		return err
	}
	return jobdir.Unabandon(r.Dir(id))
}

// EmptyTrash deletes all jobs in the trash for which release, as in [SweepOptions],
// succeeds. It returns the records of the deleted jobs.
func (r *Root) EmptyTrash(ctx context.Context, release func(ctx context.Context, rec *jobdir.Record, dir string) error) ([]*jobdir.Record, error) {
	all, err := r.InTrash()
	if err != nil {
		return nil, err
	}
	var deleted []*jobdir.Record
	var errs []error
	for _, t := range all {
		if err := ctx.Err(); err != nil {
			return deleted, err
		}
		rec, err := jobdir.Read(r.TrashDir(t.ID))
		if err := releaseRecord(ctx, &rec, err, r.TrashDir(t.ID), release); err != nil {
			errs = append(errs, err)
			continue
		}
		if err := r.Delete(t.ID); err != nil {
			errs = append(errs, err)
			continue
		}
		rec.ID = t.ID
		deleted = append(deleted, &rec)
	}
	return deleted, errors.Join(errs...)
}

// Discard moves the directory of a job out of the list of jobs and returns its new path.
// A later sweep deletes it if the caller does not. The new place is the trash or, if that
// cannot be created on a full disk, a hidden name beside the jobs.
func (r *Root) Discard(id string) (dir string, err error) {
	past := time.Unix(0, 0)
	err = r.moveToTrash(past, id)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return r.TrashDir(id), err
	}
	dir = filepath.Join(r.Jobs(), jobdir.NewPrefix+id)
	if os.Rename(r.Dir(id), dir) != nil {
		return "", err
	}
	_ = os.Chtimes(dir, past, past) // on failure the sweep deletes it an hour later
	return dir, nil
}

// Delete permanently deletes a directory in the trash.
func (r *Root) Delete(id string) error {
	if !jobdir.ValidID(id) {
		return fs.ErrNotExist
	}
	err := os.RemoveAll(r.TrashDir(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
