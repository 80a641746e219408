//go:build unix

package project

import (
	"os/exec"
	"syscall"
)

// endGroup makes the cancellation of the command's context end all processes of the command's process group.
func endGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
