package holder

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// listenUnix is net.ListenUnix without the look at how long a queue the system
// allows, for which that reads a file into 64 KiB: every holder has this memory.
func listenUnix(path string) (*net.UnixListener, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close() // the listener has a descriptor of its own
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		return nil, &os.PathError{Op: "bind", Path: path, Err: err}
	}
	if err := unix.Listen(fd, maxConns); err != nil {
		return nil, &os.PathError{Op: "listen", Path: path, Err: err}
	}
	l, err := net.FileListener(f)
	if err != nil {
		return nil, err
	}
	return l.(*net.UnixListener), nil
}
