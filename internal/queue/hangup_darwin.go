package queue

import "golang.org/x/sys/unix"

// pause and unwatchedPause are how long to wait before looking again at jobs, and at a job that cannot
// be watched, in milliseconds. The system does not report every hang-up of a pipe.
const (
	pause          = 1000
	unwatchedPause = 1000
)

// hangUp is the event with which poll may report that the other end of a pipe was closed.
const hangUp = unix.POLLIN

// hungUp reports false: jobs are looked at again from time to time.
func hungUp(string, int) bool { return false }
