//go:build linux || darwin

package localjob

import (
	"errors"
	"maps"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/plainfile"
)

// files are open files passed to a job, by their descriptor number in the job.
type files map[int]*os.File

func (l files) close() {
	for _, f := range l {
		f.Close()
	}
}

// duplicate returns duplicates of all descriptors, close-on-exec.
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

// duplicate returns a duplicate of f's descriptor, close-on-exec.
func duplicate(f *os.File) (*os.File, error) {
	fd, err := duplicateFD(f)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func duplicateFD(f *os.File) (fd int, err error) {
	err = plainfile.WithDescriptor(f, func(own int) (err error) {
		fd, err = unix.FcntlInt(uintptr(own), unix.F_DUPFD_CLOEXEC, 0)
		return err
	})
	return fd, err
}

// maxRights is how many descriptors one message may carry. Linux allows 253, macOS as many as fit
// in about 2 KiB.
const maxRights = 200

// Send writes a holder's configuration to its stdin, with the descriptors kept, the first of which is
// the job's lock, and the files passed to the job. From then on both processes hold the lock, and it is
// free when both have released it.
func Send(to *os.File, config []byte, kept []int, passed map[int]*os.File) error {
	fds := slices.Clone(kept)
	for _, n := range slices.Sorted(maps.Keys(passed)) {
		if err := plainfile.WithDescriptor(passed[n], func(fd int) error {
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

// receive reads a configuration, up to end of file, and the descriptors that come with it. Its buffer is small because
// it is on the stack of the main goroutine, which keeps its size as long as the job runs.
func receive(from int) (config []byte, received []*os.File, err error) {
	text, rights := make([]byte, 4<<10), make([]byte, unix.CmsgSpace(4*maxRights))
	for {
		n, oobn, _, _, err := unix.Recvmsg(from, text, rights, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			closeAll(received)
			return nil, nil, err
		}
		received = append(received, filesIn(rights[:oobn])...)
		if n == 0 {
			return config, received, nil
		}
		config = append(config, text[:n]...)
	}
}

// filesIn returns the files that came with a message. No process is started meanwhile.
func filesIn(rights []byte) (list []*os.File) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for i := range messages {
		fds, _ := unix.ParseUnixRights(&messages[i])
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			list = append(list, os.NewFile(uintptr(fd), "passed"))
		}
	}
	return list
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

var errFilesMissing = errors.New("the descriptors for the job did not arrive with the configuration")

// splitPassed assigns the received descriptors to their numbers in the job. The first is the lock.
func splitPassed(received []*os.File, numbers []int) (lock *os.File, passed files, err error) {
	if len(received) != len(numbers)+1 {
		closeAll(received)
		return nil, nil, errFilesMissing
	}
	passed = files{}
	for i, n := range numbers {
		passed[n] = received[i+1]
	}
	return received[0], passed, nil
}

// childTable returns a child's descriptors, indexed by number.
func childTable(std [3]*os.File, passed files) []uintptr {
	table := make([]uintptr, len(std))
	for n, f := range std {
		table[n] = f.Fd()
	}
	for _, n := range slices.Sorted(maps.Keys(passed)) {
		if n < len(std) {
			continue
		}
		for len(table) <= n {
			table = append(table, ^uintptr(0)) // closed
		}
		_ = plainfile.WithDescriptor(passed[n], func(fd int) error {
			table[n] = uintptr(fd)
			return nil
		})
	}
	return table
}
