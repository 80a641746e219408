//go:build !windows

package shellrun

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnSession makes a command that has not been started run in a session of its own.
func OwnSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killSession kills the process that leads a session and all that are in its process group.
func killSession(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
