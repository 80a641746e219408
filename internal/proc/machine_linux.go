package proc

import (
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// startsAreOrdered means that start times are monotonic: a child never has an earlier one than
// its parent.
const startsAreOrdered = true

// BootID identifies this boot of the machine, "" if unknown.
func BootID() string { return bootID() }

var bootID = sync.OnceValue(func() string { return firstLine("/proc/sys/kernel/random/boot_id") })

// PIDNamespace identifies the pid namespace of this process, "" if unknown.
func PIDNamespace() string { return pidNamespace() }

var pidNamespace = sync.OnceValue(func() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return name
})

// hardwareID returns the system's machine id, which must be kept confidential.
func hardwareID() string {
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if id := firstLine(path); id != "" && id != "uninitialized" {
			return id
		}
	}
	return ""
}

func firstLine(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line)
}

// Clocks that cannot be set: clockRunning stops while the machine is suspended, clockSinceBoot
// does not.
const (
	clockRunning   = unix.CLOCK_MONOTONIC
	clockSinceBoot = unix.CLOCK_BOOTTIME
)

// namespaceOffsets returns the offsets that the time namespace of this process adds to its
// clocks.
var namespaceOffsets = sync.OnceValue(func() clockOffsets {
	data, err := os.ReadFile("/proc/self/timens_offsets")
	if err != nil { // a kernel without time namespaces
		return clockOffsets{}
	}
	return parseOffsets(string(data))
})

func parseOffsets(text string) (a clockOffsets) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		s, err1 := strconv.ParseInt(f[1], 10, 64)
		ns, err2 := strconv.ParseInt(f[2], 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		by := time.Duration(s)*time.Second + time.Duration(ns)
		switch f[0] {
		case "monotonic":
			a.running = by
		case "boottime":
			a.sinceBoot = by
		}
	}
	return a
}

const getAttributes = unix.TCGETS

// C libraries reserve the first two real-time signals, so SIGRTMIN is 34.
const (
	lastSignal    = 64
	firstRealTime = 34
)

// PeerUID returns the user at the other end of a socket.
func PeerUID(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var refused error
	if err := raw.Control(func(fd uintptr) {
		cred, refused = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil || refused != nil {
		return 0, errors.Join(err, refused)
	}
	return int(cred.Uid), nil
}
