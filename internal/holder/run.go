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

// Run provides the operations on a job to clients: through its directory, and while it runs through
// the socket of its holder. It keeps nothing open between calls and is safe for concurrent use. Its
// errors match the conditions of package record.
type Run struct {
	Dir     string
	Request record.Request

	shows     bool
	quiet     time.Duration // without a frame, after which the holder is asked whether it still answers
	patience  time.Duration // for that answer
	throttled atomic.Bool
	paced     chan struct{} // of size 1; has a value when throttled has changed
}

// NewRun returns the run of the job in dir. shows means that the client shows the job to a user, so
// that no other notification of its end is needed.
func NewRun(dir string, request record.Request, shows bool) *Run {
	return &Run{
		Dir:      dir,
		Request:  request,
		shows:    shows,
		quiet:    10 * time.Second,
		patience: helloTimeout,
		paced:    make(chan struct{}, 1),
	}
}

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
	return asNotRunning(r.Dir, use(c))
}

// Signal sends one signal to the job's foreground and group.
func (r *Run) Signal(ctx context.Context, name, by string) error {
	return r.do(ctx, TypeSignal, Signal{Name: name, By: by}, nil)
}

// Write types p.
func (r *Run) Write(ctx context.Context, p []byte) error {
	return r.dialed(ctx, func(c *Client) error { return c.Type(ctx, p) })
}

func (r *Run) CloseInput(ctx context.Context) error { return r.do(ctx, TypeEOF, nil, nil) }

// SendKeys types keys by their tmux names.
func (r *Run) SendKeys(ctx context.Context, keys []string) error {
	return r.do(ctx, TypeKeys, keys, nil)
}

// Paste types p as a paste.
func (r *Run) Paste(ctx context.Context, p []byte) error {
	return r.dialed(ctx, func(c *Client) error { return c.Paste(ctx, p) })
}

func (r *Run) Resize(ctx context.Context, s record.Size) error {
	return r.do(ctx, TypeResize, s, nil)
}

// Background records that no caller waits for the job any longer.
func (r *Run) Background(ctx context.Context) error { return r.do(ctx, TypeBackground, nil, nil) }

// Stop requests the holder to end the whole process tree.
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

// OpenTerminal opens a live session with the job's terminal. It begins with a snapshot, so that
// programs need not be made to repaint by a temporary change of the size.
func (r *Run) OpenTerminal(ctx context.Context, o record.TerminalOptions) (record.Terminal, error) {
	c, err := Dial(ctx, r.Dir)
	if err != nil {
		return nil, err
	}
	s, err := OpenSession(ctx, c, o, func() (record.State, error) { return Look(r.Dir) })
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (r *Run) OpenOutput(_ context.Context, s record.Stream) (record.Output, error) {
	f, err := jobdir.OpenLog(r.Dir, s.File())
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.Join(record.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	return openLog{f}, nil
}

type openLog struct{ *logfile.File }

// Holes lists the ranges whose bytes were dropped.
func (l openLog) Holes(ctx context.Context) ([]record.Range, error) {
	h, err := l.Hole(ctx)
	if err != nil || h.Empty() {
		return nil, err
	}
	return []record.Range{{Start: h.Start, End: h.End}}, nil
}

// Throttle sets whether changes that are not urgent are reported only once a second. It may be called
// at any time and does not block.
func (r *Run) Throttle(on bool) {
	r.throttled.Store(on)
	select {
	case r.paced <- struct{}{}:
	default:
	}
}

const (
	// pollPause is the interval for polling the files of a job whose holder has no reachable socket.
	pollPause = 250 * time.Millisecond
	// throttledPace is the interval at which changes that are not urgent are reported if throttled.
	throttledPace = time.Second
)

// Watch calls notify with the current state of the job and after each change. It returns nil after the
// end of the job, and if the job was removed. It keeps a connection to the holder; without a holder it
// polls the files.
func (r *Run) Watch(ctx context.Context, notify func(record.State, record.Note)) error {
	var last record.State
	var heard atomic.Int64
	report := func(s record.State, note record.Note) {
		last = s
		notify(s, note)
	}
	for {
		err := r.stream(ctx, &heard, func(f Facts) bool {
			s, note := r.after(last, f)
			report(s, note)
			return !s.Status.Finished()
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		if err == nil {
			return nil
		}
		// The connection implies nothing about the job; its files do, if they can be read.
		s, gone := Look(r.Dir)
		if gone != nil {
			return nil // removed
		}
		if s.Status.Finished() {
			report(s, record.Note{})
			return nil
		}
		silent := isSilence(err)
		if silent && s.Link == record.LinkNone {
			s.Link, s.LinkError = record.LinkUnreachable, silence(&s)
		}
		switch at := heard.Load(); {
		case !silent, at == 0:
		default:
			s.StaleSince = time.Unix(0, at)
		}
		if silent || errors.Is(err, ErrNoSocket) {
			report(s, record.Note{})
		}
		// When a stopped holder continues, it accepts all connections that were attempted meanwhile.
		for ok := true; ok; ok = holderStopped(&s) {
			if !sleep(ctx, pollPause) {
				return ctx.Err()
			}
		}
	}
}

// sleep waits for d. It reports false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// after returns the state after applying facts, and their notification.
func (r *Run) after(s record.State, f Facts) (record.State, record.Note) {
	if f.State != nil {
		s = r.StateOf(f.State)
	}
	s.Output, s.Dropped, s.Bells = f.Output, f.Dropped, f.Bells
	s.Link, s.LinkError, s.StaleSince = record.LinkNone, "", time.Time{}
	f.complete(&s)
	s.Line = ""
	addCurrent(r.Dir, &r.Request, &s)
	if f.Note == nil {
		return s, record.Note{}
	}
	return s, *f.Note
}

// StateOf completes a state sent by the holder, which contains only what state.json has.
func (r *Run) StateOf(st *record.State) record.State {
	return stateOf(&jobdir.Record{
		Meta:    jobdir.Meta{Request: r.Request},
		State:   *st,
		Started: !st.StartedAt.IsZero(),
	})
}

// stream calls more with the facts from the holder, until more returns false, which is not an error. It sets
// heard to the time of the holder's last message, in nanoseconds since 1970.
func (r *Run) stream(ctx context.Context, heard *atomic.Int64, more func(Facts) bool) error {
	c, err := Dial(ctx, r.Dir)
	if err != nil {
		return err
	}
	defer c.Close()
	throttled := r.throttled.Load()
	if err := r.ask(ctx, c, TypeSubscribe, r.subscription(throttled)); err != nil {
		return err
	}
	heard.Store(time.Now().UnixNano())
	asking, stop := context.WithCancel(ctx)
	var asks sync.WaitGroup
	asks.Go(func() { r.keepAsking(asking, c, throttled, heard) })
	defer asks.Wait()
	defer stop()
	for {
		f, err := c.Next(ctx)
		if err != nil {
			return err
		}
		heard.Store(time.Now().UnixNano())
		var facts Facts
		if f.Type != TypeFacts || json.Unmarshal(f.Payload, &facts) != nil {
			continue // of a later version
		}
		if !more(facts) {
			return nil
		}
	}
}

// subscription returns the request for facts.
func (r *Run) subscription(throttled bool) Subscribe {
	s := Subscribe{Shows: r.shows}
	if throttled {
		s.PaceMS = throttledPace.Milliseconds()
	}
	return s
}

// keepAsking updates the pace of the subscription of c after calls of Throttle, and asks a holder that
// has sent nothing for a while whether it still answers, until ctx is done or the connection has ended.
// If there is no answer, it closes the connection.
func (r *Run) keepAsking(ctx context.Context, c *Client, throttled bool, heard *atomic.Int64) {
	quiet := time.NewTimer(untilRound(time.Now(), r.quiet))
	defer quiet.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-quiet.C:
			quiet.Reset(untilRound(time.Now(), r.quiet))
			if time.Since(time.Unix(0, heard.Load())) < r.quiet {
				continue
			}
			if err = r.ask(ctx, c, TypeStatus, nil); err == nil {
				heard.Store(time.Now().UnixNano())
			}
		case <-r.paced:
			if now := r.throttled.Load(); now != throttled {
				err = r.ask(ctx, c, TypeSubscribe, r.subscription(now))
				throttled = now
			}
		}
		if _, answered := errors.AsType[*Failure](err); err != nil && !answered {
			return
		}
	}
}

// untilRound returns the time until the next multiple of every. A program that watches many idle jobs asks
// all their holders in one round, instead of waking up for each.
func untilRound(now time.Time, every time.Duration) time.Duration {
	return now.Truncate(every).Add(every).Sub(now)
}

// ask sends an instruction that a holder carries out at once.
func (r *Run) ask(ctx context.Context, c *Client, t Type, payload any) error {
	ctx, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	return c.Stream(ctx, t, payload)
}
