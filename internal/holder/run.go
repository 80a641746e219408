package holder

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

// Run is one job as its clients reach it: by its directory, and while it lasts through
// the socket of its holder. It keeps nothing open between calls and is safe for
// concurrent use. What it refuses matches the conditions of package record.
type Run struct {
	Dir string

	id      record.ID
	request record.Request
	shows   bool
	glances atomic.Bool
	paced   chan struct{} // of size 1; has a value when glances has changed
}

// NewRun returns the run of the job in dir. shows means that the client shows a person
// what becomes of the job, so that nothing else has to report its end.
func NewRun(dir string, id record.ID, request record.Request, shows bool) *Run {
	return &Run{Dir: dir, id: id, request: request, shows: shows, paced: make(chan struct{}, 1)}
}

// ID returns the job's id.
func (r *Run) ID() record.ID { return r.id }

// do sends one instruction to the holder.
func (r *Run) do(ctx context.Context, t Type, payload, result any) error {
	return r.dialed(ctx, func(c *Client) error { return c.Do(ctx, t, payload, result) })
}

// dialed calls use with a connection to the holder.
func (r *Run) dialed(ctx context.Context, use func(*Client) error) error {
	c, err := Dial(ctx, r.Dir)
	if err != nil {
		return err
	}
	defer c.Close()
	return parted(r.Dir, use(c))
}

// Signal sends one signal to the job's foreground and group.
func (r *Run) Signal(ctx context.Context, name, by string) error {
	return r.do(ctx, TypeSignal, Signal{Name: name, By: by}, nil)
}

// Write types p.
func (r *Run) Write(ctx context.Context, p []byte) error {
	return r.dialed(ctx, func(c *Client) error { return c.Type(ctx, p) })
}

// CloseInput ends the job's input.
func (r *Run) CloseInput(ctx context.Context) error { return r.do(ctx, TypeEOF, nil, nil) }

// SendKeys types keys by their tmux names.
func (r *Run) SendKeys(ctx context.Context, keys []string) error {
	return r.do(ctx, TypeKeys, keys, nil)
}

// Paste types p as a paste.
func (r *Run) Paste(ctx context.Context, p []byte) error {
	return r.dialed(ctx, func(c *Client) error { return c.Paste(ctx, p) })
}

// Resize gives the job's terminal another size.
func (r *Run) Resize(ctx context.Context, s record.Size) error {
	return r.do(ctx, TypeResize, s, nil)
}

// Background records that nobody waits for the job any longer.
func (r *Run) Background(ctx context.Context) error { return r.do(ctx, TypeBackground, nil, nil) }

// Stop has the holder end the whole tree.
func (r *Run) Stop(ctx context.Context, o record.StopOptions) (record.StopReport, error) {
	var report KillReport
	err := r.do(ctx, TypeKill, killOf(o), &report)
	return report.report(), err
}

// Screen returns the job's screen now, or its last one if it has ended.
func (r *Run) Screen(ctx context.Context) (s record.Screen, err error) {
	err = r.do(ctx, TypeScreen, nil, &s)
	if errors.Is(err, record.ErrNotRunning) {
		return LastScreen(r.Dir)
	}
	return s, err
}

// OpenTerminal opens a live session with the job's terminal. The snapshot makes a program
// that draws the whole screen repaint nothing: no jiggle of the size is needed.
func (r *Run) OpenTerminal(ctx context.Context, o record.TerminalOptions) (*Session, error) {
	return openSession(ctx, r.Dir, Attach{
		Control: o.Control, Client: o.Client, Size: o.Size, Scrollback: o.Scrollback, Facts: factsOf(o.Facts),
	})
}

// Log is one of a job's logs, open.
type Log struct{ *logfile.File }

// OpenLog opens the log in the file of that name.
func (r *Run) OpenLog(name string) (Log, error) {
	f, err := jobdir.OpenLog(r.Dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.Join(record.ErrNotFound, err)
	}
	return Log{f}, err
}

// Holes lists the ranges whose bytes were dropped.
func (l Log) Holes(ctx context.Context) ([]record.Range, error) {
	h, err := l.Hole(ctx)
	if err != nil || h.Empty() {
		return nil, err
	}
	return []record.Range{{Start: h.Start, End: h.End}}, nil
}
