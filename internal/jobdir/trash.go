package jobdir

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Trash moves job directories into the trash, where they stay whole until a
// sweep. All of one call have the same time on their directory: that is what
// tells the last clear from the one before, and how long something lies there.
func (r *Root) Trash(at time.Time, ids ...string) error {
	at = at.Truncate(time.Microsecond) // what every file system can keep
	if IsSwept(at) {
		at = at.Add(time.Microsecond)
	}
	return r.moveToTrash(at, ids...)
}

// sweptAt is the time of what a sweep moves to the trash now: a whole second, which a
// clear never has.
func sweptAt(now time.Time) time.Time { return now.Truncate(time.Second) }

// IsSwept reports whether that is the time of what a sweep, and no clear, has moved to
// the trash. On a file system without fractions of a second it always is.
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
		if err := os.Rename(r.Dir(id), r.trash(id)); err != nil {
			return err
		}
		// Some file systems count the move itself as a change.
		if err := os.Chtimes(r.trash(id), at, at); err != nil {
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

// InTrash lists the trash, the latest first.
func (r *Root) InTrash() ([]Trashed, error) {
	names, err := jobNames(filepath.Join(r.path, trashName))
	if err != nil {
		return nil, err
	}
	var all []Trashed
	for _, id := range names {
		if fi, err := os.Lstat(r.trash(id)); err == nil {
			all = append(all, Trashed{id, fi.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b Trashed) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// LastCleared is what the last call of Trash left in the trash; if there is nothing of
// any, or the file system keeps no fractions of a second, what came there last.
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

// Restore moves a directory back out of the trash. The error matches
// fs.ErrNotExist if it is not there (any more).
func (r *Root) Restore(id string) error {
	if !ValidID(id) {
		return fs.ErrNotExist
	}
	if err := os.Rename(r.trash(id), r.Dir(id)); err != nil {
		return err
	}
	return unabandon(r.Dir(id))
}

// EmptyTrash deletes the trash for good but for what release, as in [SweepOptions],
// refuses with an error. It returns the records of what it deleted.
func (r *Root) EmptyTrash(ctx context.Context, release func(ctx context.Context, rec *Record, dir string) error) ([]*Record, error) {
	all, err := r.InTrash()
	if err != nil {
		return nil, err
	}
	var deleted []*Record
	var errs []error
	for _, t := range all {
		if err := ctx.Err(); err != nil {
			return deleted, err
		}
		rec, err := Read(r.trash(t.ID))
		if err := released(ctx, &rec, err, r.trash(t.ID), release); err != nil {
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

// SetAside moves a job directory to where it is no job any more and returns its path
// there: a later sweep deletes what the caller does not. That is in the trash, or, where
// the trash cannot be made because the disk is full, beside the jobs.
func (r *Root) SetAside(id string) (dir string, err error) {
	past := time.Unix(0, 0)
	err = r.moveToTrash(past, id)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return r.trash(id), err
	}
	dir = filepath.Join(r.Jobs(), newPrefix+id)
	if os.Rename(r.Dir(id), dir) != nil {
		return "", err
	}
	_ = os.Chtimes(dir, past, past) // else the sweep deletes it an hour later
	return dir, nil
}

// TrashDir is where the directory of a cleared job lies.
func (r *Root) TrashDir(id string) string { return r.trash(id) }

// Delete deletes a directory in the trash for good.
func (r *Root) Delete(id string) error {
	if !ValidID(id) {
		return fs.ErrNotExist
	}
	err := os.RemoveAll(r.trash(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
