package proc

import (
	"errors"
	"net"
	"unsafe"

	"golang.org/x/sys/unix"
)

// BootID names this boot of the machine; "" if unknown.
func BootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// PIDNamespace is "": macOS has one space of pids.
func PIDNamespace() string { return "" }

// hardwareID is the host's UUID. The sysctl kern.uuid would not do: it names
// the build of the kernel, the same on many machines.
func hardwareID() string {
	var uuid [16]byte
	wait := unix.Timespec{Sec: 1}
	_, _, errno := unix.Syscall(unix.SYS_GETHOSTUUID,
		uintptr(unsafe.Pointer(&uuid)), uintptr(unsafe.Pointer(&wait)), 0)
	if errno != 0 || uuid == [16]byte{} {
		return ""
	}
	return string(uuid[:])
}

// The clocks that nobody sets: CLOCK_UPTIME_RAW stands still while the machine
// sleeps, CLOCK_MONOTONIC_RAW does not. package unix names neither.
const (
	clockRunning   = 8
	clockSinceBoot = 4
)

// clocksAhead is nothing: macOS has one set of clocks.
func clocksAhead() ahead { return ahead{} }

const getAttributes = unix.TIOCGETA

const (
	lastSignal    = 31
	firstRealTime = 0
)

// PeerUID returns the user at the other end of a socket.
func PeerUID(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Xucred
	var refused error
	if err := raw.Control(func(fd uintptr) {
		cred, refused = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	}); err != nil || refused != nil {
		return 0, errors.Join(err, refused)
	}
	return int(cred.Uid), nil
}
