package proc

import "time"

// Options are the parameters of Terminate. The zero value kills at once.
type Options struct {
	// Grace is the time from the polite signal, SIGTERM, to SIGKILL. If it is 0 or less,
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
