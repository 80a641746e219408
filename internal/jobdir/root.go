package jobdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// RootError says why a state root cannot be used and what to do about it.
type RootError struct {
	Path string
	Why  string
	Hint string
	Err  error // the system's error; may be nil
}

func (e *RootError) Error() string {
	if e.Path == "" {
		return e.Why
	}
	return e.Path + ": " + e.Why
}

func (e *RootError) Unwrap() error { return e.Err }

// ResolveRoot is the state root's path by the environment: $HOB_STATE_DIR, else
// $XDG_STATE_HOME/hob, else ~/.local/state/hob. It is absolute; nothing is made.
func ResolveRoot() (string, error) {
	if dir := os.Getenv("HOB_STATE_DIR"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", &RootError{Path: dir, Why: err.Error(), Hint: "set HOB_STATE_DIR to an absolute path", Err: err}
		}
		return abs, nil
	}
	// A relative XDG_STATE_HOME is invalid by its specification and ignored.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hob"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return "", &RootError{Why: "there is no home directory to keep jobs in", Hint: "set HOME or HOB_STATE_DIR", Err: err}
	}
	if !filepath.IsAbs(home) { // each directory would have jobs of its own
		return "", &RootError{
			Why:  fmt.Sprintf("HOME is %q, which is no absolute path", home),
			Hint: "set HOME to an absolute path, or HOB_STATE_DIR", Err: fs.ErrInvalid,
		}
	}
	return filepath.Join(home, ".local", "state", "hob"), nil
}

// Root is a state root that was checked. It holds nothing open, and its methods
// may be called concurrently, also by several processes.
type Root struct{ path string }

// OpenRoot checks the state root at path: it must be a directory of this user
// that nobody else may enter. A missing one is made by the first job.
func OpenRoot(path string) (*Root, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, &RootError{Path: path, Why: err.Error(), Err: err}
	}
	if !utf8.ValidString(path) {
		return nil, &RootError{
			Path: path, Why: "its path is not UTF-8, and the records of jobs could not name it",
			Hint: "set HOB_STATE_DIR to another directory", Err: fs.ErrInvalid,
		}
	}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Root{path}, nil
	case err != nil:
		return nil, unusable(path, err)
	case !fi.IsDir():
		return nil, &RootError{Path: path, Why: "is not a directory", Hint: "move it away or set HOB_STATE_DIR", Err: syscall.ENOTDIR}
	}
	if link, err := os.Lstat(path); err == nil {
		// Somebody else's link could lead anywhere that is one's own.
		if err := checkOwner(path, link); err != nil {
			return nil, err
		}
	}
	if err := checkOwner(path, fi); err != nil {
		return nil, err
	}
	if err := checkMode(path, fi); err != nil {
		return nil, err
	}
	return &Root{path}, nil
}

// checkMode closes a directory that is hob's own to others, and refuses one that
// holds other things: changing its mode could break those.
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
		case jobsName, trashName, indexName, noteName, linksName, "run":
			continue
		}
		if strings.HasPrefix(e.Name(), "."+indexName+".") || strings.HasPrefix(e.Name(), "."+noteName+".") {
			continue // what somebody was killed at
		}
		return &RootError{
			Path: path,
			Why:  fmt.Sprintf("is open to other users (mode %04o) and holds other things (%s)", fi.Mode().Perm(), e.Name()),
			Hint: "set HOB_STATE_DIR to a directory of its own",
		}
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return &RootError{
			Path: path,
			Why:  fmt.Sprintf("is open to other users (mode %04o) and cannot be closed to them: %s", fi.Mode().Perm(), plain(err)),
			Hint: "set HOB_STATE_DIR to a directory of your own",
			Err:  err,
		}
	}
	return nil
}

// Names in a state root.
const (
	jobsName  = "jobs"
	trashName = "trash"
	indexName = "index"
	indexLock = ".index" // in jobs
	sweepName = ".sweep"
	newPrefix = ".new-"
	noteName  = "swept"
)

// Path is the state root itself.
func (r *Root) Path() string { return r.path }

// Jobs is the directory of the job directories.
func (r *Root) Jobs() string { return filepath.Join(r.path, jobsName) }

// Dir is the directory of the job id, whether it exists or not.
func (r *Root) Dir(id string) string { // not filepath.Join: a list calls it a thousand times
	return r.path + string(filepath.Separator) + jobsName + string(filepath.Separator) + id
}

func (r *Root) trash(id string) string { return filepath.Join(r.path, trashName, id) }

// Make makes the state root with its jobs directory and its trash if they are not
// there: on a full disk a clear could not make the trash.
func (r *Root) Make() error {
	for _, dir := range []string{r.Jobs(), filepath.Join(r.path, trashName)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return unusable(r.path, err)
		}
	}
	return nil
}

// IDs lists the jobs there are, in no particular order. What has a name that can be
// no id is none of them: nobody could call it anything. A root that was not made
// yet has none.
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
		if ValidID(n) {
			kept = append(kept, n)
		}
	}
	return kept, nil
}

// ValidID reports whether id can be the name of a job directory.
func ValidID(id string) bool {
	if id == "" || len(id) > 128 || id[0] == '.' {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', 'A' <= c && c <= 'Z', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}

func unusable(path string, err error) error {
	e := &RootError{Path: path, Why: "cannot be used: " + plain(err), Err: err,
		Hint: "set HOB_STATE_DIR to a directory that you can write to"}
	switch {
	case errors.Is(err, syscall.EROFS):
		e.Why = "is on a read-only file system"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Hint = "make room there (hob clear --now deletes finished jobs at once), or set HOB_STATE_DIR to a directory elsewhere"
	case errors.Is(err, syscall.EMFILE):
		e.Hint = "allow more open files: ulimit -n 256"
	case errors.Is(err, syscall.EFBIG):
		e.Hint = "allow larger files: ulimit -f unlimited"
	case errors.Is(err, fs.ErrExist) && leadsNowhere(path):
		e.Why = "is a link to what does not exist"
		e.Hint = "make what it leads to, remove the link, or set HOB_STATE_DIR"
	case errors.Is(err, fs.ErrPermission) && closedToOwner(path):
		e.Why = "is closed to its own user"
		e.Hint = "a umask like 0777 takes your own rights to what you make: set umask 077, and chmod u+rwx what has been made"
	}
	return e
}

// leadsNowhere reports whether path is a link to something that does not exist.
func leadsNowhere(path string) bool {
	if _, err := os.Lstat(path); err != nil {
		return false
	}
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// closedToOwner reports whether the mode of the directory at path keeps even its
// owner from using it.
func closedToOwner(path string) bool {
	fi, err := os.Lstat(path)
	return privateModes && err == nil && fi.Mode().Perm()&0o700 != 0o700
}

// plain is the system's own words, without the call and path that os adds.
func plain(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		if p.Path != "" {
			return filepath.Base(p.Path) + ": " + p.Err.Error()
		}
		return p.Err.Error()
	}
	return err.Error()
}
