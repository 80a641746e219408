package jobdir

// F_OFD_SETLK and F_OFD_GETLK of sys/fcntl.h, which package unix lacks.
const (
	setOwnLock = 90
	getOwnLock = 92
)
