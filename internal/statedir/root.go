// Package statedir reads and changes the state directory, which contains the job directories of a
// user: it creates jobs, lists them, moves them to the trash and applies the retention limits. The
// files of one job are those of package internal/jobdir, which is all that a holder needs.
//
//	<root>/                 $HOB_STATE_DIR, $XDG_STATE_HOME/hob or ~/.local/state/hob; 0700
//	  index                 finished jobs, one checksummed line of JSON each; deletable
//	  env-key                 key of the digests of variables, see package internal/app/project; deletable
//	  swept                 the clocks at the last sweep; deletable
//	  jobs/<id>/            one directory a job
//	  jobs/.sweep           lock of a sweep; its modification time is that of the last sweep
//	  jobs/.index           lock of changes to the index
//	  jobs/.tokens          lock of starts with an idempotency key, and of processes of a project
//	  jobs/.env-key         lock for the creation of env-key
//	  jobs/.new-*           directories that are being created
//	  trash/<id>/           removed jobs until a sweep deletes them
//	  links/to-<host>       why the host could not be reached the last time; deletable
//	  queues/<name>/        queues, see package internal/queue
//
// A job directory is created under a temporary name, with meta.json in it, and then renamed, so
// that readers need no lock. The format of the index is described in index.go.
package statedir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/queue"
)

// RootError is the error for a state directory that cannot be used.
type RootError struct {
	Path string
	Why  string
	Hint string // what to do about it
	Err  error  // the system's error; may be nil
}

func (e *RootError) Error() string {
	if e.Path == "" {
		return e.Why
	}
	return e.Path + ": " + e.Why
}

func (e *RootError) Unwrap() error { return e.Err }

// ResolveRoot returns the absolute path of the state directory according to the environment:
// $HOB_STATE_DIR, else $XDG_STATE_HOME/hob, else ~/.local/state/hob. It creates nothing.
func ResolveRoot() (string, error) {
	if dir := os.Getenv("HOB_STATE_DIR"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", &RootError{
				Path: dir,
				Why:  err.Error(),
				Hint: "set HOB_STATE_DIR to an absolute path",
				Err:  err,
			}
		}
		return abs, nil
	}
	// The XDG specification requires that a relative path is ignored.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hob"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return "", &RootError{
			Why:  "no home directory to store jobs in",
			Hint: "set HOME or HOB_STATE_DIR",
			Err:  err,
		}
	}
	if !filepath.IsAbs(home) { // each working directory would have its own jobs
		return "", &RootError{
			Why:  fmt.Sprintf("HOME is %q, which is not an absolute path", home),
			Hint: "set HOME to an absolute path, or HOB_STATE_DIR",
			Err:  fs.ErrInvalid,
		}
	}
	return filepath.Join(home, ".local", "state", "hob"), nil
}

// Root is a state directory that was checked. It keeps no files open. Its methods may be called
// concurrently, also by several processes.
type Root struct{ path string }

// OpenRoot checks the state directory at path: it must be a directory of this user that no
// other user can enter or replace. If it is missing, the first job creates it.
func OpenRoot(path string) (*Root, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, &RootError{Path: path, Why: err.Error(), Err: err}
	}
	if !utf8.ValidString(path) {
		return nil, &RootError{
			Path: path,
			Why:  "the path is not valid UTF-8, which the records of jobs require",
			Hint: "set HOB_STATE_DIR to another directory",
			Err:  fs.ErrInvalid,
		}
	}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := checkPath(path); err != nil {
			return nil, err
		}
		return &Root{path}, nil
	case err != nil:
		return nil, unusable(path, err)
	case !fi.IsDir():
		return nil, &RootError{
			Path: path,
			Why:  "is not a directory",
			Hint: "move it away or set HOB_STATE_DIR",
			Err:  syscall.ENOTDIR,
		}
	}
	if err := checkPath(path); err != nil {
		return nil, err
	}
	if err := plainfile.CheckOwner(fi); err != nil { // root's directories lead there, but jobs are not root's
		return nil, untrusted(path, &plainfile.ElementError{Element: path, Err: err})
	}
	if err := checkMode(path, fi); err != nil {
		return nil, err
	}
	return &Root{path}, nil
}

// checkPath returns an error if another user decides what is found at path, which could be any
// directory of this user.
func checkPath(path string) error {
	err := plainfile.CheckPath(path)
	if element, ok := errors.AsType[*plainfile.ElementError](err); ok {
		return untrusted(path, element)
	}
	if err != nil {
		return unusable(path, err)
	}
	return nil
}

// untrusted returns the error for a state directory whose path has an element that another user
// controls.
func untrusted(path string, element *plainfile.ElementError) error {
	e := &RootError{
		Path: path,
		Why:  element.Error(),
		Hint: "set HOB_STATE_DIR to a directory of your own",
		Err:  element,
	}
	if element.Element == path {
		e.Why = element.Err.Error()
	}
	other, owned := errors.AsType[*plainfile.OwnerError](element)
	switch {
	case owned && other.User == 0:
		e.Hint = "use sudo -H, which sets HOME too, or set HOB_STATE_DIR"
	case !owned:
		e.Hint = "run chmod go-w " + element.Element + ", or set HOB_STATE_DIR to a directory that only you can replace"
	}
	return e
}

// checkMode removes other users' permissions from a directory that contains only hob's
// files. It refuses one with other files, which a change of the mode could make
// unusable.
func checkMode(path string, fi fs.FileInfo) error {
	if !privateModes || fi.Mode().Perm()&0o077 == 0 {
		return nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return unusable(path, err)
	}
	for _, e := range entries {
		switch e.Name() {
		case jobsName, trashName, indexName, clockNoteName, linksName, queue.Queues, "run":
			continue
		}
		if strings.HasPrefix(e.Name(), "."+indexName+".") || strings.HasPrefix(e.Name(), "."+clockNoteName+".") {
			continue // a temporary file of a program that was killed
		}
		return &RootError{
			Path: path,
			Why:  fmt.Sprintf("is accessible to other users (mode %04o) and contains other files (%s)", fi.Mode().Perm(), e.Name()),
			Hint: "set HOB_STATE_DIR to a directory that only hob uses",
		}
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return &RootError{
			Path: path,
			Why:  fmt.Sprintf("is accessible to other users (mode %04o), which cannot be changed: %s", fi.Mode().Perm(), jobdir.ReasonOf(err)),
			Hint: "set HOB_STATE_DIR to a directory of your own",
			Err:  err,
		}
	}
	return nil
}

// privateModes is false on Windows, where access control lists protect a user's directories, not
// modes.
const privateModes = runtime.GOOS != "windows"

// Names in a state directory.
const (
	jobsName      = "jobs"
	trashName     = "trash"
	indexName     = "index"
	indexLock     = ".index" // in jobs
	sweepName     = ".sweep"
	clockNoteName = "swept"
)

func (r *Root) Path() string { return r.path }

// Jobs returns the directory of the job directories.
func (r *Root) Jobs() string { return filepath.Join(r.path, jobsName) }

func (r *Root) Queues() string { return filepath.Join(r.path, queue.Queues) }

// Dir returns the directory of the job id, whether it exists or not.
func (r *Root) Dir(id string) string { // filepath.Join is too slow: a list calls it for every job
	return r.path + string(filepath.Separator) + jobsName + string(filepath.Separator) + id
}

// TrashDir returns the path of the directory of a cleared job.
func (r *Root) TrashDir(id string) string { return filepath.Join(r.path, trashName, id) }

// Make creates the state directory with its jobs directory and its trash if they are missing.
// Once the disk is full it would be too late to create the trash.
func (r *Root) Make() error {
	if err := checkPath(r.path); err != nil {
		return err
	}
	for _, dir := range []string{r.Jobs(), filepath.Join(r.path, trashName)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return unusable(r.path, err)
		}
	}
	return checkPath(r.path) // another user may have been faster
}

// IDs lists the ids of all jobs, in no particular order. Files whose names are not valid
// ids are ignored.
func (r *Root) IDs() ([]string, error) {
	return jobNames(r.Jobs())
}

func jobNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unusable(dir, err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, unusable(dir, err)
	}
	kept := names[:0]
	for _, n := range names {
		if jobdir.ValidID(n) {
			kept = append(kept, n)
		}
	}
	return kept, nil
}

func unusable(path string, err error) error {
	e := &RootError{
		Path: path,
		Why:  "cannot be used: " + jobdir.ReasonOf(err),
		Err:  err,
		Hint: "set HOB_STATE_DIR to a directory that you can write to",
	}
	switch {
	case errors.Is(err, syscall.EROFS):
		e.Why = "is on a read-only file system"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Hint = "free disk space (hob clear --now deletes finished jobs at once), or set HOB_STATE_DIR to a directory elsewhere"
	case errors.Is(err, syscall.EMFILE):
		e.Hint = "allow more open files: ulimit -n 256"
	case errors.Is(err, syscall.EFBIG):
		e.Hint = "allow larger files: ulimit -f unlimited"
	case errors.Is(err, fs.ErrExist) && isDanglingLink(path):
		e.Why = "is a symbolic link to a path that does not exist"
		e.Hint = "create that path, remove the link, or set HOB_STATE_DIR"
	case errors.Is(err, fs.ErrPermission) && deniesOwner(path):
		e.Why = "has a mode that denies access to its owner"
		e.Hint = "run umask 077, because a umask like 0777 removes your own permissions, and chmod u+rwx the existing directories"
	}
	return e
}

// isDanglingLink reports whether path is a symbolic link to a path that does not exist.
func isDanglingLink(path string) bool {
	if _, err := os.Lstat(path); err != nil {
		return false
	}
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// deniesOwner reports whether the mode of the directory at path denies its owner access.
func deniesOwner(path string) bool {
	fi, err := os.Lstat(path)
	return privateModes && err == nil && fi.Mode().Perm()&0o700 != 0o700
}

// Exclusive acquires the lock called name of the whole root. It waits until ctx is done, or for the
// limit of [jobdir.AwaitLock].
func (r *Root) Exclusive(ctx context.Context, name string) (lock *jobdir.FileLock, err error) {
	if err := r.Make(); err != nil {
		return nil, err
	}
	path := filepath.Join(r.Jobs(), "."+name)
	err = jobdir.AwaitLock(ctx, path, func() error {
		lock, err = jobdir.LockPath(path)
		return err
	})
	return lock, err
}
