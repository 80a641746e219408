// Package plainfile reads files that somebody may have replaced by something that
// is no file: a pipe without a writer, on which an open waits for ever, a device
// that never ends, a directory, or a link to a file of somebody else.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

var (
	// ErrNotPlain is matched by the error of a path that leads to something else
	// than a regular file.
	ErrNotPlain = errors.New("not a plain file")
	// ErrTooLong is matched by the error of a file with more bytes than allowed.
	ErrTooLong = errors.New("too long")
)

// Open opens the regular file at path for reading, without ever waiting for
// another process. The caller closes it.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is os.OpenFile for regular files alone; it never waits either.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|nonblock|nofollow, perm)
	if isLink(err) {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotPlain}
	}
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotPlain}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read is the whole content of the regular file at path, at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w (more than %d bytes)", ErrTooLong, limit)}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
