package ssh

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
	"github.com/hobjobs/hob/internal/vt"
)

const (
	terminalStep = 256 << 10 // read at once
	// terminalLag is how far a viewer may fall behind before it gets a new snapshot instead of what
	// it missed.
	terminalLag  = 2 << 20
	terminalTail = 64 << 10 // of the log, for a snapshot without history
)

// How often to look for new output: more often after input or output, when more is likely.
const (
	fastEvery = 15 * time.Millisecond
	fastFor   = 300 * time.Millisecond
	slowEvery = 40 * time.Millisecond
	linkEvery = 500 * time.Millisecond // while the host cannot be reached
)

// OpenTerminal implements [engine.Run]. The terminal is on the host; its screen is
// rebuilt here from the log. The host does not answer the job's terminal queries; this session does
// while it has control.
func (r *Run) OpenTerminal(ctx context.Context, o engine.TerminalOptions) (engine.Terminal, error) {
	return r.openTerminal(ctx, o, r)
}

// openTerminal opens a terminal that shows the log of r, and acts on job. That is r, or the job of r on a host
// with a holder, where no further session can be had: the holder then answers the queries.
func (r *Run) openTerminal(ctx context.Context, o engine.TerminalOptions, job engine.Run) (engine.Terminal, error) {
	switch {
	case r.rec.Job.Kind != engine.KindPTY:
		return nil, engine.ErrUnsupported
	case r.rec.Job.Status.Finished():
		return nil, engine.ErrNotRunning
	}
	dir, err := r.dir(ctx, true)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(r.b.life)
	t := &terminal{
		r:     r,
		job:   job,
		file:  path.Join(dir, jobdir.OutputFile),
		o:     o,
		life:  life,
		end:   end,
		size:  r.rec.Job.Size,
		woken: make(chan struct{}, 1),
		token: statedir.NewToken(),
	}
	if o.Control {
		if err := t.TakeControl(ctx); err != nil {
			end()
			return nil, err
		}
	}
	if o.Control && o.Size != (engine.Size{}) && o.Size != t.size {
		if err := job.Resize(ctx, o.Size); err == nil {
			t.size = o.Size
		} else if !errors.Is(err, engine.ErrUnsupported) {
			end()
			return nil, err
		}
	}
	if !r.b.async(func() { t.watch() }) {
		end()
		return nil, engine.ErrClosed
	}
	return t, nil
}

// terminal is a session with the terminal of a job on a host.
type terminal struct {
	r     *Run
	job   engine.Run // what is typed is for it
	file  string
	o     engine.TerminalOptions
	life  context.Context // ends with Close: the session outlives the call that opens it
	end   context.CancelFunc
	woken chan struct{} // of size 1: something was typed, or the job ended
	// token identifies the session among those of all machines.
	token string

	// Of the caller of Next.
	off       int64
	fastUntil time.Time
	over      bool
	drawn     bool

	mu      sync.Mutex // guards what follows
	screen  *vt.Terminal
	answers []byte // for the job
	control bool
	other   string // the session that has taken control since
	size    engine.Size
	seen    engine.State
}

// watch keeps the job's state up to date until the session ends.
func (t *terminal) watch() {
	// It ends with the session, and its error has no recipient.
	_ = t.r.Watch(t.life, func(o engine.State, _ engine.Note) {
		t.mu.Lock()
		t.seen = o
		t.mu.Unlock()
		if o.Status.Finished() {
			t.wake()
		}
	})
}

// hasHolder reports whether the job has a holder on its host.
func (t *terminal) hasHolder() bool { return t.job != engine.Run(t.r) }

func (t *terminal) wake() {
	select {
	case t.woken <- struct{}{}:
	default:
	}
}

// Next implements [engine.Terminal]. While the host cannot be reached it waits, and then continues
// at the same offset.
func (t *terminal) Next(ctx context.Context) (engine.TerminalChunk, error) {
	if t.over {
		return engine.TerminalChunk{}, engine.ErrNotRunning
	}
	for {
		if err := errors.Join(ctx.Err(), t.life.Err()); err != nil {
			return engine.TerminalChunk{}, err
		}
		t.mu.Lock()
		seen := t.seen
		t.mu.Unlock()
		pause := slowEvery
		chunk, err := t.more(ctx, seen.Output)
		switch {
		case errors.Is(err, engine.ErrUnreachable):
			pause = linkEvery
		case err != nil:
			return engine.TerminalChunk{}, err
		case chunk.Reset, len(chunk.Data) > 0:
			t.fastUntil = time.Now().Add(fastFor)
			t.answer(ctx)
			return t.withState(chunk), nil
		case seen.Status.Finished(): // and it was so before the log was read to its end
			t.over = true
			chunk.Exit = &seen.Exit
			return t.withState(chunk), nil
		case time.Now().Before(t.fastUntil):
			pause = fastEvery
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-t.woken:
			t.fastUntil = time.Now().Add(fastFor)
		case <-ctx.Done():
		case <-t.life.Done():
		}
		timer.Stop()
	}
}

// withState adds the state of the session to chunk.
func (t *terminal) withState(chunk engine.TerminalChunk) engine.TerminalChunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	chunk.Offset, chunk.Size, chunk.Control = t.off, t.size, t.control
	chunk.Controller = t.other
	if t.control {
		chunk.Controller = t.o.Client
	}
	return chunk
}

// more returns what the log has after the part already delivered, or a snapshot of the screen if
// nothing was delivered yet, or too much has been written since.
func (t *terminal) more(ctx context.Context, size int64) (engine.TerminalChunk, error) {
	behind := size-t.off > terminalLag
	cut := size > 0 && size < t.off-terminalLag
	if !t.drawn || behind || cut {
		return t.picture(ctx)
	}
	data, before, err := t.r.fetch(ctx, t.file, t.off, terminalStep)
	if data = data[before:]; err != nil || len(data) == 0 {
		return engine.TerminalChunk{}, err
	}
	t.off += int64(len(data))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.Write(data)
	if !t.control {
		t.answers = nil // the session in control answers
	}
	return engine.TerminalChunk{Data: data}, nil
}

// picture redraws everything from the end of the log.
func (t *terminal) picture(ctx context.Context) (engine.TerminalChunk, error) {
	tail := int64(terminalTail)
	if !t.drawn {
		tail = min(max(tail, int64(t.o.Scrollback)), replayBytes)
	}
	t.mu.Lock()
	size, facts := t.size, t.o.Facts
	t.mu.Unlock()
	data, end, err := t.r.tail(ctx, tail)
	if err != nil {
		return engine.TerminalChunk{}, err
	}
	screen := vt.New(size.Cols, size.Rows, vt.WithScrollback(4*int(tail)), vt.WithReply(func(p []byte) { t.answers = append(t.answers, p...) }))
	screen.SetFacts(factsOf(facts))
	screen.Write(data)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen, t.answers = screen, nil // what it asked before is over
	rows := 0
	if t.o.Scrollback > 0 {
		rows = screen.ScrollbackLen()
	}
	t.off, t.drawn = end, true
	return engine.TerminalChunk{Reset: true, Data: screen.Snapshot(rows)}, nil
}

// answer replies to the job's terminal queries, unless another session has taken control since:
// then that session replies.
func (t *terminal) answer(ctx context.Context) {
	t.mu.Lock()
	p := t.answers
	t.answers = nil
	t.mu.Unlock()
	if len(p) == 0 || t.hasHolder() {
		return
	}
	err := t.r.feed(ctx, p, func(dir string, p []byte) string { return recipe.Answer(dir, t.token, p) })
	if taken := (keyboardError{}); errors.As(err, &taken) {
		t.mu.Lock()
		t.control, t.other = false, taken.by
		t.mu.Unlock()
		return
	}
	if err != nil {
		t.r.b.log.Debug("a job's terminal cannot answer", "job", t.r.rec.ID, "err", err)
	}
}

// keyboardError reports that another session has the keyboard.
type keyboardError struct{ by string }

func (e keyboardError) Error() string { return e.by + " has the keyboard" }

func (t *terminal) Write(ctx context.Context, p []byte) error {
	defer t.wake()
	return t.job.Write(ctx, p)
}

// Resize implements [engine.Terminal]. The last size set wins: the host does not track viewers.
func (t *terminal) Resize(ctx context.Context, s engine.Size) error {
	t.mu.Lock()
	control := t.control
	t.o.Size = s
	t.mu.Unlock()
	if !control {
		return nil
	}
	if err := t.job.Resize(ctx, s); err != nil {
		return err
	}
	t.mu.Lock()
	t.size = s
	if t.screen != nil {
		t.screen.Resize(s.Cols, s.Rows)
	}
	t.mu.Unlock()
	t.wake()
	return nil
}

// TakeControl implements [engine.Terminal]. The host records which session has control, so that
// exactly one session, from any machine, answers the job.
func (t *terminal) TakeControl(ctx context.Context) error {
	if !t.hasHolder() {
		_, err := t.r.act(ctx, slow, askOptions{files: true}, func(dir string) string { return recipe.Control(dir, t.token, t.o.Client) })
		if err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.control, t.other = true, ""
	return nil
}

func (t *terminal) SetFacts(_ context.Context, f engine.TerminalFacts) error {
	t.mu.Lock()
	t.o.Facts = f
	if t.screen != nil {
		t.screen.SetFacts(factsOf(f))
	}
	t.mu.Unlock()
	t.wake()
	return nil
}

func (t *terminal) Close() error {
	t.end()
	return nil
}

func factsOf(f engine.TerminalFacts) vt.Facts {
	facts := vt.Facts{CellWidth: f.CellWidth, CellHeight: f.CellHeight, KittyKeyboard: f.KittyKeyboard}
	if f.HaveColors {
		facts.Foreground = vt.RGB(f.Foreground[0], f.Foreground[1], f.Foreground[2])
		facts.Background = vt.RGB(f.Background[0], f.Background[1], f.Background[2])
	}
	return facts
}

// fetch reads up to n bytes of file from off on. data begins earlier, at the start of a block: its
// first before bytes precede off.
func (r *Run) fetch(ctx context.Context, file string, off int64, n int) (data []byte, before int, err error) {
	rng := recipe.Cover(off, n)
	a, err := r.h.ask(ctx, bulk, recipe.Fetch(file, rng), askOptions{limit: time.Minute})
	if err == nil && a.Code == recipe.NotAFile {
		err = io.ErrUnexpectedEOF
	}
	return a.Out, min(rng.Drop, len(a.Out)), err
}

// tail returns at most most bytes from the end of the log, beginning with a line, and the offset of
// their end.
func (r *Run) tail(ctx context.Context, most int64) (data []byte, end int64, err error) {
	out, err := r.OpenOutput(ctx, engine.StreamOutput)
	if err != nil {
		return nil, 0, err
	}
	defer out.Close()
	if end, err = out.Size(ctx); err != nil {
		return nil, 0, err
	}
	from := max(0, end-most)
	holes, err := out.Holes(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, h := range holes {
		from = max(from, min(h.End, end))
	}
	data = make([]byte, end-from)
	n, err := out.ReadAt(ctx, data, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	data, end = data[:n], from+int64(n)
	if from > 0 {
		_, data, _ = bytes.Cut(data, []byte{'\n'})
	}
	return data, end, nil
}
