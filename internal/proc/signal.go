package proc

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
)

// ParseSignal parses a signal: "TERM", "SIGTERM", "term" or "15", and "RTMIN+3" on systems with
// real-time signals.
func ParseSignal(text string) (syscall.Signal, error) {
	word := strings.ToUpper(strings.TrimSpace(text))
	if n, err := strconv.Atoi(word); err == nil {
		if n < 1 || n > lastSignal {
			return 0, fmt.Errorf("signal %d is not between 1 and %d", n, lastSignal)
		}
		return syscall.Signal(n), nil
	}
	name := "SIG" + strings.TrimPrefix(word, "SIG")
	switch name {
	case "SIGIOT":
		name = "SIGABRT"
	case "SIGCLD":
		name = "SIGCHLD"
	case "SIGPOLL":
		name = "SIGIO"
	}
	if sig, ok := signalNumber(name); ok {
		return sig, nil
	}
	if sig, ok := realTime(name); ok {
		return sig, nil
	}
	return 0, fmt.Errorf("no signal %q; use a name such as TERM or a number", text)
}

// SignalName returns the name of a signal: "SIGTERM", "SIGRTMIN+3" for a real-time signal, or
// "signal 99" for a number without a name.
func SignalName(sig syscall.Signal) string {
	if name := signalName(sig); name != "" {
		return name
	}
	if firstRealTime > 0 && int(sig) >= firstRealTime && int(sig) <= lastSignal {
		if sig == syscall.Signal(firstRealTime) {
			return "SIGRTMIN"
		}
		return "SIGRTMIN+" + strconv.Itoa(int(sig)-firstRealTime)
	}
	return "signal " + strconv.Itoa(int(sig))
}

// realTime parses SIGRTMIN, SIGRTMIN+n, SIGRTMAX and SIGRTMAX-n.
func realTime(name string) (syscall.Signal, bool) {
	if firstRealTime == 0 {
		return 0, false
	}
	base := firstRealTime
	rest, ok := strings.CutPrefix(name, "SIGRTMIN")
	if !ok {
		base = lastSignal
		if rest, ok = strings.CutPrefix(name, "SIGRTMAX"); !ok {
			return 0, false
		}
	}
	n := base
	if rest != "" {
		offset, err := strconv.Atoi(rest)
		if err != nil || (rest[0] != '+' && rest[0] != '-') {
			return 0, false
		}
		n += offset
	}
	return syscall.Signal(n), n >= firstRealTime && n <= lastSignal
}
