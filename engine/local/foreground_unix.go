//go:build linux || darwin

package local

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// A job that led its session would take the terminal's foreground group with it:
// when a session leader ends, the kernel hangs that group up, and a server that
// the job started with & would die of a normal end. So the holder, which leads a
// session anyway, leads the terminal's too, and the job is its foreground group.
// In a program that holds jobs itself the job has to lead.

// takeTerminal makes the terminal this process's controlling one. It fails where
// the process does not lead its session.
func takeTerminal(slave *os.File) error {
	return unix.IoctlSetInt(int(slave.Fd()), unix.TIOCSCTTY, 0)
}

// toForeground gives the terminal to the group pid. A job that was faster, and
// was stopped for using a terminal that was not its own yet, is continued by
// collect.
func (j *job) toForeground(pid int) {
	_ = unix.IoctlSetPointerInt(int(j.tty.slave.Fd()), unix.TIOCSPGRP, pid)
}

// leaveTerminal takes the terminal away from the job's group, so that whoever of
// it lives on without using the terminal is not hung up when this process ends.
func (j *job) leaveTerminal() {
	// A group in the background that does this is stopped by SIGTTOU otherwise.
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = j.tty.control(func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, unix.Getpgrp()) })
}

// stopsItself reports whether sig is how a terminal stops a group. Nobody would
// continue a job that has no shell above it, so for such a group it means
// nothing, as in any terminal.
func stopsItself(sig syscall.Signal) bool {
	return sig == syscall.SIGTSTP || sig == syscall.SIGTTIN || sig == syscall.SIGTTOU
}
