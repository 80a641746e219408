package shell

import "os/exec"

func ownSession(*exec.Cmd) {}
