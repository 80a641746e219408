package cli

import (
	"context"
	"io"
	"strings"
	"sync/atomic"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/vt"
)

// filtering takes out what would make our terminal answer.
type filtering struct {
	w      io.Writer
	filter vt.Filter
	out    []byte
	broken bool // the last line written has no end
}

// Write implements io.Writer.
func (f *filtering) Write(p []byte) (int, error) {
	f.out = f.filter.Append(f.out[:0], p)
	if n := len(f.out); n > 0 {
		f.broken = f.out[n-1] != '\n'
	}
	if _, err := f.w.Write(f.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// leave is what leaves our terminal sane; what is written after it begins a line.
func (f *filtering) leave() []byte {
	b := f.filter.ModeReset()
	if f.broken && !f.filter.Alternate() {
		b = append(b, "\r\n"...)
	}
	return b
}

// rawDrawing puts a job's terminal on ours, where a person's shell has written
// before. Nothing of that is lost: a job is drawn from where the cursor stands if
// all that it has written is at hand, as if it ran here; a screen that has to be
// drawn whole comes after what is there has scrolled away.
type rawDrawing struct {
	out  *filtering
	rows int // of our terminal, at least
	// begin writes what the job has written so far, which is this many bytes; ok is
	// false if not all of that is at hand. Nil for a job that was there
	// before.
	begin func(ctx context.Context, bytes int64) (ok bool, err error)
	// control is set to whether we have the keyboard.
	control *atomic.Bool
	drawn   bool
}

// follow draws until the job's end.
func (d *rawDrawing) follow(ctx context.Context, terminal engine.Terminal) (*engine.Exit, error) {
	for {
		chunk, err := terminal.Next(ctx)
		if err != nil {
			return nil, err
		}
		d.control.Store(chunk.Control)
		if err := d.draw(ctx, chunk); err != nil {
			return nil, err
		}
		if chunk.Exit != nil {
			return chunk.Exit, nil
		}
	}
}

func (d *rawDrawing) draw(ctx context.Context, chunk engine.TerminalChunk) error {
	if chunk.Reset {
		first := !d.drawn
		d.drawn = true
		if first && d.begin != nil {
			if ok, err := d.begin(ctx, chunk.Offset); ok || err != nil {
				return err
			}
		}
		away := strings.Repeat("\n", d.rows)
		if !first {
			away = string(d.out.filter.ModeReset()) + away
		}
		if _, err := io.WriteString(d.out.w, away); err != nil {
			return err
		}
	}
	_, err := d.out.Write(chunk.Data)
	return err
}

// rawScrollback is how many bytes of history are drawn first: enough to scroll
// back a few screens.
const rawScrollback = 64 << 10

// fromTheStart writes a job's output from its first byte on.
func (a *app) fromTheStart(job engine.Job, out io.Writer) func(context.Context, int64) (bool, error) {
	return func(ctx context.Context, n int64) (bool, error) {
		if n > rawScrollback {
			return false, nil
		}
		log, err := a.eng.OpenLog(ctx, job.ID, job.Streams()[0])
		if err != nil {
			return false, nil //nolint:nilerr // then its screen is drawn
		}
		defer log.Close()
		text := make([]byte, n)
		for got := 0; int64(got) < n; {
			m, err := log.ReadAt(ctx, text[got:], int64(got))
			if got += m; m == 0 && err != nil {
				return false, nil //nolint:nilerr // not written yet, or gone
			}
		}
		_, err = out.Write(text)
		return true, err
	}
}
