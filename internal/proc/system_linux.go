package proc

import (
	"errors"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

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
		switch id := firstLine(path); id {
		case "", "uninitialized":
		default:
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
	err = raw.Control(func(fd uintptr) {
		cred, refused = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err := errors.Join(err, refused); err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// handle refers to a process, so that a signal reaches either that process or none.
type handle struct {
	p  Process
	fd int // a pidfd, or -1 if the kernel supports none
}

// openHandle returns a handle of the process p, or ErrGone.
func openHandle(p Process) (*handle, error) {
	if untouchable(p.PID) {
		return nil, errUntouchable
	}
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil {
		if errors.Is(err, unix.ESRCH) {
			return nil, ErrGone
		}
		fd = -1
	}
	h := &handle{p: p, fd: fd}
	// Check the start time after opening: the pidfd could refer to another process that has
	// reused the pid.
	if !h.alive() {
		h.release()
		return nil, ErrGone
	}
	return h, nil
}

func (h *handle) signal(sig syscall.Signal) error {
	var err error
	if h.fd >= 0 {
		err = unix.PidfdSendSignal(h.fd, sig, nil, 0)
	}
	if h.fd < 0 || errors.Is(err, unix.ENOSYS) {
		if !h.alive() {
			return ErrGone
		}
		err = unix.Kill(h.p.PID, sig)
	}
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

func (h *handle) release() {
	if h.fd >= 0 {
		unix.Close(h.fd)
		h.fd = -1
	}
}

// SetSubreaper makes the calling process adopt all descendants whose parent ends. It applies to
// the whole process and cannot be undone, so only a dedicated holder may do it. Children do not
// inherit it.
func SetSubreaper() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// ReapOrphans reaps all children that have ended, except that of Start, without waiting for
// others. Call it on SIGCHLD.
//
// Children are reaped one by one, by pid: a wait for any child could reap one that os/exec waits
// for.
func (r *Reaper) ReapOrphans() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		pid := endedChild()
		if pid == 0 {
			return
		}
		if slices.Contains(r.owned, pid) || !reap(pid) {
			break
		}
	}
	// The kernel reports only the first child that has ended. If another goroutine waits
	// for that one, there may be more after it.
	procs, err := r.scan.Scan()
	if err != nil {
		return
	}
	self := unix.Getpid()
	for _, p := range procs {
		if p.PPID == self && p.Dead() && !slices.Contains(r.owned, p.PID) {
			reap(p.PID)
		}
	}
}

// endedChild returns the pid of a child that has ended, 0 if there is none. It does not reap the
// child.
func endedChild() int {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0
		}
		break
	}
	// si_pid is the first member of the union after the three integers. The union is
	// aligned like a pointer.
	at := (unsafe.Offsetof(info.Code) + 4 + unsafe.Alignof(uintptr(0)) - 1) &^ (unsafe.Alignof(uintptr(0)) - 1)
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), at)))
}

// reap reaps a child that has ended and reports whether it did.
func reap(pid int) bool {
	for {
		got, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
		if err != unix.EINTR {
			return err == nil && got == pid
		}
	}
}
