package jobdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// SeenFile marks a job whose end the user has seen. It is empty.
const SeenFile = "seen"

// MarkSeen marks a job directory as seen. A directory that was removed meanwhile is not
// an error. The file is created beside the directory and moved into it: a client that
// watches the directory of all jobs is woken by that, and reads it with [Seen].
func MarkSeen(dir string) error {
	if Seen(dir) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(dir), newPrefix+"seen-")
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

// Seen reports whether a job directory is marked as seen.
func Seen(dir string) bool {
	_, err := os.Lstat(inDir(dir, SeenFile))
	return err == nil
}
