package shellrun

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnSession makes a command that has not been started run in a process group of its own.
func OwnSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killSession kills a process. Its descendants are not known.
func killSession(p *os.Process) error { return p.Kill() }
