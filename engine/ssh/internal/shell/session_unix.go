//go:build unix

package shell

import (
	"os/exec"
	"syscall"
)

// OwnSession keeps the terminal, and signals to this program's group, away from cmd.
func OwnSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
