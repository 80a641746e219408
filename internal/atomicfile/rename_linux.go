package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// rename is os.Rename without a look at what is there: no file replaces a directory.
func rename(temp, path string) error {
	if err := unix.Rename(temp, path); err != nil {
		return &os.LinkError{Op: "rename", Old: temp, New: path, Err: err}
	}
	return nil
}

// renameNew renames temp to path unless that is taken, in one step. ok is false where
// the file system cannot, and nothing is done then.
func renameNew(temp, path string) (ok bool, err error) {
	err = unix.Renameat2(unix.AT_FDCWD, temp, unix.AT_FDCWD, path, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrExist):
		return true, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return false, nil
}
