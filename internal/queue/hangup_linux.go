package queue

import "golang.org/x/sys/unix"

// pause and unwatchedPause are how long to wait before looking again at jobs, and at a job that cannot
// be watched, in milliseconds.
const (
	pause          = -1 // the system reports every end
	unwatchedPause = 1000
)

// hangUp is the event with which poll reports that the other end of a pipe was closed.
const hangUp = 0

// hungUp reports whether the pipe at path, which is open for reading as fd, has no other process left
// that keeps it open for writing. After it, poll reports when that happens: the system reports a
// hang-up only if there was a writer after the reader.
func hungUp(path string, fd int) bool {
	writer, err := openPipe(path, unix.O_WRONLY)
	if err != nil {
		return true // it was deleted, which precedes the end
	}
	unix.Close(writer)
	list := []unix.PollFd{{Fd: int32(fd)}}
	_, _ = unix.Poll(list, 0)
	return list[0].Revents&unix.POLLHUP != 0
}
