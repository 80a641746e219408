//go:build unix

package plainfile

import "golang.org/x/sys/unix"

// nonblock makes the open of a pipe return at once; it means nothing to a
// regular file.
const nonblock = unix.O_NONBLOCK
