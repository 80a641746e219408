package statedir

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/diskspace"
	"github.com/hobjobs/hob/internal/jobdir"
)

// Create creates the directory of a new job, with meta.json in it, and sets m.ID to a new
// id derived from slug. Unless nil, prepare is called with the directory before it becomes
// visible under its id, to add files that must exist from the start, such as the lock (see
// Meta.Held). If prepare fails, nothing is created. Nothing is flushed, so that a start
// does not wait for the disk.
func (r *Root) Create(m *jobdir.Meta, slug string, prepare func(dir string) error) (dir string, err error) {
	tmp, err := r.newDir()
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(tmp)
		}
	}()
	if err := diskspace.Check(tmp); err != nil {
		return "", unusable(r.path, err)
	}
	if prepare != nil {
		if err := prepare(tmp); err != nil {
			if deniesOwner(tmp) {
				return "", unusable(tmp, err)
			}
			return "", err
		}
	}
	_, lockErr := os.Lstat(filepath.Join(tmp, jobdir.LockFile))
	m.Version, m.Held = jobdir.Version, lockErr == nil
	for range attempts {
		m.ID = record.ID(NewID(slug))
		dir = r.Dir(string(m.ID))
		if err = r.publish(tmp, m); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
	return "", r.noFreeID(slug)
}

// Adopt creates the directory of a job that runs, or ran, on a host, from the records that
// the host has. If the id in m is taken by another job, Adopt sets a new one. The error is
// fs.ErrExist if the directory of this job exists already.
func (r *Root) Adopt(m *jobdir.Meta, st *record.State) error {
	tmp, err := r.newDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := jobdir.WriteState(tmp, st); err != nil {
		return unusable(r.path, err)
	}
	for range attempts {
		if err := r.publish(tmp, m); !errors.Is(err, fs.ErrExist) {
			return err
		}
		if was, err := jobdir.ReadMeta(r.Dir(string(m.ID))); err == nil && was.Token == m.Token {
			return fs.ErrExist
		}
		m.ID = record.ID(NewID(m.Name))
	}
	return r.noFreeID(m.Name)
}

// attempts limits how many ids are tried until one is free.
const attempts = 100

// newDir creates a job directory under a temporary name.
func (r *Root) newDir() (string, error) {
	tmp, err := os.MkdirTemp(r.Jobs(), jobdir.NewPrefix)
	if errors.Is(err, fs.ErrNotExist) {
		if err := r.Make(); err != nil {
			return "", err
		}
		tmp, err = os.MkdirTemp(r.Jobs(), jobdir.NewPrefix)
	}
	if err != nil {
		return "", unusable(r.path, err)
	}
	return tmp, nil
}

// publish writes meta.json to tmp and renames tmp to the job's id. The error is
// fs.ErrExist if the id is invalid, or taken by a job or in the trash.
func (r *Root) publish(tmp string, m *jobdir.Meta) error {
	id := string(m.ID)
	if _, err := os.Lstat(r.TrashDir(id)); err == nil || !jobdir.ValidID(id) {
		return fs.ErrExist
	}
	data, err := json.Marshal(m.WithRaw())
	if err != nil {
		return fmt.Errorf("meta.json: %w", err)
	}
	if len(data) >= jobdir.MaxRecord {
		return fmt.Errorf("%w: the record of the command would have more than %d MiB; put the command into a script file", record.ErrInvalid, jobdir.MaxRecord>>20)
	}
	if err := os.WriteFile(filepath.Join(tmp, jobdir.MetaFile), append(data, '\n'), 0o600); err != nil {
		return unusable(r.path, err)
	}
	// If the id is taken, this fails: a rename cannot replace a directory with files.
	if err := os.Rename(tmp, r.Dir(id)); err != nil {
		if _, statErr := os.Lstat(r.Dir(id)); statErr == nil {
			return fs.ErrExist
		}
		return unusable(r.path, err)
	}
	return nil
}

func (r *Root) noFreeID(name string) error {
	return &RootError{Path: r.path, Why: "no free job ID found for " + Slug(name), Err: fs.ErrExist}
}

// idAlphabet is a-z and 2-9 without l and o, which look like 1 and 0. It has exactly 32
// characters, so that five random bits choose one without bias.
const idAlphabet = "abcdefghijkmnpqrstuvwxyz23456789"

const (
	suffixLen  = 5
	maxSlugLen = 32
)

// NewID returns a new id: the slug of name and five random characters.
func NewID(name string) string {
	var b [suffixLen]byte
	rand.Read(b[:]) // never fails
	for i := range b {
		b[i] = idAlphabet[b[i]&31]
	}
	return Slug(name) + "-" + string(b[:])
}

// Slug returns name reduced to at most 32 lower-case ASCII letters, digits and single
// hyphens, or "job" if name has no ASCII letter.
func Slug(name string) string {
	b := make([]byte, 0, maxSlugLen)
	letters := false
	for i := 0; i < len(name) && len(b) < maxSlugLen; i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		switch {
		case 'a' <= c && c <= 'z':
			letters = true
			b = append(b, c)
		case '0' <= c && c <= '9':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	if !letters {
		return "job"
	}
	return strings.TrimRight(string(b), "-")
}

// NewToken returns a random 128-bit idempotency key.
func NewToken() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
