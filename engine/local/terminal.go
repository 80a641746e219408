package local

import (
	"context"
	"errors"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
)

// OpenTerminal implements [engine.TerminalOpener]. The snapshot makes a program
// that draws the whole screen repaint nothing: no jiggle of the size is needed.
func (r *Run) OpenTerminal(ctx context.Context, o engine.TerminalOptions) (engine.Terminal, error) {
	s, err := holder.OpenSession(ctx, r.dir, attachOf(o))
	if err != nil {
		return nil, r.errorOf("open terminal", err)
	}
	return &terminal{r: r, s: s}, nil
}

func attachOf(o engine.TerminalOptions) holder.Attach {
	return holder.Attach{
		Control: o.Control, Client: o.Client, Size: o.Size, Scrollback: o.Scrollback,
		Facts: factsOf(o.Facts),
	}
}

func factsOf(f engine.TerminalFacts) holder.TerminalFacts {
	facts := holder.TerminalFacts{CellWidth: f.CellWidth, CellHeight: f.CellHeight, KittyKeyboard: f.KittyKeyboard}
	if f.HaveColors {
		facts.Foreground, facts.Background = &f.Foreground, &f.Background
	}
	return facts
}

// terminal is a session with a job's terminal.
type terminal struct {
	r    *Run
	s    *holder.Session
	over bool // of the caller of Next
}

// Next implements [engine.Terminal].
func (t *terminal) Next(ctx context.Context) (engine.TerminalChunk, error) {
	if t.over {
		return engine.TerminalChunk{}, t.r.errorOf("read terminal", engine.ErrNotRunning)
	}
	c, err := t.s.Next(ctx)
	if err != nil {
		return t.broken(ctx, c, err)
	}
	chunk := engine.TerminalChunk{
		Reset: c.Reset, Data: c.Data, Offset: c.Offset, Size: c.Size, Controller: c.Controller, Control: c.Control,
	}
	chunk.Exit, t.over = c.End, c.End != nil
	return chunk, nil
}

// broken is the end of a connection: perhaps the job's, who knows its files.
func (t *terminal) broken(ctx context.Context, c holder.Chunk, err error) (engine.TerminalChunk, error) {
	if ctx.Err() != nil {
		return engine.TerminalChunk{}, ctx.Err()
	}
	if errors.Is(err, holder.ErrNoSocket) {
		if o, there := observe(t.r.dir); there && o.Status.Finished() {
			t.over = true
			return engine.TerminalChunk{Offset: c.Offset, Size: c.Size, Exit: &o.Exit}, nil
		}
	}
	return engine.TerminalChunk{}, t.r.errorOf("read terminal", err)
}

// Write implements [engine.Terminal].
func (t *terminal) Write(ctx context.Context, p []byte) error {
	return t.r.errorOf("write", t.s.Write(ctx, p))
}

// Resize implements [engine.Terminal]. The size of who only watches is kept for
// when it takes control.
func (t *terminal) Resize(ctx context.Context, s engine.Size) error {
	return t.r.errorOf("resize", t.s.Resize(ctx, s))
}

// TakeControl implements [engine.Terminal].
func (t *terminal) TakeControl(ctx context.Context) error {
	return t.r.errorOf("take control", t.s.TakeControl(ctx))
}

// SetFacts implements [engine.Terminal].
func (t *terminal) SetFacts(ctx context.Context, f engine.TerminalFacts) error {
	return t.r.errorOf("report the terminal", t.s.SetFacts(ctx, factsOf(f)))
}

// Close implements [engine.Terminal].
func (t *terminal) Close() error {
	t.s.Close()
	return nil
}
