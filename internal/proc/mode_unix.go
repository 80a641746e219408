//go:build linux || darwin

package proc

import "golang.org/x/sys/unix"

// TTYMode is the mode of the terminal that the descriptor fd of this process
// is; a master answers for its slave.
func TTYMode(fd int) (Mode, error) {
	t, err := unix.IoctlGetTermios(fd, getAttributes)
	if err != nil {
		return Mode{}, err
	}
	return Mode{Canonical: t.Lflag&unix.ICANON != 0, Echo: t.Lflag&unix.ECHO != 0}, nil
}

// ForegroundGroup is the foreground process group of the terminal that the
// descriptor fd of this process is; a master answers for its slave.
func ForegroundGroup(fd int) (int, error) {
	return unix.IoctlGetInt(fd, unix.TIOCGPGRP)
}
