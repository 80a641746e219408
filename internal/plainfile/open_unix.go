//go:build unix

package plainfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

const (
	// nonblock makes the open of a pipe return at once; it has no effect on a regular file.
	nonblock = unix.O_NONBLOCK
	// nofollow refuses a symbolic link as the last part of a path.
	nofollow = unix.O_NOFOLLOW
)

// isLink reports whether the open failed because of a symbolic link. FreeBSD returns EMLINK.
func isLink(err error) bool { return errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) }
