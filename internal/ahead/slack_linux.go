package ahead

import (
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
)

// holderSlack is how late the kernel may wake a holder from a sleep, in nanoseconds
// (timer slack, prctl(2)). Usually that is 50 µs. The Go runtime's monitor sleeps for 20
// µs at a time while anything runs: half of the times that a short job's holder gets the
// processor, and a tenth of its time, are that. A millisecond would spare more, but the
// monitor also takes over from a goroutine that is in a call of the system: a kill took
// two milliseconds longer then.
const holderSlack = 400_000

// slackVariable tells a holder the slack of whoever started it, which its job gets.
const slackVariable = "HOB_TIMER_SLACK_NS"

// forkHolder is Fork for a holder, which gets its timer slack before it runs: threads
// have that of the thread which starts them. pinned says that the calling goroutine
// keeps its thread, which to ask for would start another.
func forkHolder(pinned bool, path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	if !pinned {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	own := slack()
	// A process with real-time priority has none.
	if own > 0 && own < holderSlack && setSlack(holderSlack) {
		defer setSlack(own)
		attr.Env = append(attr.Env, slackVariable+"="+strconv.Itoa(own))
	}
	return Fork(path, argv, attr)
}

// childSlack is the timer slack of what this process, a holder, starts; 0: its own.
var childSlack atomic.Int64

// KeepSlack has the programs that this process starts by [Fork] or in [WithSlack] have
// the timer slack of whoever started it. Holders call it, first of all.
func KeepSlack() {
	if n, err := strconv.Atoi(os.Getenv(slackVariable)); err == nil && n > 0 && slack() == holderSlack {
		childSlack.Store(int64(n))
	}
}

// WithSlack calls start, which starts a program, with that program's timer slack.
func WithSlack(start func() error) error {
	n := childSlack.Load()
	if n == 0 {
		return start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if setSlack(int(n)) {
		defer setSlack(holderSlack)
	}
	return start()
}

// slack is this thread's, in nanoseconds; 0 is that of a real-time priority, and where
// it is not known.
func slack() int {
	n, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_GET_TIMERSLACK, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

func setSlack(n int) bool {
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_TIMERSLACK, uintptr(n), 0)
	return errno == 0
}
