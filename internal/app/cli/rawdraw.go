package cli

import (
	"context"
	"io"
	"strings"
	"sync/atomic"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/vt"
)

// filtering removes the queries from a job's output, which would make the terminal answer.
type filtering struct {
	w      io.Writer
	filter vt.Filter
	out    []byte
	broken bool // the last line written is incomplete
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

// leave returns the sequences that reset the terminal and start a new line if necessary.
func (f *filtering) leave() []byte {
	b := f.filter.ModeReset()
	if f.broken && !f.filter.Alternate() {
		b = append(b, "\r\n"...)
	}
	return b
}

// rawDrawing draws a job's terminal on the user's, below what the shell has printed. Nothing
// of that is lost: if all output of the job is available, it is written from the cursor
// position on; otherwise the terminal is scrolled by one screen before the job's screen is
// drawn.
type rawDrawing struct {
	out  *filtering
	rows int // of the user's terminal, at least
	// begin writes the first bytes of the job's output. ok is false if they are not all
	// available. It is nil for a job that was already running.
	begin func(ctx context.Context, bytes int64) (ok bool, err error)
	// control is set to whether this session has the keyboard.
	control *atomic.Bool
	drawn   bool
}

// follow draws until the job ends.
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

// rawScrollback is the number of bytes of history drawn first, enough for a few screens.
const rawScrollback = 64 << 10

// writeFromStart returns a function that writes the first bytes of a job's output.
func (a *app) writeFromStart(job engine.Job, out io.Writer) func(context.Context, int64) (bool, error) {
	return func(ctx context.Context, n int64) (bool, error) {
		if n > rawScrollback {
			return false, nil
		}
		log, err := a.eng.OpenLog(ctx, job.ID, job.Streams()[0])
		if err != nil {
			return false, nil //nolint:nilerr // the screen is drawn instead
		}
		defer log.Close()
		text := make([]byte, n)
		for got := 0; int64(got) < n; {
			m, err := log.ReadAt(ctx, text[got:], int64(got))
			if got += m; m == 0 && err != nil {
				return false, nil //nolint:nilerr // not written yet, or dropped
			}
		}
		_, err = out.Write(text)
		return true, err
	}
}
