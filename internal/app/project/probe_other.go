//go:build !unix

package project

import "os/exec"

// endGroup does nothing: this system has no process groups, and only the command itself is ended.
func endGroup(*exec.Cmd) {}
