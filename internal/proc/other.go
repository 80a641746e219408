//go:build !linux && !darwin

package proc

import (
	"context"
	"net"
	"os"
	"slices"
	"syscall"
	"time"
)

const startsAreOrdered = false

// Scanner takes snapshots of all processes.
type Scanner struct{ reader reader }

type reader struct{}

func (*reader) hasJobID(int, string) bool { return false }
func (*reader) isHolder(int) bool         { return false }

// What follows is not supported, or not known, on this system.

func Stat(int) (Process, error)                                  { return Process{}, ErrUnsupported }
func (*Scanner) Scan() ([]Process, error)                        { return nil, ErrUnsupported }
func (*Scanner) scanFor([]JobRef) ([]Process, error)             { return nil, ErrUnsupported }
func (*Scanner) current(members []Process) []Process             { return members }
func Cmdline(int) ([]string, error)                              { return nil, ErrUnsupported }
func Terminate(context.Context, JobRef, Options) (Result, error) { return Result{}, ErrUnsupported }
func Signal(Identity, syscall.Signal) error                      { return ErrUnsupported }
func BootID() string                                             { return "" }
func PIDNamespace() string                                       { return "" }
func SinceBoot() time.Duration                                   { return 0 }
func hardwareID() string                                         { return "" }
func readRunningClock() time.Duration                            { return 0 }
func namespaceOffsets() clockOffsets                             { return clockOffsets{} }

// PeerUID returns the current user: only the permissions of the socket's directory protect it.
func PeerUID(*net.UnixConn) (int, error) { return os.Getuid(), nil }

// Names of signals are needed for jobs on hosts, whose numbers are assumed to be those of Linux.
const (
	lastSignal    = 64
	firstRealTime = 34
)

var signalNames = [...]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
	9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
	17: "SIGCHLD", 18: "SIGCONT", 19: "SIGSTOP", 20: "SIGTSTP", 21: "SIGTTIN", 22: "SIGTTOU", 23: "SIGURG",
	24: "SIGXCPU", 25: "SIGXFSZ", 26: "SIGVTALRM", 27: "SIGPROF", 28: "SIGWINCH", 29: "SIGIO", 30: "SIGPWR", 31: "SIGSYS",
}

func signalName(sig syscall.Signal) string {
	if sig < 0 || int(sig) >= len(signalNames) {
		return ""
	}
	return signalNames[sig]
}

func signalNumber(name string) (syscall.Signal, bool) {
	n := slices.Index(signalNames[:], name)
	return syscall.Signal(n), n > 0
}
