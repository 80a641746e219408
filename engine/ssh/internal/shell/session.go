package shell

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Session asks one sh. Requests are written as they come, without waiting for the
// answer to the one before; the sh carries them out one after the other. If the caller of a request
// gives up, the request continues and the session stays usable. If a request takes too long, or the
// channel ends, the session is broken for good.
type Session struct {
	ch   Channel
	reqs chan *request
	sent chan *request // those to be answered, in order
	late chan struct{} // closed when a request has taken too long
	over chan struct{} // closed when nothing is read any more, what was printed last included
	wg   sync.WaitGroup
	shut sync.Once // of ch

	life   context.Context // ends when the session breaks, for a cause
	failed context.CancelCauseFunc

	rest     []byte // read behind the last answer
	unsent   error  // why no more can be written
	mu       sync.Mutex
	lastSaid string // instead of an answer; guarded by mu
}

type request struct {
	script []byte
	limit  time.Duration // from the answer to the request before on; 0: none
	most   int
	answer Answer
	err    error
	nonce  string
	opens  bool
	done   chan struct{}
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

// ErrClosed means that a session or its transport was closed from here.
var ErrClosed = errors.New("closed")

// ErrTooMuch means that an answer was longer than it may be.
var ErrTooMuch = errors.New("the answer is too long")

const (
	maxAnswer   = 16 << 20
	startAnswer = 256 << 10 // how much output of start-up files is tolerated
)

// NewSession makes a session of ch, which it owns from then on, and defines
// prelude's functions there. limit bounds the time until sh reads, and then the answer to that; the
// first request fails without them.
func NewSession(ch Channel, prelude string, limit time.Duration) *Session {
	s := &Session{
		ch:   ch,
		reqs: make(chan *request),
		sent: make(chan *request, 16),
		late: make(chan struct{}),
		over: make(chan struct{}),
	}
	s.life, s.failed = context.WithCancelCause(context.Background())
	s.wg.Go(func() { s.write(prelude, limit) })
	s.wg.Go(s.read)
	return s
}

// knockEvery is the pause between two requests to a sh that has not answered, see knock.
const knockEvery = 500 * time.Millisecond

// knock asks the sh behind w whether it reads, until answered is closed: it prints mark then, on a line
// after an empty one. A start-up file of the account may read a part of what is sent before sh does, and
// sh would run the rest. Any rest of these lines does nothing.
func knock(w io.Writer, mark string, answered <-chan struct{}) error {
	again := time.NewTicker(knockEvery)
	defer again.Stop()
	for {
		if _, err := io.WriteString(w, "echo\necho "+mark+" 0\n"); err != nil {
			return err
		}
		select {
		case <-again.C:
		case <-answered:
			return nil
		}
	}
}

// Do runs script and returns what it prints. limit is how long it may take.
func (s *Session) Do(ctx context.Context, script string, limit time.Duration) (Answer, error) {
	nonce := rand.Text()
	script = "(\n" + script + "\n) </dev/null\nh_r=$?; echo; echo " + nonce + " $h_r\n"
	return s.do(ctx, &request{
		script: []byte(script),
		limit:  limit,
		most:   maxAnswer,
		nonce:  nonce,
	})
}

// Stream runs script, whose standard input is what next returns until it returns nil. limit is how
// long it may take for script to begin; then it may take any time. The session is closed
// afterwards, since the sh there reads no more.
func (s *Session) Stream(ctx context.Context, script string, limit time.Duration, next func() []byte) (Answer, error) {
	defer s.Close()
	defer context.AfterFunc(ctx, func() { s.fail(ErrClosed) })()
	begun, ended := rand.Text(), rand.Text()
	// Some shells read their script ahead: the input waits until it is sure to be read by
	// the program that it is for. None of it can become a command, because the shell has
	// read "exit" by then. Some servers drop what a program prints at its very end.
	script = "{\necho; echo " + begun + " 0\n(\n" + script + "\n)\nh_r=$?; echo; echo " + ended + " $h_r\nsleep 1\nexit\n}\n"
	if _, err := s.do(ctx, &request{
		script: []byte(script),
		limit:  limit,
		most:   maxAnswer,
		nonce:  begun,
	}); err != nil {
		return Answer{}, err
	}
	for p := next(); p != nil; p = next() {
		if _, err := s.ch.Write(p); err != nil {
			break // the answer contains the reason
		}
	}
	s.ch.CloseWrite() //nolint:errcheck // the answer says how it went
	return s.do(ctx, &request{most: maxAnswer, nonce: ended})
}

func (s *Session) do(ctx context.Context, r *request) (Answer, error) {
	r.done = make(chan struct{})
	select {
	case s.reqs <- r:
	case <-s.life.Done():
		select {
		case <-s.over:
		case <-s.late:
		case <-ctx.Done():
		}
		return Answer{}, s.broken(false)
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	select {
	case <-r.done:
		return r.answer, r.err
	case <-s.late: // a channel without a peer may not even be closed
		return Answer{}, s.broken(true)
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// likeSh makes zsh behave like sh: a start-up file of the account may have begun a zsh instead.
const likeSh = "[ -z \"${ZSH_VERSION-}\" ] || emulate sh\n"

// write sends requests until the session breaks: first those that make sure that sh reads, and that
// define the functions of prelude, each of which may take limit.
func (s *Session) write(prelude string, limit time.Duration) {
	defer close(s.sent)
	ready := &request{
		limit: limit,
		most:  startAnswer,
		nonce: rand.Text(),
		done:  make(chan struct{}),
	}
	s.sent <- ready
	if s.unsent = knock(s.ch, ready.nonce, ready.done); s.unsent != nil || ready.err != nil {
		return
	}
	nonce := rand.Text()
	// The braces make a truncated transfer a syntax error: nothing runs.
	script := likeSh + "{\n" + prelude + "\n}\necho; echo " + nonce + " $?\n"
	r := &request{
		script: []byte(script),
		limit:  limit,
		most:   startAnswer,
		nonce:  nonce,
		opens:  true,
		done:   make(chan struct{}),
	}
	for {
		s.sent <- r
		if len(r.script) > 0 {
			if _, s.unsent = s.ch.Write(r.script); s.unsent != nil {
				return // what was printed instead of answers is more informative
			}
		}
		select {
		case r = <-s.reqs:
		case <-s.life.Done():
			return
		}
	}
}

// read takes the answers until no more is sent. They are read while requests are written:
// a shell that prints before it has read everything must not block on us.
func (s *Session) read() {
	defer close(s.over)
	for r := range s.sent {
		if s.Err() != nil {
			r.end(Answer{}, s.broken(true))
			continue
		}
		r.end(s.receive(r))
	}
	s.fail(cmp.Or(s.unsent, ErrClosed))
}

func (r *request) end(a Answer, err error) {
	r.answer, r.err = a, err
	close(r.done)
}

func (s *Session) receive(r *request) (Answer, error) {
	if r.limit > 0 {
		timer := time.AfterFunc(r.limit, func() {
			s.failed(ErrTimeout)
			close(s.late)
			s.closeChannel()
		})
		defer timer.Stop()
	}
	out, code, err := s.readAnswer(r)
	if err == nil && r.opens && code != 0 {
		err = fmt.Errorf("the shell on the host cannot load hob's functions (status %d)", code)
	}
	if err == nil {
		return Answer{out, code}, nil
	}
	// The last output of the program arrives with its end. Other requests fail with it too, so it
	// is read before the session counts as broken.
	s.closeChannel()
	said := string(out)
	if e := s.ch.Stderr(); e != "" {
		said = e
	}
	s.mu.Lock()
	s.lastSaid = said
	s.mu.Unlock()
	s.failed(err)
	return Answer{}, s.broken(true)
}

// readAnswer reads up to the line that closes an answer: the nonce and a status,
// behind a newline that does not belong to the answer.
func (s *Session) readAnswer(r *request) (out []byte, code int, err error) {
	mark := []byte("\n" + r.nonce + " ")
	buf := append(make([]byte, 0, 4096), s.rest...)
	s.rest = nil
	from := 0 // no mark begins before
	for {
		if i := bytes.Index(buf[from:], mark); i >= 0 {
			i += from
			if end := bytes.IndexByte(buf[i+len(mark):], '\n'); end >= 0 {
				end += i + len(mark)
				s.rest = bytes.Clone(buf[end+1:])
				code, err := strconv.Atoi(strings.TrimSpace(string(buf[i+len(mark) : end])))
				return buf[:i], code, err
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return buf, 0, err
		}
		if from = max(0, len(buf)-len(mark)-8); len(buf) > r.most {
			return buf[:min(len(buf), 4096)], 0, ErrTooMuch
		}
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, len(buf))
		}
		var n int
		n, err = s.ch.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
	}
}

// broken is the error of a request that has no answer.
func (s *Session) broken(sent bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &BrokenError{Err: s.Err(), Said: s.lastSaid, Sent: sent}
}

func (s *Session) fail(err error) {
	s.failed(err)
	s.closeChannel()
}

func (s *Session) closeChannel() { s.shut.Do(func() { s.ch.Close() }) }

// Err returns why the session is broken; nil while it is not.
func (s *Session) Err() error { return context.Cause(s.life) }

// Close ends the session and returns when nothing of it is left.
func (s *Session) Close() error {
	s.fail(ErrClosed)
	s.wg.Wait()
	return nil
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

// Group is a set of goroutines of one owner, which waits for them when it closes. The zero value is
// ready, and safe for concurrent use.
type Group struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

// Go runs f in a goroutine. It reports false, and runs nothing, once the group is closed: a caller
// that has waited for the last goroutine would miss it.
func (g *Group) Go(f func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.wg.Go(f)
	}
	return !g.closed
}

// Close prevents further goroutines and waits for those that run.
func (g *Group) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.wg.Wait()
}

// Enter makes the sh of ch, which was just opened, run command in its place: a program that runs a sh
// elsewhere. limit bounds how long the sh may take to begin. After an error ch is closed.
func Enter(ctx context.Context, ch Channel, command string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { ch.Close() })
	defer stop()
	var said []byte
	await := func(mark string, buf []byte) (err error) {
		for err == nil && !bytes.Contains(said, []byte("\n"+mark+" 0\n")) {
			var n int
			n, err = ch.Read(buf)
			said = append(said, buf[:n]...)
			if len(said) > startAnswer {
				err = ErrTooMuch
			}
		}
		return err
	}
	ready, mark := rand.Text(), rand.Text()
	answered, knocked := make(chan struct{}), make(chan error, 1)
	go func() { knocked <- knock(ch, ready, answered) }() // ends with the answer or the channel
	err := await(ready, make([]byte, 4096))
	close(answered)
	if err != nil {
		ch.Close() // it may be what knock waits for
	}
	if knockErr := <-knocked; err == nil {
		err = knockErr
	}
	if err == nil {
		// Some shells read their script ahead: what follows is not sent before this was read.
		_, err = io.WriteString(ch, "{ echo; echo "+mark+" 0; exec "+command+"; }\n")
	}
	if err == nil {
		err = await(mark, make([]byte, 1)) // what follows is the output of the command
	}
	if err == nil && stop() {
		return nil
	}
	ch.Close()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrTimeout
	}
	if words := strings.TrimSpace(ch.Stderr()); words != "" && err != nil {
		return fmt.Errorf("%w: %s", err, lastLine(words))
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}
