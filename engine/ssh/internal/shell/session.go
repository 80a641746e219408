package shell

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Session asks one sh, one request at a time. When the caller of a request gives
// up, the request goes on and the session stays usable; when the request itself
// takes too long, or the channel ends, the session is broken for good.
type Session struct {
	ch   Channel
	reqs chan *request
	done chan struct{} // closed when the session is broken
	wg   sync.WaitGroup
	once sync.Once // of done
	shut sync.Once // of ch

	mu  sync.Mutex
	err error // why it is broken
}

type request struct {
	script []byte
	limit  time.Duration
	most   int
	answer Answer
	err    error
	nonce  string
	size   int // of the answer, about; 0: small
	done   chan struct{}
	late   chan struct{} // closed when it has taken too long
}

// Answer is what a request printed, and its exit status.
type Answer struct {
	Out  []byte
	Code int
}

// BrokenError means that a session ended in the middle. Whether the request was
// carried out is unknown, unless Sent is false.
type BrokenError struct {
	Err  error
	Said string // what the other side printed instead of an answer
	Sent bool
}

func (e *BrokenError) Error() string {
	if said := strings.TrimSpace(e.Said); said != "" {
		return fmt.Sprintf("the session ended: %v: %s", e.Err, lastLine(said))
	}
	return fmt.Sprintf("the session ended: %v", e.Err)
}

func (e *BrokenError) Unwrap() error { return e.Err }

// ErrTimeout means that a request took longer than it may.
var ErrTimeout = errors.New("no answer in time")

var errClosed = errors.New("closed")

// ErrTooMuch means that an answer was longer than it may be.
var ErrTooMuch = errors.New("the answer is too long")

const (
	maxAnswer   = 16 << 20
	startAnswer = 256 << 10 // noise of start-up files that is put up with
)

// NewSession makes a session of ch, which it owns from then on, and defines
// prelude's functions there. limit bounds the first answer. With an error what is left
// of the session ends with ch.
func NewSession(ctx context.Context, ch Channel, prelude string, limit time.Duration) (*Session, error) {
	s := &Session{ch: ch, reqs: make(chan *request), done: make(chan struct{})}
	s.wg.Go(s.serve)
	nonce := newNonce()
	// The braces make a truncated transfer a syntax error: nothing runs.
	script := "{\n" + prelude + "\n}\necho; echo " + nonce + " $?\n"
	a, err := s.do(ctx, &request{script: []byte(script), limit: limit, most: startAnswer, nonce: nonce})
	if err == nil && a.Code != 0 {
		err = fmt.Errorf("the shell there cannot run what it was sent (status %d)", a.Code)
	}
	if err != nil {
		// Not waited for: a server may leave a channel open, whose program is mute, until
		// the connection ends.
		s.fail(errClosed)
		return nil, err
	}
	return s, nil
}

// Do runs script and returns what it prints. limit is how long it may take.
func (s *Session) Do(ctx context.Context, script string, limit time.Duration) (Answer, error) {
	return s.DoSized(ctx, script, limit, 0)
}

// DoSized is Do where the answer is expected to be of about size bytes.
func (s *Session) DoSized(ctx context.Context, script string, limit time.Duration, size int) (Answer, error) {
	nonce := newNonce()
	var b strings.Builder
	b.Grow(len(script) + 128)
	b.WriteString("(\n")
	b.WriteString(script)
	b.WriteString("\n) </dev/null\nh_r=$?; echo; echo " + nonce + " $h_r\n")
	return s.do(ctx, &request{script: []byte(b.String()), limit: limit, most: maxAnswer, nonce: nonce, size: size})
}

func (s *Session) do(ctx context.Context, r *request) (Answer, error) {
	r.done, r.late = make(chan struct{}), make(chan struct{})
	select {
	case s.reqs <- r:
	case <-s.done:
		return Answer{}, &BrokenError{Err: s.Err()}
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	select {
	case <-r.done:
		return r.answer, r.err
	case <-r.late: // a channel that nobody serves may not even be closed
		return Answer{}, &BrokenError{Err: ErrTimeout, Sent: true}
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// serve carries out requests until the session breaks.
func (s *Session) serve() {
	for {
		select {
		case r := <-s.reqs:
			r.run(s)
			close(r.done)
		case <-s.done:
			return
		}
	}
}

func (r *request) run(s *Session) {
	timer := time.AfterFunc(r.limit, func() {
		s.failed(ErrTimeout)
		close(r.late)
		s.closeChannel()
	})
	defer timer.Stop()
	// The answer is read while the script is written: a shell that prints before
	// it has read everything must not block on us.
	sent := make(chan error, 1)
	s.wg.Go(func() {
		_, err := s.ch.Write(r.script)
		sent <- err
	})
	out, code, err := readAnswer(s.ch, r.nonce, r.most, r.size)
	if err != nil {
		s.fail(err)
		<-sent //nolint:errcheck // why reading failed says more
		said := string(out)
		if e := s.ch.Stderr(); e != "" {
			said = e
		}
		r.err = &BrokenError{Err: s.Err(), Said: said, Sent: true}
		return
	}
	if err := <-sent; err != nil {
		s.fail(err)
	}
	r.answer = Answer{out, code}
}

// readAnswer reads up to the line that closes an answer: the nonce and a status,
// behind a newline that does not belong to the answer.
func readAnswer(r io.Reader, nonce string, most, size int) (out []byte, code int, err error) {
	mark := []byte("\n" + nonce + " ")
	buf := make([]byte, 0, max(4096, size+size/16+len(mark)+16))
	from := 0 // no mark begins before
	for {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), 2*cap(buf))
			copy(grown, buf)
			buf = grown
		}
		n, readErr := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if i := bytes.Index(buf[from:], mark); i >= 0 {
			i += from
			if end := bytes.IndexByte(buf[i+len(mark):], '\n'); end >= 0 {
				code, err := strconv.Atoi(strings.TrimSpace(string(buf[i+len(mark) : i+len(mark)+end])))
				return buf[:i], code, err
			}
		}
		if readErr != nil {
			if readErr == io.EOF {
				readErr = io.ErrUnexpectedEOF
			}
			return buf, 0, readErr
		}
		from = max(0, len(buf)-len(mark)-8)
		if len(buf) > most {
			return buf[:min(len(buf), 4096)], 0, ErrTooMuch
		}
	}
}

func (s *Session) fail(err error) {
	s.failed(err)
	s.closeChannel()
}

func (s *Session) closeChannel() { s.shut.Do(func() { s.ch.Close() }) }

func (s *Session) failed(err error) {
	s.once.Do(func() {
		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
		close(s.done)
	})
}

// Err says why the session is broken; nil while it is not.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Broken is closed when the session can no longer be used.
func (s *Session) Broken() <-chan struct{} { return s.done }

// Close ends the session and returns when nothing of it is left.
func (s *Session) Close() error {
	s.fail(errClosed)
	s.wg.Wait()
	return nil
}

func newNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func lastLine(s string) string {
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	if len(s) > 300 {
		s = s[:300]
	}
	return s
}

// Group is goroutines of one owner, who waits for them when it closes. The zero
// value is ready, and safe for concurrent use.
type Group struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

// Go runs f in a goroutine. It reports false, and runs nothing, once the group is
// closed: who waited for the last would miss it.
func (g *Group) Go(f func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.wg.Go(f)
	}
	return !g.closed
}

// Close lets no goroutine begin any more and waits for those there are.
func (g *Group) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.wg.Wait()
}
