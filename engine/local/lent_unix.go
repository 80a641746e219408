//go:build linux || darwin

package local

import (
	"errors"
	"maps"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// files are descriptors that are lent to a job, by the numbers that they have there.
type files map[int]*os.File

// close closes them.
func (l files) close() {
	for _, f := range l {
		f.Close()
	}
}

// duplicate is another descriptor for each, which no child inherits.
func (l files) duplicate() (files, error) {
	twice := files{}
	for n, f := range l {
		d, err := duplicate(f)
		if err != nil {
			twice.close()
			return nil, err
		}
		twice[n] = d
	}
	return twice, nil
}

// duplicate is another descriptor of f, which no child inherits.
func duplicate(f *os.File) (*os.File, error) {
	var fd int
	err := withDescriptor(f, func(own int) (err error) {
		fd, err = unix.FcntlInt(uintptr(own), unix.F_DUPFD_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// withDescriptor calls use with the descriptor of f, which stays as it is: Fd may
// make it a blocking one, for everybody who has it.
func withDescriptor(f *os.File, use func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var used error
	if err := conn.Control(func(fd uintptr) { used = use(int(fd)) }); err != nil {
		return err
	}
	return used
}

// maxRights is how many descriptors a message may bring. Linux takes 253, macOS as
// many as have room in 2 KiB or so.
const maxRights = 200

// send writes a holder's configuration to its standard input, with the lock of its
// job and what is lent to that. From then on the two processes hold the lock, and it
// is free when both are gone.
func send(to *os.File, config []byte, lock *os.File, lent files) error {
	fds := []int{int(lock.Fd())}
	for _, n := range slices.Sorted(maps.Keys(lent)) {
		if err := withDescriptor(lent[n], func(fd int) error {
			fds = append(fds, fd)
			return nil
		}); err != nil {
			return err
		}
	}
	for len(fds) > 0 {
		part, with := config, fds
		if len(fds) > maxRights {
			part, with = config[:1], fds[:maxRights]
		}
		n, err := unix.SendmsgN(int(to.Fd()), part, unix.UnixRights(with...), nil, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		config, fds = config[n:], fds[len(with):]
	}
	if len(config) == 0 {
		return nil
	}
	_, err := to.Write(config)
	return err
}

// receive reads standard input to its end, and takes the descriptors that come with
// it. On an error it has taken none.
func receive() (data []byte, passed []*os.File, err error) {
	buf, rights := make([]byte, 8<<10), make([]byte, unix.CmsgSpace(maxRights*4))
	for {
		n, oobn, _, _, err := unix.Recvmsg(0, buf, rights, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			closeAll(passed)
			return nil, nil, err
		}
		for _, fd := range descriptorsIn(rights[:oobn]) {
			unix.CloseOnExec(fd) // nothing is started meanwhile
			passed = append(passed, os.NewFile(uintptr(fd), "lent"))
		}
		if n == 0 {
			return data, passed, nil
		}
		data = append(data, buf[:n]...)
	}
}

func descriptorsIn(rights []byte) (fds []int) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for _, m := range messages {
		if got, err := unix.ParseUnixRights(&m); err == nil {
			fds = append(fds, got...)
		}
	}
	return fds
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// errLent says that not all that was announced came.
var errLent = errors.New("the descriptors lent to the job did not come with the configuration")

// lentFiles are passed by the numbers that they are to have. The first is the lock.
func lentFiles(passed []*os.File, numbers []int) (lock *os.File, lent files, err error) {
	if len(passed) != len(numbers)+1 {
		closeAll(passed)
		return nil, nil, errLent
	}
	lent = files{}
	for i, n := range numbers {
		lent[n] = passed[i+1]
	}
	return passed[0], lent, nil
}

// A childTable is what a child's descriptors are made of, by number.
func childTable(std [3]*os.File, lent files) []uintptr {
	table := make([]uintptr, len(std))
	for n, f := range std {
		table[n] = f.Fd()
	}
	for _, n := range slices.Sorted(maps.Keys(lent)) {
		if n < len(std) {
			continue
		}
		for len(table) <= n {
			table = append(table, ^uintptr(0)) // closed
		}
		_ = withDescriptor(lent[n], func(fd int) error {
			table[n] = uintptr(fd)
			return nil
		})
	}
	return table
}
