//go:build linux || darwin

package localjob

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
)

const (
	// readBuffer is the size of a read from the terminal, the maximum that the kernel returns.
	readBuffer = 8 << 10
	// settleTime bounds reading the output that the leader left in the terminal.
	settleTime = 500 * time.Millisecond
	// settleBytes does the same if a descendant keeps writing.
	settleBytes = 4 << 20
)

// tty is the holder's side of a job's terminal.
type tty struct {
	master *os.File
	// slave is kept open while the leader lives, so that a job that closes all its descriptors and
	// opens /dev/tty again later finds it connected. Afterward it is nil: then output ends when the
	// last descendant closes the terminal.
	slave   *os.File
	name    string // the path of slave
	raw     syscall.RawConn
	initial *unix.Termios // its modes when it was opened; nil if they are not known
	eof     chan struct{} // closed when copy has returned
	drained chan struct{} // of size 1: what the leader wrote has been read
}

// openTTY opens a terminal of the given size.
func openTTY(size record.Size) (*tty, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	t := &tty{master: master, slave: slave, name: slave.Name(), eof: make(chan struct{}), drained: make(chan struct{}, 1)}
	t.raw, err = master.SyscallConn()
	if err == nil {
		// Opening it may have left it in blocking mode; then a read could delay output that was
		// already read.
		err = t.control(func(fd int) error { return unix.SetNonblock(fd, true) })
	}
	if err == nil {
		err = t.resize(size)
	}
	if err == nil {
		// Go opens devices non-blocking where it can; the job shares this open file and expects the
		// default.
		err = unix.SetNonblock(int(slave.Fd()), false)
	}
	if err != nil {
		return nil, errors.Join(err, master.Close(), slave.Close())
	}
	t.initial, _ = unix.IoctlGetTermios(int(slave.Fd()), getTermios)
	return t, nil
}

func (t *tty) resize(size record.Size) error {
	ws := unix.Winsize{Col: uint16(size.Cols), Row: uint16(size.Rows)}
	return t.control(func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &ws) })
}

// control calls f with the master's descriptor.
func (t *tty) control(f func(fd int) error) error { return plainfile.WithDescriptor(t.master, f) }

// modes returns the modes of the terminal.
func (t *tty) modes() (modes *unix.Termios, err error) {
	err = t.control(func(fd int) (err error) {
		modes, err = unix.IoctlGetTermios(fd, getTermios)
		return err
	})
	return modes, err
}

// inputMode is how a terminal processes input before a program reads it.
type inputMode struct {
	canonical bool // the terminal edits lines, and programs read complete lines
	// echo means that typed text is displayed. A program that turns it off in canonical mode asks for
	// a password.
	echo bool
}

func (t *tty) mode() (inputMode, error) {
	m, err := t.modes()
	if err != nil {
		return inputMode{}, err
	}
	return inputMode{canonical: m.Lflag&unix.ICANON != 0, echo: m.Lflag&unix.ECHO != 0}, nil
}

// copy passes all output to sink, until no process has the terminal open or the master is closed.
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
			select {
			case t.drained <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// ttyReader reads a terminal without allocating: a job can print for months.
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

// read waits for output and reads some of it. It does not try again at once: a read that finds
// nothing makes the kernel wait for its own worker, which costs more than everything else here.
func (r *ttyReader) read() (int, error) {
	r.n, r.err = 0, nil
	if err := r.raw.Read(r.try); err != nil {
		return 0, err
	}
	return r.n, r.err
}

// readOnce reads what a non-blocking terminal has now.
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

// drain reads what is available without waiting.
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

// settle is called when the leader has ended. It returns when all of the leader's output has been
// passed to the sink of copy. last means that no further leader gets the terminal.
func (t *tty) settle(last bool) {
	if last {
		t.slave.Close()
		t.slave = nil
	}
	select {
	case <-t.drained: // of an earlier leader whose output took too long
	default:
	}
	patience := settleTime
	if t.master.SetReadDeadline(time.Unix(1, 0)) != nil {
		patience = 100 * time.Millisecond // copy cannot be interrupted: only end of file stops it
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-t.drained:
	case <-t.eof:
	case <-timer.C:
	}
}

// close closes the terminal, which hangs up processes that still use it.
func (t *tty) close() {
	t.master.Close()
	if t.slave != nil {
		t.slave.Close()
	}
}

// reset prepares the terminal for another leader: in its initial modes, and without input that the
// last one did not read. This process leads the session of the terminal.
func (t *tty) reset() {
	if t.initial == nil {
		return
	}
	// Otherwise a background process group that does this is stopped by SIGTTOU.
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	fd := int(t.slave.Fd())
	_ = unix.IoctlSetTermios(fd, setTermios, t.initial)
	flushInput(fd)
}

// interrupts reports whether p has the character with which the terminal interrupts its foreground
// process group: Ctrl+C, unless a program has changed that.
func (t *tty) interrupts(p []byte) bool {
	m, err := t.modes()
	return err == nil && m.Lflag&unix.ISIG != 0 && bytes.IndexByte(p, m.Cc[unix.VINTR]) >= 0
}

// echoOff turns off the echo of the terminal.
func (t *tty) echoOff() error {
	m, err := t.modes()
	if err != nil {
		return err
	}
	m.Lflag &^= unix.ECHO
	return t.control(func(fd int) error { return unix.IoctlSetTermios(fd, setTermios, m) })
}

// When a session leader ends, the kernel hangs up the foreground process group of its terminal. If
// a job led its session, a server that it started with & would therefore die when the job ends
// normally. So the holder, which leads a session anyway, also leads that of the terminal, and the
// job is its foreground process group. In a program that holds jobs itself, the job has to lead.

// takeTerminal makes the terminal the controlling terminal of this process. It fails if the process
// does not lead its session.
func takeTerminal(slave *os.File) error {
	return unix.IoctlSetInt(int(slave.Fd()), unix.TIOCSCTTY, 0)
}

// toForeground makes the group pid the foreground process group. A job that was faster, and was
// stopped because it used the terminal from the background, is continued by collect.
func (j *job) toForeground(pid int) {
	_ = unix.IoctlSetPointerInt(int(j.tty.slave.Fd()), unix.TIOCSPGRP, pid)
}

// leaveTerminal takes the terminal away from the job's group, so that processes that continue
// without using it are not hung up when this process ends.
func (j *job) leaveTerminal() {
	// Otherwise a background process group that does this is stopped by SIGTTOU.
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = j.tty.control(func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, unix.Getpgrp()) })
}

// stopsItself reports whether sig is one with which a terminal stops a process group. A job has no
// shell above it that could continue it, so the signal is ignored, as for any orphaned process
// group.
func stopsItself(sig syscall.Signal) bool {
	switch sig {
	case syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU:
		return true
	default:
		return false
	}
}
