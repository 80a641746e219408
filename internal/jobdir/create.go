package jobdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/engine/record"
)

// Create makes the directory of a new job under an id made of slug, which it
// sets in m, with meta.json in it. prepare, unless nil, gets the directory before
// it has its name, to put in it what must be there from the first moment, such as
// the lock (see Meta.Held); its error undoes everything. Nothing is flushed: a
// start does not wait for a disk.
func (r *Root) Create(m *Meta, slug string, prepare func(dir string) error) (dir string, err error) {
	tmp, err := r.newDir()
	if err != nil {
		return "", err
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
	for range attempts {
		m.ID = record.ID(NewID(slug))
		dir = r.Dir(string(m.ID))
		if err = r.publish(tmp, m); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
	return "", r.noFreeID(slug)
}

// Adopt makes the directory of a job that runs, or ran, on a host, from what the host has
// of it: under its id there, or another if that is taken here, which it sets in m. The
// error is fs.ErrExist if the directory under its id is that of the same job.
func (r *Root) Adopt(m *Meta, st *record.State) error {
	tmp, err := r.newDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := WriteState(tmp, st); err != nil {
		return unusable(r.path, err)
	}
	for range attempts {
		if err := r.publish(tmp, m); !errors.Is(err, fs.ErrExist) {
			return err
		}
		if was, err := ReadMeta(r.Dir(string(m.ID))); err == nil && was.Token == m.Token {
			return fs.ErrExist
		}
		m.ID = record.ID(NewID(m.Name))
	}
	return r.noFreeID(m.Name)
}

// attempts is how many ids are tried until one is free.
const attempts = 100

// newDir makes a directory of a job that has no name yet.
func (r *Root) newDir() (string, error) {
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
	return tmp, nil
}

// publish writes meta.json to tmp and gives tmp the name of the job. The error is
// fs.ErrExist if that is taken, here or in the trash, or is no id.
func (r *Root) publish(tmp string, m *Meta) error {
	id := string(m.ID)
	if _, err := os.Lstat(r.trash(id)); err == nil || !ValidID(id) {
		return fs.ErrExist
	}
	file := *m
	file.Exact = exactOf(m)
	data, err := json.Marshal(&file)
	if err != nil {
		return fmt.Errorf("meta.json: %w", err)
	}
	if err := os.WriteFile(filepath.Join(tmp, MetaFile), append(data, '\n'), 0o600); err != nil {
		return unusable(r.path, err)
	}
	// A directory that is not empty cannot be renamed onto: a taken id fails.
	if err := os.Rename(tmp, r.Dir(id)); err != nil {
		if _, statErr := os.Lstat(r.Dir(id)); statErr == nil {
			return fs.ErrExist
		}
		return unusable(r.path, err)
	}
	return nil
}

func (r *Root) noFreeID(name string) error {
	return &RootError{Path: r.path, Why: "no free job id found for " + Slug(name), Err: fs.ErrExist}
}
