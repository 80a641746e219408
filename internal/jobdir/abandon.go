package jobdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// abandonedFile marks the directory of a job whose files on its host are given up.
const abandonedFile = "abandoned"

// Abandon marks the directory of a job on a host: the host is no longer contacted about
// the job. Restore removes the mark.
func Abandon(dir string) error {
	return os.WriteFile(filepath.Join(dir, abandonedFile), nil, 0o600)
}

// Abandoned reports whether dir has the mark of Abandon.
func Abandoned(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, abandonedFile))
	return err == nil
}

func removeAbandonedMark(dir string) error {
	err := os.Remove(filepath.Join(dir, abandonedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
