package local

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
)

// maxChunk is how much output one step of a terminal session merges.
const maxChunk = 256 << 10

// OpenTerminal implements [engine.TerminalOpener]. The snapshot makes a program
// that draws the whole screen repaint nothing: no jiggle of the size is needed.
func (r *Run) OpenTerminal(ctx context.Context, o engine.TerminalOptions) (engine.Terminal, error) {
	c, err := holder.Dial(ctx, r.dir)
	if err != nil {
		return nil, r.errorOf("open terminal", err)
	}
	if err := c.Stream(ctx, holder.TypeAttach, attachOf(o)); err != nil {
		return nil, r.errorOf("open terminal", errors.Join(err, c.Close()))
	}
	return &terminal{r: r, c: c}, nil
}

func attachOf(o engine.TerminalOptions) holder.Attach {
	a := holder.Attach{
		Control: o.Control, Client: o.Client, Size: jobdir.Size(o.Size), Scrollback: o.Scrollback,
		Facts: holder.TerminalFacts{
			CellWidth: o.Facts.CellWidth, CellHeight: o.Facts.CellHeight, KittyKeyboard: o.Facts.KittyKeyboard,
		},
	}
	if o.Facts.HaveColors {
		fg, bg := o.Facts.Foreground, o.Facts.Background
		a.Facts.Foreground, a.Facts.Background = &fg, &bg
	}
	return a
}

// terminal is a session with a job's terminal. The fields are of the caller of
// Next.
type terminal struct {
	r *Run
	c *holder.Client

	held    *holder.Frame // taken from the stream but not told yet
	offset  int64
	control holder.Control
	over    bool
}

// Next implements [engine.Terminal].
func (t *terminal) Next(ctx context.Context) (engine.TerminalChunk, error) {
	if t.over {
		return engine.TerminalChunk{}, t.r.errorOf("read terminal", engine.ErrNotRunning)
	}
	chunk := engine.TerminalChunk{Offset: t.offset}
	for told := false; !told || t.more(chunk); {
		f, err := t.frame(ctx, told)
		if err != nil {
			return t.broken(ctx, err)
		}
		if f == nil {
			break
		}
		if f.Type == holder.TypeSnapshot && len(chunk.Data) > 0 || told && f.Type == holder.TypeExit {
			t.held = f // begins a chunk of its own
			break
		}
		took, err := t.apply(f, &chunk)
		if err != nil {
			return engine.TerminalChunk{}, t.r.errorOf("read terminal", err)
		}
		told = told || took
	}
	t.offset = chunk.Offset
	chunk.Size = engine.Size(t.control.Size)
	chunk.Controller, chunk.Control = t.control.Controller, t.control.You
	return chunk, nil
}

func (t *terminal) more(chunk engine.TerminalChunk) bool {
	return chunk.Exit == nil && len(chunk.Data) < maxChunk
}

// frame is the next one; with ready only if it is there already, else nil.
func (t *terminal) frame(ctx context.Context, ready bool) (*holder.Frame, error) {
	if f := t.held; f != nil {
		t.held = nil
		return f, nil
	}
	if ready {
		f, ok := t.c.Ready()
		if !ok {
			return nil, nil
		}
		return &f, nil
	}
	f, err := t.c.Next(ctx)
	return &f, err
}

// apply adds a frame to chunk and reports whether there is something to tell.
func (t *terminal) apply(f *holder.Frame, chunk *engine.TerminalChunk) (bool, error) {
	switch f.Type {
	case holder.TypeSnapshot:
		s, err := holder.DecodeSnapshot(f.Payload)
		if err != nil {
			return false, err
		}
		chunk.Reset, chunk.Data, chunk.Offset = true, s.Data, s.Offset
		t.control.Size = s.Size
		return true, nil
	case holder.TypeOutput:
		off, data, err := holder.DecodeOutput(f.Payload)
		if err != nil {
			return false, err
		}
		chunk.Data = append(chunk.Data, data...)
		chunk.Offset = off
		return true, nil
	case holder.TypeControl:
		var ctl holder.Control
		if err := json.Unmarshal(f.Payload, &ctl); err != nil {
			return false, err
		}
		told := ctl.Size != t.control.Size || ctl.You != t.control.You || ctl.Controller != t.control.Controller
		t.control = ctl
		return told, nil
	case holder.TypeExit:
		var end jobdir.End
		if err := json.Unmarshal(f.Payload, &end); err != nil {
			return false, err
		}
		exit := exitOf(&end)
		chunk.Exit, t.over = &exit, true
		return true, nil
	}
	return false, nil
}

// broken is the end of a connection: perhaps the job's, who knows its files.
func (t *terminal) broken(ctx context.Context, err error) (engine.TerminalChunk, error) {
	if ctx.Err() != nil {
		return engine.TerminalChunk{}, ctx.Err()
	}
	o := t.r.b.observe(t.r.dir, t.r.id, true)
	if o.Status.Finished() {
		t.over = true
		return engine.TerminalChunk{Offset: t.offset, Size: engine.Size(t.control.Size), Exit: &o.Exit}, nil
	}
	return engine.TerminalChunk{}, t.r.errorOf("read terminal", err)
}

// Write implements [engine.Terminal].
func (t *terminal) Write(ctx context.Context, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), inputStep)
		if err := t.c.Do(ctx, holder.TypeInput, p[:n], nil); err != nil {
			return t.r.errorOf("write", holder.Parted(t.r.dir, err))
		}
		p = p[n:]
	}
	return nil
}

// Resize implements [engine.Terminal]. The size of who only watches is kept for
// when it takes control.
func (t *terminal) Resize(ctx context.Context, s engine.Size) error {
	return t.r.errorOf("resize", t.c.Do(ctx, holder.TypeResize, jobdir.Size(s), nil))
}

// TakeControl implements [engine.Terminal].
func (t *terminal) TakeControl(ctx context.Context) error {
	return t.r.errorOf("take control", t.c.Do(ctx, holder.TypeTakeControl, nil, nil))
}

// Close implements [engine.Terminal].
func (t *terminal) Close() error {
	// A connection that has broken already is as good as closed.
	_ = t.c.Close()
	return nil
}
