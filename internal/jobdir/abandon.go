package jobdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// abandonedFile marks a directory whose job's files on a host nobody is to look
// for any more.
const abandonedFile = "abandoned"

// Abandon marks the directory of a job on a host that is not to be asked about it.
// Restore takes the mark away.
func Abandon(dir string) error {
	return os.WriteFile(filepath.Join(dir, abandonedFile), nil, 0o600)
}

// Abandoned reports whether dir is marked.
func Abandoned(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, abandonedFile))
	return err == nil
}

func unabandon(dir string) error {
	err := os.Remove(filepath.Join(dir, abandonedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
