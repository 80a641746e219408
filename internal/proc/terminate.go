package proc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options are the parameters of Terminate. The zero value kills at once.
type Options struct {
	// Signal is the polite signal; 0: SIGTERM. SIGKILL means the same as no Grace.
	Signal syscall.Signal
	// Grace is the time from the polite signal to SIGKILL. If it is 0 or less,
	// only SIGKILL is sent.
	Grace time.Duration
	// HUP sends SIGHUP as well, because interactive shells ignore SIGTERM.
	HUP bool
	// KeepDaemons spares members that have left the leader's session (its process
	// group, if the job has no session).
	KeepDaemons bool
	// Gone, if set, reports whether it is certain that no member is left. It is called
	// after a wait, and avoids reading all processes of the machine. A subreaper without
	// children knows that its job has no members.
	Gone func() bool
	// OnKill, if set, is called by the caller's goroutine before the members are stopped
	// and killed. It must not block.
	OnKill func()
}

// Result describes how a job was ended.
type Result struct {
	Took time.Duration
	// Escalated means that a process had to be killed after the polite signal.
	Escalated bool
	// Signaled are the processes that were sent any signal.
	Signaled []Process
	// Survivors are members that still exist: in uninterruptible sleep, or of another
	// user. After an error they are the last known members.
	Survivors []Process
}

// StopSignal returns the signal with the name that a job's request has for [Options].Signal.
func StopSignal(name string) syscall.Signal {
	sig, err := ParseSignal(name)
	if err != nil { // the default, or a signal of another system
		return syscall.SIGTERM
	}
	return sig
}

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
	if isRealTime(int(sig)) {
		if sig == syscall.Signal(firstRealTime) {
			return "SIGRTMIN"
		}
		return "SIGRTMIN+" + strconv.Itoa(int(sig)-firstRealTime)
	}
	return "signal " + strconv.Itoa(int(sig))
}

// isRealTime reports whether the system has a real-time signal of that number.
func isRealTime(n int) bool { return firstRealTime > 0 && firstRealTime <= n && n <= lastSignal }

// realTime parses SIGRTMIN, SIGRTMIN+n, SIGRTMAX and SIGRTMAX-n.
func realTime(name string) (syscall.Signal, bool) {
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
		if err != nil || !strings.ContainsAny(rest[:1], "+-") {
			return 0, false
		}
		n += offset
	}
	return syscall.Signal(n), isRealTime(n)
}

// Reaper reaps the orphans that a subreaper has adopted. The zero value is ready to use. It is safe
// for concurrent use.
type Reaper struct {
	mu    sync.Mutex
	owned []int // the children of Start that were not waited for
	scan  Scanner
}

// Start calls start, which starts a child and returns its pid, and excludes that child from
// reaping until Forget, because the caller waits for it. ReapOrphans blocks meanwhile, so that it
// cannot reap a child that ends at once.
func (r *Reaper) Start(start func() (pid int, err error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	pid, err := start()
	if err != nil {
		return err
	}
	r.owned = append(r.owned, pid)
	return nil
}

// Forget must be called after the caller has waited for a child of Start.
func (r *Reaper) Forget(pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owned = slices.DeleteFunc(r.owned, func(p int) bool { return p == pid })
}
