//go:build unix

package shell

import (
	"os/exec"
	"syscall"
)

// ownSession keeps signals to this program's group away from the sh.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
