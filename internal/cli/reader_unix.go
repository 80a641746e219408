//go:build !windows

package cli

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readerLook is how often the reader is looked for, should the system not tell that
// it has gone.
const readerLook = 250 * time.Millisecond

// untilReaderGone returns true when nobody reads the pipe f any more, which a
// process that has nothing to write is else never told, and false when ctx is done
// or f is no pipe.
func untilReaderGone(ctx context.Context, f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return false
	}
	over, done, err := os.Pipe() // its end of writing is closed when ctx is done
	if err != nil {
		return false
	}
	defer over.Close()
	stop := context.AfterFunc(ctx, func() { done.Close() })
	defer func() {
		if stop() {
			done.Close()
		}
	}()
	for ctx.Err() == nil {
		fds := []unix.PollFd{{Fd: int32(f.Fd())}, {Fd: int32(over.Fd()), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, int(readerLook.Milliseconds()))
		switch {
		case err == unix.EINTR:
		case err != nil:
			return false
		case fds[0].Revents != 0:
			return fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	}
	return false
}
