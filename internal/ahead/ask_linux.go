package ahead

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// asks says that holders can be asked to start a job themselves. It is written for
// Linux alone.
const asks = true

// askPatience is how long a holder may take to start its job: as long as one that is
// told what to hold.
const askPatience = 30 * time.Second

// deathTime is how long a killed process may take to let go of its files.
const deathTime = 5 * time.Second

// ask asks a holder to start the job of r, and waits until that runs. It takes c
// over.
func ask(c child, r *Request) (a answer) {
	h := c.holder()
	defer h.Close()
	if tell(c.config, r.text()) {
		// It is waited for as package os does, and in no call of the system: then the
		// Go runtime knows that nothing goes on here, and its monitor sleeps.
		_ = h.Reply.SetReadDeadline(time.Now().Add(askPatience))
		said := make([]byte, 0, 512)
		for len(said) < cap(said) {
			n, err := h.Reply.Read(said[len(said):cap(said)])
			said = said[:len(said)+n]
			if a = answerOf(string(said)); a.verdict != none {
				return a
			}
			if err != nil {
				break
			}
		}
	}
	// It died, or is of no use any more. What it held is held until it is gone.
	_ = syscall.Kill(c.pid, syscall.SIGKILL)
	for end := time.Now().Add(deathTime); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if got, _ := syscall.Wait4(c.pid, nil, syscall.WNOHANG, nil); got == c.pid {
			break
		}
	}
	seen := make([]byte, 256)
	n, _, err := syscall.Recvfrom(c.config, seen, syscall.MSG_DONTWAIT)
	if err == nil {
		a.id, _ = lineOf(string(seen[:n]))
	}
	return a
}

// tell writes all of a request, and that this was all.
func tell(config int, text []byte) bool {
	if len(text) > roomInSocket {
		// Whoever does not read must not keep us for ever.
		patience := syscall.NsecToTimeval(int64(askPatience))
		_ = syscall.SetsockoptTimeval(config, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &patience)
	}
	for begun := time.Now(); len(text) > 0; {
		n, err := syscall.SendmsgN(config, text, nil, nil, syscall.MSG_NOSIGNAL)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || len(text) > n && time.Since(begun) >= askPatience {
			return false
		}
		text = text[n:]
	}
	return syscall.Shutdown(config, syscall.SHUT_WR) == nil
}

// roomInSocket is what a socket takes of a request though nobody reads it: much less
// than systems are set to.
const roomInSocket = 64 << 10

// onScreen reports whether f is a terminal, which may have a size for the job and
// where hob says more.
func onScreen(f *os.File) bool {
	var size [4]uint16 // struct winsize
	_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	return errno == 0
}
