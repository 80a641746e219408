package proc

import (
	"bytes"
	"errors"
	"net"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// BootID identifies this boot of the machine, "" if unknown.
func BootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// PIDNamespace returns "": macOS has no pid namespaces.
func PIDNamespace() string { return "" }

// hardwareID returns the host's UUID. The sysctl kern.uuid identifies only the build of the
// kernel.
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

// Clocks that cannot be set: CLOCK_UPTIME_RAW stops while the machine is suspended,
// CLOCK_MONOTONIC_RAW does not. Package unix defines neither.
const (
	clockRunning   = 8
	clockSinceBoot = 4
)

// namespaceOffsets returns zeros: macOS has no time namespaces.
func namespaceOffsets() clockOffsets { return clockOffsets{} }

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
	err = raw.Control(func(fd uintptr) {
		cred, refused = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	})
	if err := errors.Join(err, refused); err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// startsAreOrdered is false because start times are those of a clock that can be set back.
const startsAreOrdered = false

// Stat returns the state of the process that has pid now.
func Stat(pid int) (Process, error) {
	if pid <= 0 {
		return Process{}, ErrGone
	}
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		// For an unused pid the result is empty.
		if errors.Is(err, unix.EIO) || errors.Is(err, unix.ESRCH) {
			return Process{}, ErrGone
		}
		return Process{}, err
	}
	if int(k.Proc.P_pid) != pid {
		return Process{}, ErrGone
	}
	return fromKinfo(k), nil
}

// fromKinfo converts the kernel's record, which lacks threads, memory and CPU time.
func fromKinfo(k *unix.KinfoProc) Process {
	states := [...]byte{1: 'R', 2: 'R', 3: 'S', 4: 'T', 5: 'Z'}
	p := Process{
		PID:        int(k.Proc.P_pid),
		PPID:       int(k.Eproc.Ppid),
		PGID:       int(k.Eproc.Pgid),
		Foreground: int(k.Eproc.Tpgid),
		Threads:    1,
		Start:      uint64(k.Proc.P_starttime.Sec)*1_000_000 + uint64(k.Proc.P_starttime.Usec),
		kernel:     k.Proc.P_pid == 0,
	}
	if k.Eproc.Tdev != -1 {
		p.TTY = uint64(uint32(k.Eproc.Tdev))
	}
	if s := k.Proc.P_stat; s > 0 && int(s) < len(states) {
		p.State = states[s]
	}
	name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
	p.Comm = string(name)
	if sid, err := unix.Getsid(p.PID); err == nil {
		p.Session = sid
	}
	return p
}

// Scanner takes snapshots of processes. The zero value is ready to use.
type Scanner struct{ reader reader }

// Scan returns a snapshot of all processes.
func (s *Scanner) Scan() ([]Process, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	procs := make([]Process, 0, len(all))
	for i := range all {
		procs = append(procs, fromKinfo(&all[i]))
	}
	return procs, nil
}

// A snapshot is one system call, so all processes are read each time.

func (s *Scanner) scanFor([]JobRef) ([]Process, error) { return s.Scan() }
func (s *Scanner) current(members []Process) []Process { return members }

// reader reads command lines and environments of this user's processes.
type reader struct{}

func (r *reader) args(pid int) (arguments, bool) {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return arguments{}, false
	}
	return parseArguments(data)
}

func (r *reader) hasJobID(pid int, id string) bool {
	a, ok := r.args(pid)
	return ok && hasVariable(a.env, JobVariable, id)
}

func (r *reader) isHolder(pid int) bool {
	a, ok := r.args(pid)
	return ok && len(a.argv) > 0 && filepath.Base(a.argv[0]) == HolderName
}

// Cmdline returns the command line of pid.
func Cmdline(pid int) ([]string, error) {
	var r reader
	a, ok := r.args(pid)
	if !ok {
		return nil, ErrGone
	}
	return a.argv, nil
}

// handle refers to a process. Each use first checks its start time.
type handle struct{ p Process }

// openHandle returns a handle of the process p, or ErrGone.
func openHandle(p Process) (*handle, error) {
	if untouchable(p.PID) {
		return nil, errUntouchable
	}
	h := &handle{p: p}
	if !h.alive() {
		return nil, ErrGone
	}
	return h, nil
}

func (h *handle) signal(sig syscall.Signal) error {
	if !h.alive() {
		return ErrGone
	}
	err := unix.Kill(h.p.PID, sig)
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

func (h *handle) release() {}
