// Package proc inspects and ends processes of this machine: it identifies them, determines which
// of them belong to a job, measures their resource usage, detects whether one waits for input, and
// ends the processes of a job without ending any other.
//
// # Identity
//
// A process is identified by its pid and its start time, because pids are reused. [Alive] and all
// functions that send signals compare both, and assume in doubt that a process is not the one
// meant. A zombie is not alive.
//
// # Members of a job
//
// A process is a member of a job if any of the following applies: it is in the session or the
// process group of the leader, it is a descendant of the leader or another member, the job's
// holder has adopted it as a subreaper (see [SetSubreaper]), or its environment has the job's
// HOB_JOB_ID. The holder is never a member. Neither is another holder (a process whose argv[0] is
// [HolderName]) or any of its descendants, so that nested jobs are independent. While the holder
// is a subreaper, all members are its descendants, and no other processes need to be examined. On
// Linux, a process older than the leader cannot be a member, which makes reused numbers harmless.
//
// # Ending a job
//
// [Terminate] sends SIGTERM, or another polite signal, and SIGCONT to all members and waits for the grace period. Then it
// sends SIGSTOP until no new members appear, because stopped processes cannot fork, and kills all
// of them with SIGKILL, until no member is left. Signals are sent with pidfds if the kernel
// supports them. Terminate does not reap processes: a subreaper reaps its orphans with a [Reaper].
//
//	res, err := proc.Terminate(ctx, ref, proc.Options{Grace: 5 * time.Second})
//	for _, p := range res.Survivors { … }
//
// # Systems
//
// Linux is fully supported. macOS supports identity, process trees, signals and Terminate, but has
// no subreapers; memory and CPU time are 0, waiting for input is not detected, and ports are
// [ErrUnsupported]. On other systems everything except the names of signals is ErrUnsupported, and
// no process is reported alive.
package proc

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// HolderName is the base name of argv[0] of every holder process.
const HolderName = "hob-holder"

// IsHolder reports whether the process is a holder, as its command line shows.
func IsHolder(pid int) bool {
	argv, err := Cmdline(pid)
	return err == nil && len(argv) > 0 && filepath.Base(argv[0]) == HolderName
}

// JobVariable is the environment variable with the id of a process's job.
const JobVariable = "HOB_JOB_ID"

var (
	// ErrUnsupported is returned for functions that this operating system does not support.
	ErrUnsupported = errors.New("not supported on this operating system")
	// ErrGone means that the process has ended. Another one may have its pid now.
	ErrGone = errors.New("the process has ended")
)

// Identity identifies a process within a boot of this machine.
type Identity = record.Identity

// startNumber returns id.Start as a number, like Process.Start.
func startNumber(id Identity) (uint64, bool) {
	n, err := strconv.ParseUint(id.Start, 10, 64)
	return n, err == nil && id.PID > 0
}

// Self returns the identity of the calling process, zero if that is not supported.
func Self() Identity {
	if id := self.Load(); id != nil {
		return *id
	}
	id, err := IdentityOf(os.Getpid())
	if err != nil {
		return Identity{}
	}
	self.Store(&id)
	return id
}

// self caches the result of Self.
var self atomic.Pointer[Identity]

// IdentityOf returns the identity of the process that has pid now, even if it is a zombie. The
// error is ErrGone if there is no such process.
func IdentityOf(pid int) (Identity, error) {
	p, err := Stat(pid)
	if err != nil {
		return Identity{}, err
	}
	return p.Identity(), nil
}

// Alive reports whether the process id is running. A process with an unknown start, one that
// cannot be read, and a zombie are not alive.
func Alive(id Identity) bool {
	start, ok := startNumber(id)
	if !ok {
		return false
	}
	p, err := Stat(id.PID)
	return err == nil && p.Start == start && !p.Dead()
}

// Stopped reports whether the process id is stopped by a signal or a tracer.
func Stopped(id Identity) bool {
	p, err := Stat(id.PID)
	switch {
	case err != nil, p.Identity() != id:
		return false
	}
	return p.Stopped()
}

// Process is the state of a process in a snapshot.
type Process struct {
	PID, PPID, PGID, Session int

	// TTY is the device number of the controlling terminal, 0 for none. Foreground is the
	// terminal's foreground process group, -1 or 0 for none.
	TTY        uint64
	Foreground int

	// State is the kernel's letter: R, S, D, T, t, Z, X, I.
	State   byte
	Threads int

	// User and System are the CPU time used so far, without children.
	User, System time.Duration
	// RSS is the resident memory in bytes.
	RSS int64

	// Start is the start time; its unit depends on the system. See Identity.
	Start uint64
	// Comm is the kernel's short name, at most 15 bytes on Linux, 16 on macOS.
	Comm string

	kernel bool // a kernel thread
}

// Identity returns the identity of p.
func (p Process) Identity() Identity {
	return Identity{PID: p.PID, Start: strconv.FormatUint(p.Start, 10)}
}

// Dead reports whether p is a zombie. A process whose first thread has ended while others run is
// not dead.
func (p Process) Dead() bool {
	switch p.State {
	case 'Z', 'X', 'x':
		return p.Threads <= 1
	}
	return false
}

// Stopped reports whether p is stopped by a signal or a tracer.
func (p Process) Stopped() bool { return p.State == 'T' || p.State == 't' }

// hasFiles reports whether p may have open files and network connections.
func (p Process) hasFiles() bool { return !p.kernel && !p.Dead() }

// byPID indexes a snapshot.
func byPID(procs []Process) map[int]Process {
	index := make(map[int]Process, len(procs))
	for _, p := range procs {
		index[p.PID] = p
	}
	return index
}

// Input describes whether a process waits for input.
type Input int

const (
	// InputNone means that no process waits, or that it is unknown.
	InputNone Input = 0
	// InputUnseen means that a process in the foreground of the terminal sleeps and may not
	// be inspected, such as sudo and su unless the caller is root. It waits for input if the
	// terminal's echo is off.
	InputUnseen Input = 1
	// InputPolled means that a process is in poll, select or epoll, and the input is among the
	// descriptors that it watches. It need not wait for the user: editors, pagers, servers with
	// keyboard shortcuts and prompts of readline or Node all look the same. The caller needs
	// more information to decide, such as whether echo is off or the cursor follows text on the
	// main screen.
	InputPolled Input = 2
	// InputRead means that a process is blocked in a read of the input.
	InputRead Input = 3
)

// Source identifies a source of input: a terminal, a pipe or a socket. The zero value is a source
// that no process waits for, such as a file or /dev/null.
type Source struct {
	// TTY is the device number of a terminal, as in Process.TTY.
	TTY uint64
	// Dev and Ino identify a pipe, FIFO or socket.
	Dev, Ino uint64
}

// Port is a TCP port that a process listens on.
type Port struct {
	Addr netip.AddrPort
	PID  int
}

// PortsOf returns the numbers of the TCP ports that procs listen on, sorted; nil if that cannot be found out.
func PortsOf(procs []Process) []int {
	found, err := ListeningPorts(procs)
	if err != nil {
		return nil
	}
	ports := make([]int, 0, len(found))
	for _, p := range found {
		ports = append(ports, int(p.Addr.Port()))
	}
	return slices.Compact(ports)
}

// Usage is the resource usage of a set of processes.
type Usage struct {
	// RSS is the resident memory in bytes. Shared pages are counted for every process.
	RSS int64
	// CPU is the CPU time of the living processes since their starts.
	CPU time.Duration
	// Percent is the CPU usage since the last sample: 100 is one fully used CPU.
	Percent float64
	// Measured is false for the first sample, which has no Percent.
	Measured bool
}

// Meter computes usage from successive snapshots of a job. The zero value is ready to use. A Meter
// must not be used concurrently.
type Meter struct {
	at   time.Time
	used map[Identity]time.Duration
}

// Sample returns the usage of procs, a snapshot taken at now. For a process that started since the
// last sample, all its CPU time counts. For one that ended, the time since the last sample is lost.
func (m *Meter) Sample(procs []Process, now time.Time) Usage {
	var u Usage
	used := make(map[Identity]time.Duration, len(procs))
	var spent time.Duration
	for _, p := range procs {
		if p.Dead() {
			continue
		}
		id, total := p.Identity(), p.User+p.System
		used[id] = total
		u.RSS += p.RSS
		u.CPU += total
		spent += max(0, total-m.used[id])
	}
	if past := now.Sub(m.at); !m.at.IsZero() && past > 0 {
		u.Measured = true
		u.Percent = 100 * spent.Seconds() / past.Seconds()
	}
	m.at, m.used = now, used
	return u
}
