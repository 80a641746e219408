package proc

import (
	"syscall"
	"time"
)

// Stage is a step of the ladder.
type Stage string

const (
	// StageAsk: the polite signal is about to go out.
	StageAsk Stage = "ask"
	// StageKill: the grace is over, or there was none; SIGKILL follows.
	StageKill Stage = "kill"
)

// Options choose how a job is ended. The zero value kills at once.
type Options struct {
	// Grace is the time from the polite signal to SIGKILL; 0 or less leaves
	// the polite signal out.
	Grace time.Duration
	// Signal is the polite signal, SIGTERM if 0. SIGCONT always follows it.
	Signal syscall.Signal
	// HUP sends SIGHUP as well: interactive shells ignore SIGTERM.
	HUP bool
	// KeepDaemons spares every member that has left the leader's session (its
	// group, where the job has no session).
	KeepDaemons bool
	// Gone, if set, is asked after a wait whether it is certain that no member is
	// left, so that not all processes of the machine have to be read to find out.
	// A subreaper without children knows it of its job.
	Gone func() bool
	// OnStage, if set, is called in the caller's goroutine before a stage
	// signals the processes given. It must not block.
	OnStage func(Stage, []Process)
}

// Result says what ending a job took.
type Result struct {
	Took time.Duration
	// Escalated: something had to be killed after the polite signal.
	Escalated bool
	// Signalled are the processes that were sent anything, each once.
	Signalled []Process
	// Survivors are still there: in uninterruptible sleep, or another user's.
	// After an error it is what was last seen.
	Survivors []Process
}
