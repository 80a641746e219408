//go:build unix

package testtool

import (
	"os"

	"golang.org/x/sys/unix"
)

// leaveTerminal detaches from the terminal that the tests were started on. Otherwise hob would
// query it and use its size.
func leaveTerminal() {
	if leader, err := unix.Getsid(0); err != nil || leader == os.Getpid() {
		return // a session leader that detaches hangs up all processes of the terminal
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return
	}
	defer tty.Close()
	_ = unix.IoctlSetInt(int(tty.Fd()), unix.TIOCNOTTY, 0) // if it fails, so do the tests that depend on it
}
