//go:build !linux && !darwin

package proc

import (
	"context"
	"net"
	"os"
	"syscall"
	"time"
)

const startOrders = false

// Stat is not supported here.
func Stat(int) (Process, error) { return Process{}, ErrUnsupported }

// Scanner takes snapshots where that is supported.
type Scanner struct{ reader reader }

// Scan is not supported here.
func (*Scanner) Scan() ([]Process, error) { return nil, ErrUnsupported }

// Close does nothing here.
func (*Scanner) Close() {}

type reader struct{}

func (*reader) hasJobID(int, string) bool { return false }
func (*reader) isHolder(int) bool         { return false }

// Cmdline is not supported here.
func Cmdline(int) ([]string, error) { return nil, ErrUnsupported }

// Terminate is not supported here.
func Terminate(context.Context, JobRef, Options) (Result, error) { return Result{}, ErrUnsupported }

// Signal is not supported here.
func Signal(Identity, syscall.Signal) error { return ErrUnsupported }

// BootID is "": the boot has no name here.
func BootID() string { return "" }

// PIDNamespace is "": there is one space of pids.
func PIDNamespace() string { return "" }

func hardwareID() string { return "" }

// TTYMode is not supported here.
func TTYMode(fd int) (Mode, error) { return Mode{}, ErrUnsupported }

// ForegroundGroup is not supported here.
func ForegroundGroup(fd int) (int, error) { return 0, ErrUnsupported }

// PeerUID is this user: the permissions of a socket's directory have to do.
func PeerUID(*net.UnixConn) (int, error) { return os.Getuid(), nil }

// SinceBoot is zero: unknown. No job runs here whose holder is another process.
func SinceBoot() time.Duration { return 0 }

func runningHere() time.Duration { return 0 }

func clocksAhead() ahead { return ahead{} }

// Where this machine has no signals the names are still needed for hosts,
// which are taken to number them as Linux does.
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
	for n, known := range signalNames {
		if known != "" && known == name {
			return syscall.Signal(n), true
		}
	}
	return 0, false
}
