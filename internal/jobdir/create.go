package jobdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Create makes the directory of a new job under an id made of slug, which it
// sets in m, with meta.json in it. prepare, unless nil, gets the directory before
// it has its name, to put in it what must be there from the first moment, such as
// the lock (see Meta.Held); its error undoes everything. Nothing is flushed: a
// start does not wait for a disk.
func (r *Root) Create(m *Meta, slug string, prepare func(dir string) error) (dir string, err error) {
	tmp, err := os.MkdirTemp(r.Jobs(), newPrefix)
	if errors.Is(err, fs.ErrNotExist) {
		if err := r.Make(); err != nil {
			return "", err
		}
		tmp, err = os.MkdirTemp(r.Jobs(), newPrefix)
	}
	if err != nil {
		return "", unusable(r.path, err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(tmp)
		}
	}()
	if err := roomFor(tmp); err != nil {
		return "", unusable(r.path, err)
	}
	if prepare != nil {
		if err := prepare(tmp); err != nil {
			if closedToOwner(tmp) {
				return "", unusable(tmp, err)
			}
			return "", err
		}
	}
	_, lockErr := os.Lstat(filepath.Join(tmp, LockFile))
	m.Version, m.Held = Version, lockErr == nil
	m.Exact = exactOf(m)
	defer func() { m.Exact = nil }()
	for range 100 {
		m.ID = NewID(slug)
		if r.inTrash(m.ID) {
			continue
		}
		data, err := json.Marshal(m)
		if err != nil {
			return "", fmt.Errorf("meta.json: %w", err)
		}
		if err := os.WriteFile(filepath.Join(tmp, MetaFile), append(data, '\n'), 0o600); err != nil {
			return "", unusable(r.path, err)
		}
		dir = r.Dir(m.ID)
		// A directory that is not empty cannot be renamed onto: a taken id fails.
		err = os.Rename(tmp, dir)
		if err == nil {
			return dir, nil
		}
		if _, statErr := os.Lstat(dir); statErr != nil {
			return "", unusable(r.path, err)
		}
	}
	return "", &RootError{Path: r.path, Why: "no free job id found for " + Slug(slug), Err: fs.ErrExist}
}

func (r *Root) inTrash(id string) bool {
	_, err := os.Lstat(r.trash(id))
	return err == nil
}

// Adopt makes the directory of a job that runs, or ran, on a host, from what the host has
// of it: under its id there, or another if that is taken here, which it sets in m. The
// error is fs.ErrExist if the directory under its id is that of the same job.
func (r *Root) Adopt(m *Meta, st *State) error {
	if err := r.Make(); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(r.Jobs(), newPrefix)
	if err != nil {
		return unusable(r.path, err)
	}
	defer os.RemoveAll(tmp)
	m.Exact = exactOf(m)
	defer func() { m.Exact = nil }()
	for range 100 {
		if ValidID(m.ID) && !r.inTrash(m.ID) {
			data, err := json.Marshal(m)
			if err != nil {
				return fmt.Errorf("meta.json: %w", err)
			}
			if err := os.WriteFile(filepath.Join(tmp, MetaFile), append(data, '\n'), 0o600); err != nil {
				return unusable(r.path, err)
			}
			if err := WriteState(tmp, st); err != nil {
				return unusable(r.path, err)
			}
			if os.Rename(tmp, r.Dir(m.ID)) == nil {
				return nil
			}
		}
		if was, err := ReadMeta(r.Dir(m.ID)); err == nil && was.Token == m.Token {
			return fs.ErrExist
		}
		m.ID = NewID(m.Name)
	}
	return &RootError{Path: r.path, Why: "no free job id found for " + Slug(m.Name), Err: fs.ErrExist}
}
