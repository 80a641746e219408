//go:build unix

package plainfile

import (
	"errors"
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

const (
	// nonblock makes the open of a pipe return at once; it means nothing to a
	// regular file.
	nonblock = unix.O_NONBLOCK
	// nofollow refuses a symbolic link as the last part of a path.
	nofollow = unix.O_NOFOLLOW
)

// isLink reports whether that is what was refused. FreeBSD has a word of its own.
func isLink(err error) bool { return errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) }

// Descriptor is an open file without what [os.File] does for files that may have to
// be waited for, which costs as much again as opening, reading and closing one. It
// is for one goroutine.
type Descriptor struct {
	FD   int
	path string
}

// OpenDescriptor is [Open] for who reads little and closes it at once.
func OpenDescriptor(path string) (Descriptor, error) {
	f, _, err := openFast(path)
	return f, err
}

func openFast(path string) (Descriptor, int64, error) {
	fail := func(err error) (Descriptor, int64, error) {
		return Descriptor{}, 0, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	fd, err := retry(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|nonblock|nofollow, 0)
	})
	switch {
	case isLink(err):
		return fail(ErrNotPlain)
	case err != nil:
		return fail(err)
	}
	f := Descriptor{fd, path}
	var st unix.Stat_t
	if _, err = retry(func() (int, error) { return 0, unix.Fstat(fd, &st) }); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = ErrNotPlain
	}
	if err != nil {
		f.Close() //nolint:errcheck // it was not used
		return fail(err)
	}
	return f, st.Size, nil
}

// Read implements [io.Reader].
func (f Descriptor) Read(p []byte) (int, error) {
	n, err := retry(func() (int, error) { return unix.Read(f.FD, p) })
	switch {
	case err != nil:
		return 0, &fs.PathError{Op: "read", Path: f.path, Err: err}
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// Close closes the file.
func (f Descriptor) Close() error { return unix.Close(f.FD) }

func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR { //nolint:errorlint // system calls return bare numbers
			return n, err
		}
	}
}
