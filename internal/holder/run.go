package holder

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

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
	k := Kill{KeepDaemons: o.KeepDaemons, By: o.By, Reason: o.Reason}
	switch {
	case o.Grace < 0:
		k.GraceMS = -1
	case o.Grace > 0:
		k.GraceMS = max(1, o.Grace.Milliseconds())
	}
	if k.Reason == "" {
		k.Reason = record.ReasonKill
	}
	var report KillReport
	err := r.do(ctx, TypeKill, k, &report)
	return record.StopReport{
		Took: time.Duration(report.TookMS) * time.Millisecond, Escalated: report.Escalated, Survivors: report.Survivors,
	}, err
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

// Wait returns when the job has ended.
func (r *Run) Wait(ctx context.Context) (record.Exit, error) {
	var exit record.Exit
	err := r.Watch(ctx, func(s record.State, _ record.Note) { exit = s.Exit })
	return exit, err
}

// Glance sets whether nobody looks closely at the job. It may be called at any time, and
// waits for nothing.
func (r *Run) Glance(on bool) {
	r.glances.Store(on)
	select {
	case r.paced <- struct{}{}:
	default:
	}
}

const (
	// lookPause is the time between looks at the files of a job whose holder does not
	// answer on a socket.
	lookPause = 250 * time.Millisecond
	// glancePause is how often a holder reports output of a job that is not looked at
	// closely.
	glancePause = time.Second
)

// Watch calls notify with the state of the job now and after each change, until its end;
// it returns nil then, and for a job that was removed. It keeps one connection to the
// holder; where that is not to be had it looks at the files.
func (r *Run) Watch(ctx context.Context, notify func(record.State, record.Note)) error {
	var last record.State
	tell := func(s record.State, note record.Note) {
		last = s
		notify(s, note)
	}
	for {
		err := r.stream(ctx, func(f Facts) bool {
			s, note := r.after(last, f)
			tell(s, note)
			return !s.Status.Finished()
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		if err == nil {
			return nil
		}
		// The connection says nothing about the job; its files do, if they can be read.
		s, gone := Look(r.Dir)
		if gone != nil {
			return nil // where it was moved to, the engine knows
		}
		if s.Status.Finished() || errors.Is(err, ErrNoSocket) && s.Link != record.LinkUnreachable {
			tell(s, record.Note{})
		}
		if s.Status.Finished() {
			return nil
		}
		select {
		case <-time.After(lookPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// after returns the state after facts, and the notification among them.
func (r *Run) after(s record.State, f Facts) (record.State, record.Note) {
	if f.State != nil {
		s = r.StateOf(f.State)
	}
	s.Output, s.Dropped, s.Bells, s.Unrecorded = f.Output, f.Dropped, f.Bells, f.Unrecorded
	if f.Note == nil {
		return s, record.Note{}
	}
	return s, *f.Note
}

// StateOf completes a state that the holder has sent, of which the wire has what
// state.json has.
func (r *Run) StateOf(st *record.State) record.State {
	return stateOf(&jobdir.Record{Meta: jobdir.Meta{Request: r.request}, State: *st, Started: !st.StartedAt.IsZero()})
}

// stream passes the facts on that the holder gives, until more is false, which is no
// error.
func (r *Run) stream(ctx context.Context, more func(Facts) bool) error {
	begun := begin(ctx)
	defer begun()
	c, err := Dial(ctx, r.Dir)
	if err != nil {
		return err
	}
	defer c.Close()
	glances := r.glances.Load()
	if err := c.Stream(ctx, TypeSubscribe, r.subscription(glances)); err != nil {
		return err
	}
	paced, stop := context.WithCancel(ctx)
	var pace sync.WaitGroup
	pace.Go(func() { r.keepPace(paced, c, glances) })
	defer pace.Wait()
	defer stop()
	for {
		f, err := c.Next(ctx)
		if err != nil {
			return err
		}
		var facts Facts
		if f.Type != TypeFacts || json.Unmarshal(f.Payload, &facts) != nil {
			continue // of a later version; the next one may be read
		}
		begun()
		if !more(facts) {
			return nil
		}
	}
}

// subscription is what the holder is asked for.
func (r *Run) subscription(glances bool) Subscribe {
	s := Subscribe{Shows: r.shows}
	if glances {
		s.PaceMS = glancePause.Milliseconds()
	}
	return s
}

// keepPace changes the subscription of c with how closely the job is looked at, until
// ctx is done or the connection has ended.
func (r *Run) keepPace(ctx context.Context, c *Client, glances bool) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.paced:
		}
		now := r.glances.Load()
		if now == glances {
			continue
		}
		if err := c.Do(ctx, TypeSubscribe, r.subscription(now), nil); err != nil {
			return
		}
		glances = now
	}
}

const (
	// maxTurns is how many watches begin at once: holders that have to wake up to
	// answer need the processor as much as whoever waits for what is shown first.
	maxTurns = 8
	// turnPatience is how long one may keep the next from beginning. A holder that
	// is stopped answers never.
	turnPatience = 50 * time.Millisecond
)

// turns has a value for each watch of this program that begins.
var turns = make(chan struct{}, maxTurns)

// begin waits for the turn of a watch. The function that it returns, which may be called
// more than once, gives the turn to the next.
func begin(ctx context.Context) (over func()) {
	select {
	case turns <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	giveBack := sync.OnceFunc(func() { <-turns })
	late := time.AfterFunc(turnPatience, giveBack)
	return func() {
		late.Stop()
		giveBack()
	}
}
