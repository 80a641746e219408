package jobdir

import "golang.org/x/sys/unix"

const (
	setOwnLock = unix.F_OFD_SETLK
	getOwnLock = unix.F_OFD_GETLK
)
