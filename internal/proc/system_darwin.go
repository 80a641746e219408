package proc

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
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

// startOrders is false because births are told by a clock that can be set back.
const startOrders = false

// Stat describes the process that has pid now.
func Stat(pid int) (Process, error) {
	if pid <= 0 {
		return Process{}, ErrGone
	}
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		// The kernel answers with nothing for a pid that nobody has.
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

// fromKinfo translates the kernel's record. Threads, memory and processor time
// are not in it.
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
	name := k.Proc.P_comm[:]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	p.Comm = string(name)
	if sid, err := unix.Getsid(p.PID); err == nil {
		p.Session = sid
	}
	return p
}

// Scanner takes snapshots. The zero value is ready. It is for one goroutine.
type Scanner struct{ reader reader }

// Scan is Snapshot.
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

// Close lets go of what the scanner holds.
func (s *Scanner) Close() {}

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

// Cmdline is the command line of pid.
func Cmdline(pid int) ([]string, error) {
	var r reader
	a, ok := r.args(pid)
	if !ok {
		return nil, ErrGone
	}
	return a.argv, nil
}

// grip is one process; every use checks its birth first.
type grip struct{ p Process }

// take makes sure that the process p is there.
func take(p Process) (*grip, error) {
	if p.PID <= 1 || p.PID == os.Getpid() {
		return nil, errors.New("hob signals neither process 1 nor itself")
	}
	g := &grip{p: p}
	if !g.same() {
		return nil, ErrGone
	}
	return g, nil
}

func (g *grip) same() bool {
	now, err := Stat(g.p.PID)
	return err == nil && now.Start == g.p.Start && !now.Dead()
}

func (g *grip) signal(sig syscall.Signal) error {
	if !g.same() {
		return ErrGone
	}
	err := unix.Kill(g.p.PID, sig)
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

func (g *grip) release() {}

// grips are processes that are waited for together.
type grips struct{ held []*grip }

func (gs *grips) keep(g *grip) {
	if len(gs.held) < held {
		gs.held = append(gs.held, g)
	}
}

func (gs *grips) release() {}

// wait returns when all of them have ended, at the deadline, or with the error
// of ctx. It looks in growing intervals.
func (gs *grips) wait(ctx context.Context, deadline time.Time) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		left := gs.held[:0]
		for _, g := range gs.held {
			if g.same() {
				left = append(left, g)
			}
		}
		gs.held = left
		rest := time.Until(deadline)
		if len(left) == 0 || rest <= 0 {
			return nil
		}
		timer.Reset(min(pause, rest))
	}
}
