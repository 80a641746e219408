//go:build !linux && !darwin

package proc

import "syscall"

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
