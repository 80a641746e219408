package localjob

import (
	"context"
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func ForkUnblocked(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	return syscall.ForkExec(path, argv, attr)
}

// forkHeld starts a program and calls ready, possibly while it is already running: macOS has no way
// to hold it back.
func forkHeld(path string, argv []string, attr *syscall.ProcAttr, ready func(pid int)) (int, error) {
	return forkThen(path, argv, attr, ready)
}

// closeLeaked keeps descriptors from first on, which the launcher may have left open, from being
// inherited by the job. Those of Go are close-on-exec anyway.
func closeLeaked(first int) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return
	}
	for fd := first; fd < int(min(limit.Cur, 4096)); fd++ {
		unix.CloseOnExec(fd)
	}
}

// redirect makes descriptor to refer to the same file as from.
func redirect(from, to int) error { return unix.Dup2(from, to) }

// nameProcess does nothing: the system names processes after their file.
func nameProcess() {}

const waitContinued = 0

// haveChildren always reports true: checking would require a scan of all processes.
func haveChildren() bool { return true }

// waitEnd waits until the child pid has ended, without reaping it. It returns false if ctx ends
// first.
func waitEnd(ctx context.Context, pid int) bool { return pollEnd(ctx, pid) }

// maxRSS is in bytes. It may include what the process that forked the child had used.
func maxRSS(u syscall.Rusage) int64 { return u.Maxrss }

// ownPeak returns the largest amount of memory that this process has used, in bytes; 0 if it is not
// known.
func ownPeak() int64 { return peakOfUsage() }

// raiseOOMScore does nothing: macOS chooses itself what to end when memory runs out.
func (j *job) raiseOOMScore() {}

// oomCount is empty: macOS does not count the processes it ends for memory.
type oomCount struct{}

func (j *job) watchOOM() {}

func (j *job) oomKills(bool) int { return 0 }

// releasePages does nothing: the system reclaims pages when it needs memory.
func releasePages() {}

// growth would wait for writes to files; macOS is polled instead.
type growth struct{}

func newGrowth([]*os.File) (*growth, error) { return nil, errors.ErrUnsupported }

func (g *growth) arm() bool { return false }

func (g *growth) wait(context.Context) bool { return false }

func (g *growth) close() {}

// readNow calls read(2) on a non-blocking descriptor.
func readNow(fd int, p []byte) (int, error) { return unix.Read(fd, p) }

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// flushInput drops what was typed into the terminal fd and not read.
func flushInput(fd int) {
	const read = 1 // FREAD of <sys/fcntl.h>
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}
