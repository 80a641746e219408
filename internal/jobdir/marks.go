package jobdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Empty files in a job directory that mark it.
const (
	// SeenFile marks a job whose end the user has seen.
	SeenFile = "seen"
	// BackgroundFile marks a queued job that is in the background.
	BackgroundFile = "background"
	// abandonedFile marks a job whose files on its host are given up.
	abandonedFile = "abandoned"
)

// NewPrefix begins the names of files and directories beside those of jobs that are not complete yet.
const NewPrefix = ".new-"

func has(dir, name string) bool {
	_, err := os.Lstat(inDir(dir, name))
	return err == nil
}

// Backgrounded reports whether a client sent the queued job in dir to the background.
func Backgrounded(dir string) bool { return has(dir, BackgroundFile) }

// Seen reports whether a job directory is marked as seen.
func Seen(dir string) bool { return has(dir, SeenFile) }

// MarkSeen marks a job directory as seen. A directory that was removed meanwhile is not
// an error. The file is created beside the directory and moved into it: a client that
// watches the directory of all jobs is woken by that, and reads it with [Seen].
func MarkSeen(dir string) error {
	if Seen(dir) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(dir), NewPrefix+"seen-")
	if err != nil {
		return err
	}
	f.Close()
	if err = os.Rename(f.Name(), filepath.Join(dir, SeenFile)); err == nil {
		return nil
	}
	os.Remove(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Abandon marks the directory of a job on a host: the host is no longer contacted about
// the job.
func Abandon(dir string) error {
	return os.WriteFile(filepath.Join(dir, abandonedFile), nil, 0o600)
}

// Abandoned reports whether dir has the mark of Abandon.
func Abandoned(dir string) bool { return has(dir, abandonedFile) }

// Unabandon removes the mark of Abandon.
func Unabandon(dir string) error {
	if err := os.Remove(filepath.Join(dir, abandonedFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
