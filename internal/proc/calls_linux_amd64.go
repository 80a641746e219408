package proc

import "golang.org/x/sys/unix"

// Calls that newer architectures have only in a later form.
const (
	sysPoll      = unix.SYS_POLL
	sysSelect    = unix.SYS_SELECT
	sysEpollWait = unix.SYS_EPOLL_WAIT
	sysRecvfrom  = unix.SYS_RECVFROM
)
