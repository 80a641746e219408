package engine

import (
	"context"
	"errors"

	"github.com/hobjobs/hob/internal/holder"
)

func (r *virtualRun) Write(ctx context.Context, p []byte) error {
	if x := r.e.execution(r.id); x != nil {
		return x.write(ctx, p)
	}
	c, err := holder.Dial(ctx, r.dir)
	if err != nil {
		return errorOf(err)
	}
	defer c.Close()
	return errorOf(c.Type(ctx, r.dir, p))
}

func (r *virtualRun) CloseInput(context.Context) error { return ErrNoInput }

// SendKeys implements [KeySender]. Without a terminal keys are encoded as one in
// its first state does.
func (r *virtualRun) SendKeys(ctx context.Context, keys []string) error {
	if x := r.e.execution(r.id); x != nil {
		p, err := x.h.EncodeKeys(keys)
		if err != nil {
			return errorOf(err)
		}
		return x.write(ctx, p)
	}
	return r.ask(ctx, holder.TypeKeys, keys, nil)
}

// Paste implements [KeySender].
func (r *virtualRun) Paste(ctx context.Context, p []byte) error {
	if x := r.e.execution(r.id); x != nil {
		return x.write(ctx, x.h.EncodePaste(p))
	}
	c, err := holder.Dial(ctx, r.dir)
	if err != nil {
		return errorOf(err)
	}
	defer c.Close()
	return errorOf(c.Paste(ctx, r.dir, p))
}

// Resize implements [Resizer].
func (r *virtualRun) Resize(ctx context.Context, s Size) error {
	if x := r.e.execution(r.id); x != nil {
		return errorOf(x.h.Resize(ctx, s))
	}
	return r.ask(ctx, holder.TypeResize, s, nil)
}

// Screen implements [ScreenReader].
func (r *virtualRun) Screen(ctx context.Context) (Screen, error) {
	var s holder.Screen
	var err error
	if x := r.e.execution(r.id); x != nil {
		s, err = x.h.Screen()
	} else {
		err = r.ask(ctx, holder.TypeScreen, nil, &s)
	}
	if errors.Is(err, ErrNotRunning) {
		s, err = holder.LastScreen(r.dir)
	}
	return Screen{
		Text: s.Text, ANSI: s.ANSI, Size: s.Size, CursorX: s.CursorX, CursorY: s.CursorY, CursorOn: s.CursorOn,
		Title: s.Title, Alternate: s.Alternate, Main: s.Main,
	}, errorOf(err)
}

// OpenTerminal implements [TerminalOpener], for this program's own executions as
// for those of others.
func (r *virtualRun) OpenTerminal(ctx context.Context, o TerminalOptions) (Terminal, error) {
	a := holder.Attach{
		Control: o.Control, Client: o.Client, Size: o.Size, Scrollback: o.Scrollback,
		Facts: terminalFactsOf(o.Facts),
	}
	s, err := holder.OpenSession(ctx, r.dir, a)
	if err != nil {
		return nil, errorOf(err)
	}
	return &virtualTerminal{r: r, s: s}, nil
}

func terminalFactsOf(f TerminalFacts) holder.TerminalFacts {
	facts := holder.TerminalFacts{CellWidth: f.CellWidth, CellHeight: f.CellHeight, KittyKeyboard: f.KittyKeyboard}
	if f.HaveColors {
		facts.Foreground, facts.Background = &f.Foreground, &f.Background
	}
	return facts
}

// virtualTerminal is a session with the terminal of an execution.
type virtualTerminal struct {
	r    *virtualRun
	s    *holder.Session
	over bool // of the caller of Next
}

func (t *virtualTerminal) Next(ctx context.Context) (TerminalChunk, error) {
	if t.over {
		return TerminalChunk{}, ErrNotRunning
	}
	c, err := t.s.Next(ctx)
	chunk := TerminalChunk{
		Reset: c.Reset, Data: c.Data, Offset: c.Offset, Size: c.Size, Controller: c.Controller, Control: c.Control,
	}
	switch {
	case err == nil && c.End != nil:
		chunk.Exit, t.over = c.End, true
		return chunk, nil
	case err == nil:
		return chunk, nil
	case ctx.Err() != nil:
		return TerminalChunk{}, ctx.Err()
	}
	// The connection broke, perhaps with the program: the records know.
	if j, lookErr := t.r.e.lookVirtual(t.r.id, t.r.dir); lookErr == nil && j.Status.Finished() {
		t.over = true
		return TerminalChunk{Offset: c.Offset, Size: c.Size, Exit: &j.Exit}, nil
	}
	return TerminalChunk{}, errorOf(err)
}

func (t *virtualTerminal) Write(ctx context.Context, p []byte) error {
	return errorOf(t.s.Write(ctx, p))
}

func (t *virtualTerminal) Resize(ctx context.Context, s Size) error {
	return errorOf(t.s.Resize(ctx, s))
}

func (t *virtualTerminal) TakeControl(ctx context.Context) error {
	return errorOf(t.s.TakeControl(ctx))
}

func (t *virtualTerminal) SetFacts(ctx context.Context, f TerminalFacts) error {
	return errorOf(t.s.SetFacts(ctx, terminalFactsOf(f)))
}

func (t *virtualTerminal) Close() error {
	t.s.Close()
	return nil
}
