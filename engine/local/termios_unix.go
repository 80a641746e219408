//go:build linux || darwin

package local

import "golang.org/x/sys/unix"

// eofChar is the character that ends the input of the terminal fd.
func eofChar(fd int) (byte, error) {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return 0, err
	}
	return t.Cc[unix.VEOF], nil
}

// echoOff makes the terminal fd not show what is typed.
func echoOff(fd int) error {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	t.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, setTermios, t)
}
