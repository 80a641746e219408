//go:build unix

package project

import (
	"os/exec"
	"syscall"
)

// endGroup makes the end of the command's context end all that the command has started.
func endGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
