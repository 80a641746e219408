//go:build unix

package testtool

import (
	"os"

	"golang.org/x/sys/unix"
)

// leaveTerminal lets go of the terminal that the tests were started on: programs would
// ask it, and take its size for their caller's.
func leaveTerminal() {
	if leader, err := unix.Getsid(0); err != nil || leader == os.Getpid() {
		return // that would hang up all that runs there
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return
	}
	defer tty.Close()
	_ = unix.IoctlSetInt(int(tty.Fd()), unix.TIOCNOTTY, 0) // then the tests fail that depend on it
}
