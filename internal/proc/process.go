// Package proc knows the processes of this machine: who they are, which of
// them belong to a job, what they use, whether one waits for its input, and
// how to end them without ending anything else.
//
// # Identity
//
// A process is its pid and its start, never its pid alone; [Alive] and
// everything that signals compare both and fail closed. A zombie is not alive.
//
// # Which processes are a job's
//
// [Members] unites what any of these say: the session and the group of the
// leader, descent from the leader or from another member, adoption by the
// job's holder (a subreaper, see [SetSubreaper]), and the variable HOB_JOB_ID
// in the environment. Two things never belong to it: the holder, and another
// holder (a process whose argv[0] is named [HolderName]) with everything under
// it, so nested jobs live on. Who adopts whatever its job leaves behind finds all of
// them below itself, and looks at nobody else on the machine. On Linux a process
// older than the leader cannot be a member either, which is what keeps a recycled
// number harmless.
//
// # Ending a job
//
// [Terminate] is the whole ladder: a polite signal and SIGCONT to every
// member, the grace, then SIGSTOP until no new member appears (a stopped tree
// cannot fork), SIGKILL, and a last look that finds nobody. It waits on pidfds
// where the kernel has them. It reaps nobody: who adopted the strays collects
// them with a [Reaper].
//
//	res, err := proc.Terminate(ctx, ref, proc.Options{Grace: 5 * time.Second})
//	for _, p := range res.Survivors { … }
//
// Linux is complete. macOS has identity, tree, signals and the ladder; it has
// no subreaper, memory and processor time of its processes read 0, nobody is
// seen to wait for input, and ports and working directories are
// [ErrUnsupported]. Elsewhere everything but the names of signals is
// ErrUnsupported, and nothing is ever reported alive.
package proc

import (
	"errors"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// HolderName is the base name of argv[0] of every holder process.
const HolderName = "hob-holder"

// JobVariable is the environment variable that names a process's job.
const JobVariable = "HOB_JOB_ID"

var (
	// ErrUnsupported is returned for what this operating system cannot tell.
	ErrUnsupported = errors.New("not supported on this operating system")
	// ErrGone means that the process meant has ended; another one may have
	// its pid by now.
	ErrGone = errors.New("the process is gone")
)

// Identity names one process of one boot of this machine.
type Identity = record.Identity

// startNumber is id.Start as the unsigned number that Process.Start holds.
func startNumber(id Identity) (uint64, bool) {
	n, err := strconv.ParseUint(id.Start, 10, 64)
	return n, err == nil && id.PID > 0
}

// Self is the calling process, zero where processes have no identity.
func Self() Identity {
	if id := self.Load(); id != nil {
		return *id
	}
	id, err := Of(os.Getpid())
	if err != nil {
		return Identity{}
	}
	self.Store(&id)
	return id
}

// self is what Self has found: it stays as long as the process.
var self atomic.Pointer[Identity]

// Of is the identity of the process that has pid now. A zombie has one too.
// The error is ErrGone where there is no such process.
func Of(pid int) (Identity, error) {
	p, err := Stat(pid)
	if err != nil {
		return Identity{}, err
	}
	return p.Identity(), nil
}

// Alive reports whether id still runs. It fails closed: an unknown start, an
// unreadable process and a zombie are not alive.
func Alive(id Identity) bool {
	start, ok := startNumber(id)
	if !ok {
		return false
	}
	p, err := Stat(id.PID)
	return err == nil && p.Start == start && !p.Dead()
}

// Process is one process as the kernel described it at one moment.
type Process struct {
	PID, PPID, PGID, Session int

	// TTY is the device number of the controlling terminal, 0 for none, and
	// Foreground the terminal's foreground process group, else -1 or 0.
	TTY        uint64
	Foreground int

	// State is the kernel's letter: R, S, D, T, t, Z, X, I.
	State   byte
	Threads int

	// User and System are processor time used so far, without children.
	User, System time.Duration
	// RSS is resident memory in bytes.
	RSS int64

	// Start orders processes by birth; see Identity.
	Start uint64
	// Comm is the kernel's short name, at most 15 bytes on Linux, 16 on macOS.
	Comm string

	kernel bool // a thread of the kernel, which has no memory of its own
}

// Identity is what names p for as long as the machine is up.
func (p Process) Identity() Identity {
	return Identity{PID: p.PID, Start: strconv.FormatUint(p.Start, 10)}
}

// Dead reports whether p has ended and only waits to be collected. A process
// whose first thread has ended while others run is not dead.
func (p Process) Dead() bool {
	return (p.State == 'Z' || p.State == 'X' || p.State == 'x') && p.Threads <= 1
}

// Stopped reports whether p is stopped by a signal or a tracer.
func (p Process) Stopped() bool { return p.State == 'T' || p.State == 't' }

// Tree answers questions about one snapshot. It is immutable and safe for
// concurrent use; its slices are the caller's.
type Tree struct {
	procs []Process
	byPID map[int]int // pid to index in procs
}

// NewTree indexes a snapshot, which the tree then owns.
func NewTree(procs []Process) *Tree {
	t := &Tree{
		procs: procs,
		byPID: make(map[int]int, len(procs)),
	}
	for i, p := range procs {
		t.byPID[p.PID] = i
	}
	return t
}

// Process is the process that had pid at the time of the snapshot.
func (t *Tree) Process(pid int) (Process, bool) {
	i, ok := t.byPID[pid]
	if !ok {
		return Process{}, false
	}
	return t.procs[i], true
}
