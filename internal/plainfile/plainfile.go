// Package plainfile reads files at paths where another user may have put something that is not a
// regular file: a pipe without a writer, which blocks open forever, a device that never ends, a
// directory, or a link to another user's file.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

var (
	// ErrNotRegular is matched by the error for a path that is not a regular file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLong is matched by the error for a file with more bytes than allowed.
	ErrTooLong = errors.New("too long")
)

// Open opens the regular file at path for reading. It never blocks on another process. The caller
// closes the file.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is os.OpenFile for regular files only; it never blocks either.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	f, _, err := open(path, flag, perm)
	return f, err
}

// OpenLinked is Open that follows a symbolic link, for a file that a user named.
func OpenLinked(path string) (*os.File, error) {
	f, _, err := openWith(path, os.O_RDONLY|nonblock, 0)
	return f, err
}

// open is OpenFile that also returns the file information.
func open(path string, flag int, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	return openWith(path, flag|nonblock|nofollow, perm)
}

func openWith(path string, flag int, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag, perm)
	if notRegular(flag, err) {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

// notRegular reports whether err, from opening a file, means that it is a link that is not followed, a socket, or
// a device that does not exist.
func notRegular(flag int, err error) bool {
	if errors.Is(err, syscall.ENXIO) {
		return true
	}
	return flag&nofollow != 0 && isLink(err)
}

// Read returns the whole content of the regular file at path, at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, fi, err := open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, fi, path, limit)
}

// ReadLinked is Read that follows a symbolic link, for a file that a user named or wrote. The null
// device is an empty file: users name it to have none.
func ReadLinked(path string, limit int64) ([]byte, error) {
	if path == os.DevNull {
		return nil, nil
	}
	f, fi, err := openWith(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, fi, path, limit)
}

func readAll(f *os.File, fi fs.FileInfo, path string, limit int64) (data []byte, err error) {
	if fi.Size() <= limit {
		data, err = readFrom(f, fi.Size(), limit)
	}
	if err == nil && max(fi.Size(), int64(len(data))) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w (more than %s)", ErrTooLong, size(limit))}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// readFrom reads a file that is expected to have size bytes, and returns at most limit+1 bytes. A file that has not
// grown needs one read, which matters for lists: they read several files of each job. Files in /proc have size 0.
func readFrom(f *os.File, size, limit int64) ([]byte, error) {
	data := make([]byte, size+1)
	n, err := f.Read(data)
	switch data = data[:n]; {
	case errors.Is(err, io.EOF):
		return data, nil
	case err != nil, int64(n) == size:
		return data, err
	}
	rest, err := io.ReadAll(io.LimitReader(f, limit+1-int64(n)))
	return append(data, rest...), err
}

// matchesAny reports whether err matches one of the targets.
func matchesAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

// size returns n bytes in words.
func size(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// OwnerError is the error for a file that belongs to another user. It matches [fs.ErrPermission].
type OwnerError struct {
	Owner, User int // ids of the file's user and of this process
}

func (e *OwnerError) Error() string {
	return "belongs to " + userName(e.Owner) + ", not to " + userName(e.User)
}

func (e *OwnerError) Unwrap() error { return fs.ErrPermission }

// WithDescriptor calls use with the descriptor of f without changing its mode: Fd may make it
// blocking, for every process that shares it.
func WithDescriptor(f *os.File, use func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var used error
	if err := conn.Control(func(fd uintptr) { used = use(int(fd)) }); err != nil {
		return err
	}
	return used
}
