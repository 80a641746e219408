package proc

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// grip holds on to one process, so that a signal reaches it or nobody.
type grip struct {
	p  Process
	fd int // a pidfd, or -1 where the kernel has none to give
}

// take gets hold of exactly the process p.
func take(p Process) (*grip, error) {
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
	g := &grip{p: p, fd: fd}
	// The descriptor is of whoever had the pid a moment ago: if that process
	// has the right birth now, it had it then.
	if !g.same() {
		g.release()
		return nil, ErrGone
	}
	return g, nil
}

func (g *grip) same() bool {
	now, err := Stat(g.p.PID)
	return err == nil && now.Start == g.p.Start && !now.Dead()
}

func (g *grip) signal(sig syscall.Signal) error {
	var err error
	if g.fd >= 0 {
		err = unix.PidfdSendSignal(g.fd, sig, nil, 0)
	}
	if g.fd < 0 || errors.Is(err, unix.ENOSYS) {
		if !g.same() {
			return ErrGone
		}
		err = unix.Kill(g.p.PID, sig)
	}
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

func (g *grip) release() {
	if g.fd >= 0 {
		unix.Close(g.fd)
		g.fd = -1
	}
}

// grips are processes that are waited for together.
type grips struct{ held []*grip }

// keep takes over g, or lets it go if there are enough.
func (gs *grips) keep(g *grip) {
	if len(gs.held) >= held {
		g.release()
		return
	}
	gs.held = append(gs.held, g)
}

func (gs *grips) release() {
	for _, g := range gs.held {
		g.release()
	}
}

// wait returns when all of them have ended, at the deadline, or with the error
// of ctx. Those without a pidfd are looked at in growing intervals.
func (gs *grips) wait(ctx context.Context, deadline time.Time) error {
	wake, stop, err := wakeOn(ctx)
	if err != nil {
		return err
	}
	defer stop()
	fds := make([]unix.PollFd, 0, len(gs.held)+1)
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return err
		}
		fds = append(fds[:0], unix.PollFd{Fd: int32(wake), Events: unix.POLLIN})
		blind := false
		left := gs.held[:0:0]
		for _, g := range gs.held {
			switch {
			case g.fd >= 0:
				fds = append(fds, unix.PollFd{Fd: int32(g.fd), Events: unix.POLLIN})
				left = append(left, g)
			case g.same():
				blind = true
				left = append(left, g)
			}
		}
		gs.held = left
		rest := time.Until(deadline)
		if len(left) == 0 || rest <= 0 {
			return nil
		}
		if blind {
			rest = min(rest, pause)
		}
		timeout := unix.NsecToTimespec(int64(rest))
		if _, err := unix.Ppoll(fds, &timeout, nil); err != nil && err != unix.EINTR {
			return err
		}
		ended := map[int32]bool{}
		for _, fd := range fds[1:] {
			if fd.Revents != 0 {
				ended[fd.Fd] = true
			}
		}
		left = left[:0]
		for _, g := range gs.held {
			if g.fd >= 0 && ended[int32(g.fd)] {
				g.release()
				continue
			}
			left = append(left, g)
		}
		gs.held = left
	}
}

// wakeOn returns a descriptor that becomes readable when ctx ends. stop
// releases it. Without a ctx that can end it is -1, which poll skips.
func wakeOn(ctx context.Context) (fd int, stop func(), err error) {
	if ctx.Done() == nil {
		return -1, func() {}, nil
	}
	fd, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return -1, nil, err
	}
	rung := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(rung)
		// Any value but zero and the largest will do, in either byte order.
		_, _ = unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 1})
	})
	return fd, func() {
		if !cancel() {
			<-rung
		}
		unix.Close(fd)
	}, nil
}
