package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// part is one thing that hob adds to an agent: an entry of a file, or a file. add and remove
// return the new content of the file; nil is no file.
type part interface {
	path() string
	name() string // for messages: "MCP server"
	add(old []byte) ([]byte, outcome, error)
	remove(old []byte) ([]byte, outcome, error)
}

// outcome is what becomes of a part. Programs read it.
type outcome string

const (
	added   outcome = "added"
	updated outcome = "updated"
	removed outcome = "removed"
	present outcome = "present" // nothing to add
	absent  outcome = "absent"  // nothing to remove
	kept    outcome = "kept"    // not as hob writes it: it belongs to the user
)

// Change is what a plan does about one part.
type Change struct {
	What    string `json:"what"`
	Path    string `json:"path"`
	Outcome string `json:"outcome"` // added, updated, removed, present, absent or kept
}

// File is a file that a plan changes.
type File struct {
	Path     string // with symbolic links resolved
	Old, New []byte // nil: there is no file

	given string // the path that the agent uses
}

// Plan is what a setup changes.
type Plan struct {
	Changes []Change
	Files   []File
}

// FileError is an error about a file of an agent.
type FileError struct {
	Path    string
	Err     error
	Changed bool // another program has changed the file since it was read
}

func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// PartialError is an error after which some files of a plan have been changed.
type PartialError struct {
	Err     error
	Changed []string // files
	Backups []string // copies of what they were before
}

func (e *PartialError) Error() string { return e.Err.Error() }
func (e *PartialError) Unwrap() error { return e.Err }

// Plan returns what a setup, or with remove its reversal, changes in the files of a.
func (a Agent) Plan(remove bool) (Plan, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Plan{}, fmt.Errorf("cannot find the home directory: %w", err)
	}
	var p Plan
	parts := a.locations(home)
	for _, part := range parts {
		f, err := p.file(part.path())
		if err != nil {
			return Plan{}, err
		}
		change := part.add
		if remove {
			change = part.remove
		}
		content, out, err := change(f.New)
		if err != nil {
			return Plan{}, &FileError{Path: part.path(), Err: err}
		}
		f.New = content
		p.Changes = append(p.Changes, Change{part.name(), part.path(), string(out)})
	}
	if remove {
		p.restore(parts)
	}
	p.dropUnchanged()
	return p, nil
}

// maxSettings limits the size of an agent's file, in bytes. Some agents keep their history in one.
const maxSettings = 64 << 20

// file returns the file at path, which is read on the first call.
func (p *Plan) file(path string) (*File, error) {
	given := path
	path = resolve(path)
	for i := range p.Files {
		if p.Files[i].Path == path {
			return &p.Files[i], nil
		}
	}
	old, err := plainfile.ReadLinked(path, maxSettings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	p.Files = append(p.Files, File{Path: path, Old: old, New: old, given: given})
	return &p.Files[len(p.Files)-1], nil
}

// resolve follows symbolic links, also to a file that does not exist yet. An agent's settings may
// be a link to a file that is under version control.
func resolve(path string) string {
	for range 40 { // as many as Linux follows
		if target, err := filepath.EvalSymlinks(path); err == nil {
			return target
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func (p *Plan) dropUnchanged() {
	var changed []File
	for _, f := range p.Files {
		if (f.Old == nil) != (f.New == nil) || !bytes.Equal(f.Old, f.New) {
			changed = append(changed, f)
		}
	}
	p.Files = changed
}

// Apply writes the files of the plan, after a check that all of them can be written. It returns the
// paths of the copies that it made of changed files, also on an error. The error is a
// [*PartialError] if files have been changed. now dates the copies.
func (p Plan) Apply(now time.Time) (backups []string, err error) {
	for _, f := range p.Files {
		if err := f.check(); err != nil {
			return nil, err
		}
	}
	var changed []string
	for _, f := range p.Files {
		backup, err := f.apply(now)
		if backup != "" {
			backups = append(backups, backup)
		}
		if err != nil && len(changed) > 0 {
			err = &PartialError{err, changed, backups}
		}
		if err != nil {
			return backups, err
		}
		changed = append(changed, f.Path)
	}
	return backups, nil
}

// check reports why the file cannot be written. It changes nothing.
func (f File) check() error {
	if err := f.unchanged(); err != nil {
		return err
	}
	dir := filepath.Dir(f.Path)
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return &FileError{Path: dir, Err: errors.New("this is not a directory")}
		case err == nil:
			return canCreate(dir)
		case isLink(dir):
			return &FileError{Path: dir, Err: errors.New("this link has no target")}
		case !errors.Is(err, fs.ErrNotExist), filepath.Dir(dir) == dir:
			return err
		}
		dir = filepath.Dir(dir)
	}
}

func canCreate(dir string) error {
	probe, err := os.CreateTemp(dir, ".hob-setup-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// unchanged returns an error if the file has changed since f.Old was read, for example because the
// agent runs: the new content has been computed from it.
func (f File) unchanged() error {
	current, err := plainfile.ReadLinked(f.Path, maxSettings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(current, f.Old) {
		return &FileError{f.Path, errors.New("another program has just changed this file"), true}
	}
	return nil
}

func (f File) apply(now time.Time) (backup string, err error) {
	if err := f.unchanged(); err != nil {
		return "", err
	}
	if f.New == nil {
		return "", f.remove()
	}
	if f.Old == nil {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return "", err
		}
		return "", atomicfile.Create(f.Path, f.New)
	}
	info, err := os.Stat(f.Path)
	if err != nil {
		return "", err
	}
	if backup, err = f.backup(now); err != nil {
		return "", err
	}
	if err := atomicfile.Write(f.Path, f.New, atomicfile.Sync()); err != nil {
		return backup, err
	}
	return backup, os.Chmod(f.Path, info.Mode().Perm())
}

// remove deletes a file of hob and the directories for such files that are empty then. Of a link
// only the link is deleted: its target may be shared with another agent.
func (f File) remove() error {
	path := f.Path
	if isLink(f.given) {
		path = f.given
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	for dir := filepath.Dir(f.given); slices.Contains([]string{"hob", "skills", "plugins"}, filepath.Base(dir)); dir = filepath.Dir(dir) {
		if isLink(dir) || os.Remove(dir) != nil { // the user's, or not empty
			break
		}
	}
	return nil
}

// copyMark begins the end of the name of a copy.
const copyMark = ".hob-"

// backup copies the old content to a file with a date in its name.
func (f File) backup(now time.Time) (string, error) {
	base := f.Path + copyMark + now.Format("20060102-150405")
	for path, n := base, 2; ; path, n = base+"-"+strconv.Itoa(n), n+1 {
		err := atomicfile.Create(path, f.Old)
		if !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}

// restore makes a removal exact: a file that is still as a setup wrote it becomes what it was before.
// Of other files, only what hob added is removed.
func (p *Plan) restore(parts []part) {
	for i := range p.Files {
		f := &p.Files[i]
		if f.New == nil { // hob's own file
			continue
		}
		for _, before := range f.earlier() {
			if f.isSetupOf(before, parts) {
				f.New = before
				break
			}
		}
	}
}

// earlier returns what the file may have been before a setup: its copies, newest first, and no file,
// unless it is the target of a link.
func (f *File) earlier() (all [][]byte) {
	dir, prefix := filepath.Dir(f.Path), filepath.Base(f.Path)+copyMark
	entries, _ := os.ReadDir(dir) // without copies, the entries of hob are removed
	for _, e := range slices.Backward(entries) {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if text, err := plainfile.ReadLinked(filepath.Join(dir, e.Name()), maxSettings); err == nil {
			all = append(all, text)
		}
	}
	if !isLink(f.given) {
		all = append(all, nil)
	}
	return all
}

// isSetupOf reports whether a setup of before, which has nothing of hob, results in the file.
func (f *File) isSetupOf(before []byte, parts []part) bool {
	text := before
	for _, part := range parts {
		if resolve(part.path()) != f.Path {
			continue
		}
		var out outcome
		var err error
		if text, out, err = part.add(text); err != nil || out != added {
			return false
		}
	}
	return bytes.Equal(text, f.Old)
}
