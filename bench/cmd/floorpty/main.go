//go:build unix

// Command floorpty is the floor that supervisors with a terminal are measured
// against: the least Go that opens a pseudo-terminal, starts a job in it and
// copies the master to a file. One process a job, in a session of its own.
//
//	floorpty LOG COMMAND [ARG…]
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: floorpty LOG COMMAND [ARG…]")
		os.Exit(2)
	}
	if err := hold(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "floorpty:", err)
		os.Exit(1)
	}
}

func hold(log string, command []string) error {
	// It fails for a leader of a process group, which has left the caller's
	// group already.
	_, _ = syscall.Setsid()
	f, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	job := exec.Command(command[0], command[1:]...)
	master, err := pty.StartWithSize(job, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		return err
	}
	defer master.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := master.Read(buf)
		if n > 0 {
			if _, err := f.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			break // EIO: the last process has closed the terminal
		}
	}
	return job.Wait()
}
