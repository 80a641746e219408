package turn

import (
	"syscall"
	"unsafe"
)

// resort is how long to wait for a job that cannot be watched before looking again, in milliseconds;
// pause is the same for jobs that can.
const (
	resort = 1000
	pause  = -1 // the system reports every end
)

// hangUp is the event with which poll reports that the other end of a pipe was closed.
const hangUp = 0

const getLock = 36 // F_OFD_GETLK

// held reports whether another open file description has fd locked.
func held(fd int) bool {
	whole := syscall.Flock_t{Type: syscall.F_WRLCK}
	_, err := retrying(func() (int, error) { return 0, syscall.FcntlFlock(uintptr(fd), getLock, &whole) })
	return err != nil || whole.Type != syscall.F_UNLCK
}

type pollFD struct {
	fd             int32
	events, happen int16
}

const (
	pollIn  = 1
	pollHup = 0x10
)

// hungUp reports whether the pipe at path, which is open for reading as fd, has no other process left
// that keeps it open for writing. After it, poll reports when that happens: the system reports a
// hang-up only if there was a writer after the reader.
func hungUp(path string, fd int) bool {
	writer, err := open(path, syscall.O_WRONLY)
	if err != nil {
		return true // it was deleted, which precedes the end
	}
	syscall.Close(writer)
	list := [1]pollFD{{fd: int32(fd)}}
	poll(list[:], 0)
	return list[0].happen&pollHup != 0
}

// poll waits for a byte at the first of fds or a hang-up of one of the others. A negative time is no
// limit.
func poll(fds []pollFD, milliseconds int) {
	var limit *syscall.Timespec
	if milliseconds >= 0 {
		t := syscall.NsecToTimespec(int64(milliseconds) * 1e6)
		limit = &t
	}
	_, _, _ = syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)),
		uintptr(unsafe.Pointer(limit)), 0, 0, 0)
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

// dropLeaked closes the descriptors from first on, which programs before have left open.
func dropLeaked(first int) {
	const closeRange = 436
	if _, _, err := syscall.Syscall(closeRange, uintptr(first), 1<<32-1, 0); err == 0 {
		return
	}
	for fd := first; fd < 1024; fd++ {
		syscall.Close(fd)
	}
}

func redirect(from, to int) { _ = syscall.Dup3(from, to, 0) }
