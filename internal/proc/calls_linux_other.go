//go:build linux && !amd64

package proc

import "golang.org/x/sys/unix"

// Calls of older architectures are not told from none here: their programs'
// polls go unseen.
const (
	sysPoll      = -2
	sysSelect    = -3
	sysEpollWait = -4
	sysRecvfrom  = unix.SYS_RECVFROM
)
