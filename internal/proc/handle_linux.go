package proc

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// handle refers to a process, so that a signal reaches either that process or none.
type handle struct {
	p  Process
	fd int // a pidfd, or -1 if the kernel supports none
}

// openHandle returns a handle of the process p, or ErrGone.
func openHandle(p Process) (*handle, error) {
	if p.PID <= 1 || p.PID == os.Getpid() {
		return nil, errors.New("hob signals neither process 1 nor itself")
	}
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil {
		if errors.Is(err, unix.ESRCH) {
			return nil, ErrGone
		}
		fd = -1
	}
	h := &handle{p: p, fd: fd}
	// Check the start time after opening: the pidfd could refer to another process that has
	// reused the pid.
	if !h.alive() {
		h.release()
		return nil, ErrGone
	}
	return h, nil
}

func (h *handle) signal(sig syscall.Signal) error {
	var err error
	if h.fd >= 0 {
		err = unix.PidfdSendSignal(h.fd, sig, nil, 0)
	}
	if h.fd < 0 || errors.Is(err, unix.ENOSYS) {
		if !h.alive() {
			return ErrGone
		}
		err = unix.Kill(h.p.PID, sig)
	}
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

func (h *handle) release() {
	if h.fd >= 0 {
		unix.Close(h.fd)
		h.fd = -1
	}
}
