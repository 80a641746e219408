//go:build !windows

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// withoutEcho keeps the terminal from echoing what it is sent, until restore. The
// UI does so by itself while it runs; this covers the moments before and after.
func withoutEcho(f *os.File) (restore func()) {
	fd := int(f.Fd())
	saved, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	quiet := *saved
	quiet.Lflag &^= unix.ECHO
	if unix.IoctlSetTermios(fd, setTermios, &quiet) != nil {
		return func() {}
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, saved) } // there is nothing else to try
}
