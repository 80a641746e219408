package ssh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/hostjob"
)

// heldRun is a job with a holder on its host. Its operations are those of a local job there. Safe for
// concurrent use.
type heldRun struct{ r *Run }

var (
	_ engine.Run          = (*heldRun)(nil)
	_ engine.NotifyReader = (*heldRun)(nil)
)

// act carries out a, and repeats it if it is unknown whether it arrived, unless once is set.
func (r *heldRun) act(ctx context.Context, a hostjob.Act, o askOptions) (hostjob.Done, error) {
	o.asks = true
	var done hostjob.Done
	h := r.r.h
	dir, err := r.r.dir(ctx, true)
	if err != nil {
		return done, err
	}
	c, err := h.connect(ctx, true)
	if err != nil {
		return done, unreachable(h.name, err)
	}
	if err := h.askHolder(ctx, slow, h.speakerOf(c, &r.r.rec), a, &done, o, "act", dir); err != nil {
		return done, err
	}
	h.pollSoon(r.r.rec.ID)
	if done.Failure != nil {
		return done, done.Failure
	}
	return done, nil
}

func (r *heldRun) Signal(ctx context.Context, name, by string) error {
	_, err := r.act(ctx, hostjob.Act{Op: hostjob.OpSignal, Name: name, By: by}, askOptions{})
	return err
}

// Stop implements [engine.Run]. If the connection breaks the host continues with it.
func (r *heldRun) Stop(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	grace := cmp.Or(o.Grace, r.r.rec.Job.Grace.Duration())
	done, err := r.act(ctx, hostjob.Act{Op: hostjob.OpStop, Stop: &o}, askOptions{limit: max(0, grace) + 30*time.Second})
	if err != nil && !errors.Is(err, engine.ErrNotRunning) {
		return engine.StopReport{}, err
	}
	// The result is in the record here when this returns.
	_, lookErr := r.r.h.look(ctx, []engine.Record{r.r.rec})
	if done.Stop == nil || err != nil {
		return engine.StopReport{}, err
	}
	return *done.Stop, lookErr
}

// writeStep is the most input in one request.
const writeStep = 128 << 10

// Write implements [engine.Run]. An *[InputFullError] reports how much a job that does not read has taken.
func (r *heldRun) Write(ctx context.Context, p []byte) error {
	for taken := 0; taken < len(p); {
		n := min(len(p)-taken, writeStep)
		limit := feedLimit + time.Duration(n/slowLine)*time.Second
		a := hostjob.Act{Op: hostjob.OpWrite, Data: p[taken : taken+n]}
		done, err := r.act(ctx, a, askOptions{once: true, limit: limit})
		if f := done.Failure; f != nil && f.Code == holder.CodeUnresponsive {
			return &InputFullError{Taken: taken + f.Taken}
		}
		if err != nil {
			return err
		}
		taken += cmp.Or(done.Taken, n)
	}
	return nil
}

func (r *heldRun) CloseInput(ctx context.Context) error {
	_, err := r.act(ctx, hostjob.Act{Op: hostjob.OpCloseInput}, askOptions{})
	return err
}

func (r *heldRun) SendKeys(ctx context.Context, keys []string) error {
	_, err := r.act(ctx, hostjob.Act{Op: hostjob.OpKeys, Keys: keys}, askOptions{once: true})
	return err
}

func (r *heldRun) Paste(ctx context.Context, p []byte) error {
	_, err := r.act(ctx, hostjob.Act{Op: hostjob.OpPaste, Data: p}, askOptions{once: true})
	return err
}

func (r *heldRun) Resize(ctx context.Context, s engine.Size) error {
	_, err := r.act(ctx, hostjob.Act{Op: hostjob.OpResize, Size: s}, askOptions{})
	return err
}

func (r *heldRun) Screen(ctx context.Context) (engine.Screen, error) {
	done, err := r.act(ctx, hostjob.Act{Op: hostjob.OpScreen}, askOptions{})
	if err != nil || done.Screen == nil {
		return engine.Screen{}, err
	}
	return *done.Screen, nil
}

// Background implements [engine.Run]. The record here has it even if the host cannot be reached.
func (r *heldRun) Background(ctx context.Context) error {
	err := r.r.Background(ctx)
	if _, actErr := r.act(ctx, hostjob.Act{Op: hostjob.OpBackground}, askOptions{}); !errors.Is(actErr, engine.ErrNotRunning) {
		return errors.Join(err, actErr)
	}
	return err
}

func (r *heldRun) OpenOutput(ctx context.Context, s engine.Stream) (engine.Output, error) {
	return r.r.OpenOutput(ctx, s)
}

func (r *heldRun) Watch(ctx context.Context, notify func(engine.State, engine.Note)) error {
	return r.r.Watch(ctx, notify)
}

// OpenTerminal implements [engine.Run]: the session is one with the holder, over a stream of its own. A server may
// allow no further one; then each key is a request, and the screen is drawn from the log.
func (r *heldRun) OpenTerminal(ctx context.Context, o engine.TerminalOptions) (engine.Terminal, error) {
	t := &heldTerminal{r: r, o: o}
	s, err := t.open(ctx)
	if errors.Is(err, shell.ErrNoSlot) {
		return r.r.openTerminal(ctx, o, r)
	}
	if err != nil {
		return nil, err
	}
	t.s = s
	return t, nil
}

// heldTerminal is a session with the terminal of a job that has a holder. If the connection is lost, it
// opens another one.
type heldTerminal struct {
	r *heldRun

	mu     sync.Mutex // guards what follows
	o      engine.TerminalOptions
	s      *holder.Session
	closed bool
}

func (t *heldTerminal) open(ctx context.Context) (*holder.Session, error) {
	r := t.r.r
	dir, err := r.dir(ctx, true)
	if err != nil {
		return nil, err
	}
	ch, err := r.h.bridge(ctx, &r.rec, "connect", dir)
	if err != nil {
		return nil, err
	}
	greeting, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	c, err := holder.Speak(greeting, ch)
	if err != nil {
		if said := strings.TrimSpace(ch.Stderr()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return nil, err
	}
	t.mu.Lock()
	o := t.o
	t.mu.Unlock()
	return holder.OpenSession(ctx, c, o, t.look)
}

// look returns the state of the job, if the host answers.
func (t *heldTerminal) look() (engine.State, error) {
	r := t.r.r
	ctx, cancel := context.WithTimeout(r.b.life, askLimit)
	defer cancel()
	seen, err := r.h.look(ctx, []engine.Record{r.rec})
	return seen[r.rec.ID], err
}

func (t *heldTerminal) session() *holder.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.s
}

// Next implements [engine.Terminal]. While the host cannot be reached it waits; then the terminal is drawn
// anew.
func (t *heldTerminal) Next(ctx context.Context) (engine.TerminalChunk, error) {
	for {
		chunk, err := t.session().Next(ctx)
		lost := errors.Is(err, holder.ErrNoSocket) || errors.Is(err, engine.ErrUnreachable)
		if !lost || ctx.Err() != nil || t.isClosed() {
			return chunk, err
		}
		if err := t.reopen(ctx); err != nil {
			return engine.TerminalChunk{}, err
		}
	}
}

func (t *heldTerminal) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// errLeft means that the client has closed the terminal.
var errLeft = errors.New("the terminal is closed")

// reopen replaces the session when its connection is lost.
func (t *heldTerminal) reopen(ctx context.Context) error {
	for {
		s, err := t.open(ctx)
		if err == nil {
			t.mu.Lock()
			old, closed := t.s, t.closed
			t.s = s
			t.mu.Unlock()
			if closed {
				return errors.Join(errLeft, s.Close())
			}
			return old.Close()
		}
		if !mayReopen(err) {
			return err
		}
		if err := sleep(ctx, linkEvery); err != nil {
			return err
		}
	}
}

// mayReopen reports whether a session that could not be opened may be opened later. A server may notice late that
// earlier ones have ended, and until then allow no further one.
func mayReopen(err error) bool {
	return errors.Is(err, engine.ErrUnreachable) || errors.Is(err, holder.ErrNoSocket) || errors.Is(err, shell.ErrNoSlot)
}

func (t *heldTerminal) Write(ctx context.Context, p []byte) error { return t.session().Write(ctx, p) }

func (t *heldTerminal) Resize(ctx context.Context, s engine.Size) error {
	t.mu.Lock()
	t.o.Size = s
	t.mu.Unlock()
	return t.session().Resize(ctx, s)
}

func (t *heldTerminal) TakeControl(ctx context.Context) error {
	t.mu.Lock()
	t.o.Control = true
	t.mu.Unlock()
	return t.session().TakeControl(ctx)
}

func (t *heldTerminal) SetFacts(ctx context.Context, f engine.TerminalFacts) error {
	t.mu.Lock()
	t.o.Facts = f
	t.mu.Unlock()
	return t.session().SetFacts(ctx, f)
}

func (t *heldTerminal) Close() error {
	t.mu.Lock()
	t.closed = true
	s := t.s
	t.mu.Unlock()
	return s.Close()
}
