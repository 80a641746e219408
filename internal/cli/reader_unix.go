//go:build !windows

package cli

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readerLook is how long one look for the reader may take, and so how long
// untilReaderGone may outlast ctx.
const readerLook = 250 * time.Millisecond

// untilReaderGone returns true when nobody reads the pipe f any more, which a
// process that has nothing to write is else never told, and false when ctx is done
// or f is no pipe.
func untilReaderGone(ctx context.Context, f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return false
	}
	for ctx.Err() == nil {
		fds := []unix.PollFd{{Fd: int32(f.Fd())}}
		n, err := unix.Poll(fds, int(readerLook.Milliseconds()))
		if err != nil && err != unix.EINTR {
			return false
		}
		if n > 0 && err == nil {
			return fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	}
	return false
}
