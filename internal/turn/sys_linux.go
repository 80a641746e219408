package turn

import (
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// blindPause is how long to wait for a job that cannot be watched before looking again, in milliseconds;
// pause is the same for jobs that can.
const (
	blindPause = 1000
	pause      = -1 // the system reports every end
)

// hangUp is the event with which poll reports that the other end of a pipe was closed.
const hangUp = 0

// held reports whether another open file description has fd locked.
func held(fd int) bool {
	whole := unix.Flock_t{Type: unix.F_WRLCK}
	_, err := retrying(func() (int, error) { return 0, unix.FcntlFlock(uintptr(fd), unix.F_OFD_GETLK, &whole) })
	return err != nil || whole.Type != unix.F_UNLCK
}

// hungUp reports whether the pipe at path, which is open for reading as fd, has no other process left
// that keeps it open for writing. After it, poll reports when that happens: the system reports a
// hang-up only if there was a writer after the reader.
func hungUp(path string, fd int) bool {
	writer, err := open(path, syscall.O_WRONLY)
	if err != nil {
		return true // it was deleted, which precedes the end
	}
	syscall.Close(writer)
	list := [1]unix.PollFd{{Fd: int32(fd)}}
	poll(list[:], 0)
	return list[0].Revents&unix.POLLHUP != 0
}

// names buffers a part of a directory.
var names [8 << 10]byte

// scan calls visit with the name of each file in the directory at path. The name is valid during the
// call.
func scan(path string, visit func(name []byte)) error {
	fd, err := open(path, syscall.O_RDONLY|syscall.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	for {
		n, err := retrying(func() (int, error) { return syscall.ReadDirent(fd, names[:]) })
		if err != nil || n <= 0 {
			return err
		}
		// struct linux_dirent64: inode and offset (8 bytes each), length of the record (2), type, name.
		for at := 0; at+19 <= n; {
			length := int(*(*uint16)(unsafe.Pointer(&names[at+16])))
			name := names[at+19 : at+length]
			for i, c := range name {
				if c == 0 {
					name = name[:i]
					break
				}
			}
			visit(name)
			at += length
		}
	}
}

// closeLeaked closes the descriptors from first on that the launcher has left open. Those of Go are
// close-on-exec and stay.
func closeLeaked(first int) {
	err := scan("/proc/self/fd", func(name []byte) {
		fd, err := strconv.Atoi(string(name))
		if err != nil || fd < first {
			return
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			syscall.Close(fd)
		}
	})
	if err != nil {
		_ = unix.CloseRange(uint(first), ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
	}
}

func redirect(from, to int) { _ = syscall.Dup3(from, to, 0) }
