package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/proc"
)

// ownProgram is this program.
func ownProgram() (string, error) { return os.Executable() }

// ownFile is where this program's file is, with links resolved: Homebrew links hob and
// hob-holder into another directory, and a link to hob-holder is not trusted.
func ownFile() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// forkUnblocked starts a program.
func forkUnblocked(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	return syscall.ForkExec(path, argv, attr)
}

// forkHeld starts a program and calls ready when it may run already: there is no
// way to hold it back here.
func forkHeld(path string, argv []string, attr *syscall.ProcAttr, ready func(pid int)) (int, error) {
	return forkThen(path, argv, attr, ready)
}

// isolate keeps descriptors from first on, which whoever started the holder may
// have left open, from the job. Go opens its own like that anyway.
func isolate(first int) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return
	}
	for fd := first; fd < int(min(limit.Cur, 4096)); fd++ {
		unix.CloseOnExec(fd)
	}
}

// closeLeaked is isolate for one descriptor.
func closeLeaked(fd int) { unix.CloseOnExec(fd) }

// redirect makes descriptor to mean what from means.
func redirect(from, to int) error { return unix.Dup2(from, to) }

// nameProcess has nothing to do: the system names processes by their file.
func nameProcess() {}

const waitContinued = 0

// haveChildren is not known without looking at all processes.
func haveChildren() bool { return true }

// waitEnd waits until the child pid has ended and leaves it to be reaped. It
// returns false when ctx ends first.
func waitEnd(ctx context.Context, pid int) bool {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if p, err := proc.Stat(pid); err != nil || p.Dead() {
			return true
		}
		if !sleep(ctx, pause) {
			return false
		}
	}
}

// maxRSS is in bytes.
func maxRSS(u syscall.Rusage) int64 { return u.Maxrss }

// countForMore does nothing: macOS has its own order of who is ended for memory.
func (j *job) countForMore() {}

// letGoOfPages has nothing to do: the system takes them when it needs memory.
func letGoOfPages() {}

// growth would wait until files are written to; here the clock does.
type growth struct{}

func newGrowth([]*os.File) (*growth, error) { return nil, errors.ErrUnsupported }

func (g *growth) arm() bool { return false }

func (g *growth) wait(context.Context) bool { return false }

func (g *growth) close() {}

// readNow is read(2) on a descriptor that does not block.
func readNow(fd int, p []byte) (int, error) { return unix.Read(fd, p) }

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)
