//go:build linux || darwin

package local

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
)

const (
	// readBuffer is how much output is taken at a time: what the kernel gives.
	readBuffer = 8 << 10
	// settleTime bounds reading what the leader left in the terminal.
	settleTime = 500 * time.Millisecond
	// settleBytes does the same when a descendant goes on writing.
	settleBytes = 4 << 20
)

// tty is the holder's side of a job's terminal.
type tty struct {
	master *os.File
	// slave is kept open while the leader lives, so that a job that closes all its
	// descriptors and opens /dev/tty again later finds it connected. It is nil
	// afterwards: then the last descendant's closing is the end of output.
	slave   *os.File
	raw     syscall.RawConn
	eof     chan struct{} // closed when copy has returned
	drained chan struct{} // closed when what the leader wrote has been read
}

// openTTY opens a terminal of that size.
func openTTY(size engine.Size) (*tty, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	t := &tty{master: master, slave: slave, eof: make(chan struct{}), drained: make(chan struct{})}
	t.raw, err = master.SyscallConn()
	if err == nil {
		// Opening it may have left it blocking; then a read could hold back what
		// was read before it.
		err = t.control(func(fd int) error { return unix.SetNonblock(fd, true) })
	}
	if err == nil {
		err = t.resize(size)
	}
	if err == nil {
		// Go opens devices non-blocking where it can; the job shares this opening
		// and expects the usual.
		err = unix.SetNonblock(int(slave.Fd()), false)
	}
	if err != nil {
		return nil, errors.Join(err, master.Close(), slave.Close())
	}
	return t, nil
}

func (t *tty) resize(size engine.Size) error {
	ws := unix.Winsize{Col: uint16(size.Cols), Row: uint16(size.Rows)}
	return t.control(func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &ws) })
}

// control calls f with the master's descriptor.
func (t *tty) control(f func(fd int) error) error {
	var err error
	if cerr := t.raw.Control(func(fd uintptr) { err = f(int(fd)) }); cerr != nil {
		return cerr
	}
	return err
}

// copy gives everything that is printed to sink, until nobody has the terminal
// open any more or the master is closed.
func (t *tty) copy(sink func([]byte)) {
	defer close(t.eof)
	r := newTTYReader(t)
	for {
		n, err := r.read()
		if n > 0 {
			sink(r.buf[:n])
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.drain(r.buf, sink)
			err = t.master.SetReadDeadline(time.Time{})
			close(t.drained)
		}
		if err != nil {
			return
		}
	}
}

// ttyReader reads a terminal without leaving garbage: a job can print for months.
type ttyReader struct {
	raw syscall.RawConn
	buf []byte
	try func(fd uintptr) bool
	n   int
	err error
}

func newTTYReader(t *tty) *ttyReader {
	r := &ttyReader{raw: t.raw, buf: make([]byte, readBuffer)}
	r.try = func(fd uintptr) bool {
		r.n, r.err = readOnce(int(fd), r.buf)
		return !errors.Is(r.err, unix.EAGAIN)
	}
	return r
}

// read waits for output and reads some. It does not look for more at once: a read
// that finds nothing makes the kernel wait for its own worker, which costs more
// than everything else here.
func (r *ttyReader) read() (int, error) {
	r.n, r.err = 0, nil
	if err := r.raw.Read(r.try); err != nil {
		return 0, err
	}
	return r.n, r.err
}

// readOnce reads what a terminal that does not block has now.
func readOnce(fd int, buf []byte) (int, error) {
	for {
		n, err := readNow(fd, buf)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// drain reads what is there without waiting.
func (t *tty) drain(buf []byte, sink func([]byte)) {
	deadline := time.Now().Add(settleTime)
	for got := 0; got < settleBytes && time.Now().Before(deadline); {
		n := 0
		err := t.control(func(fd int) (err error) {
			n, err = readOnce(fd, buf)
			return err
		})
		if err != nil {
			return // nothing more, or the end, which copy will see again
		}
		sink(buf[:n])
		got += n
	}
}

// settle is called when the leader has ended. It returns when everything that the
// leader printed went to the sink of copy.
func (t *tty) settle() {
	t.slave.Close()
	t.slave = nil
	patience := settleTime
	if t.master.SetReadDeadline(time.Unix(1, 0)) != nil {
		patience = 100 * time.Millisecond // copy cannot be woken: only the end tells
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-t.drained:
	case <-t.eof:
	case <-timer.C:
	}
}

// close hangs the terminal up, if anybody still uses it.
func (t *tty) close() {
	t.master.Close()
	if t.slave != nil {
		t.slave.Close()
	}
}

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

// A job that led its session would take the terminal's foreground group with it:
// when a session leader ends, the kernel hangs that group up, and a server that
// the job started with & would die of a normal end. So the holder, which leads a
// session anyway, leads the terminal's too, and the job is its foreground group.
// In a program that holds jobs itself the job has to lead.

// takeTerminal makes the terminal this process's controlling one. It fails where
// the process does not lead its session.
func takeTerminal(slave *os.File) error {
	return unix.IoctlSetInt(int(slave.Fd()), unix.TIOCSCTTY, 0)
}

// toForeground gives the terminal to the group pid. A job that was faster, and
// was stopped for using a terminal that was not its own yet, is continued by
// collect.
func (j *job) toForeground(pid int) {
	_ = unix.IoctlSetPointerInt(int(j.tty.slave.Fd()), unix.TIOCSPGRP, pid)
}

// leaveTerminal takes the terminal away from the job's group, so that whoever of
// it lives on without using the terminal is not hung up when this process ends.
func (j *job) leaveTerminal() {
	// A group in the background that does this is stopped by SIGTTOU otherwise.
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = j.tty.control(func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, unix.Getpgrp()) })
}

// stopsItself reports whether sig is how a terminal stops a group. Nobody would
// continue a job that has no shell above it, so for such a group it means
// nothing, as in any terminal.
func stopsItself(sig syscall.Signal) bool {
	return sig == syscall.SIGTSTP || sig == syscall.SIGTTIN || sig == syscall.SIGTTOU
}
