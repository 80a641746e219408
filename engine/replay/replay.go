// Package replay shows the terminal of a job as it was at any time since its start: of a job with a terminal on this
// machine, or on a host with hob-holder, whether it runs or has ended.
package replay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

// Recording is the recording of a job's terminal: its screen at any time since the start, made from
// the log and the times and sizes recorded with it. For a running job it grows. It is safe for
// concurrent use.
type Recording struct {
	job   engine.Job
	log   *joblog.Log
	times *jobdir.Times
	first jobdir.Moment

	// lastScreen returns the state of the terminal at the end of the log.
	lastScreen func(context.Context) (checkpoint, error)

	mu     sync.Mutex
	points checkpoints

	taking sync.Mutex // one request of frames at a time; guards player
	player player
}

// Frame is one step of a replay.
type Frame struct {
	// Reset: Data is a snapshot that redraws the whole terminal. Otherwise it is output that follows
	// the previous frame.
	Reset bool
	Data  []byte
	Size  engine.Size
	At    time.Duration // since the first output
	// Offset is the offset in the log after Data.
	Offset int64
	// End: the recording ends here. That of a running job may grow.
	End bool
}

// ErrNoOutput is the error for a job whose terminal has printed nothing so far.
var ErrNoOutput = errors.New("the job has printed nothing")

var (
	errNoTerminal = fmt.Errorf("%w: the job has no terminal", engine.ErrUnsupported)
	errNoTimes    = fmt.Errorf("%w: no times are recorded for jobs on a host without hob-holder", engine.ErrUnsupported)
)

// Open opens the recording of a job's terminal. It returns ErrNoOutput for a job that has printed nothing so far, and
// engine.ErrUnsupported for a job without a terminal, and for a job on a host without hob-holder, which records no
// times.
func Open(ctx context.Context, h *engine.Handle) (*Recording, error) {
	j, err := h.Facts(ctx)
	if err != nil {
		return nil, err
	}
	refused := func(err error, hint string) error {
		return &engine.Error{
			Op:   "replay",
			Job:  j.ID,
			Err:  err,
			Hint: hint,
		}
	}
	const readLog = "hob log prints its output"
	if !j.HasTerminal() {
		return nil, refused(errNoTerminal, readLog)
	}
	log, err := h.Log(ctx, engine.StreamOutput)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(j.OutputPath)
	r := &Recording{
		job:        j,
		log:        log,
		lastScreen: func(ctx context.Context) (checkpoint, error) { return lastScreen(ctx, h, dir) },
	}
	times, timed := log.Times().(*jobdir.Times)
	switch {
	case timed:
		if err := times.Refresh(ctx); err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.times = times
		if first, ok := times.After(-1); ok {
			r.first = first
			r.player = r.begin()
			return r, nil
		}
	case j.Host != "":
		return nil, errors.Join(refused(errNoTimes, readLog), r.Close())
	}
	if _, ended := j.Ended(); ended {
		return nil, errors.Join(refused(ErrNoOutput, ""), r.Close())
	}
	return nil, errors.Join(refused(ErrNoOutput, "try again when it has printed something"), r.Close())
}

// Close closes the recording.
func (r *Recording) Close() error { return r.log.Close() }

// Job returns the job as it was when the recording was opened.
func (r *Recording) Job() engine.Job { return r.job }

// Start returns when the first output was written.
func (r *Recording) Start() time.Time { return r.first.At }

// Duration returns the time from the first to the last recorded output.
func (r *Recording) Duration() time.Duration {
	last, ok := r.times.Last()
	if !ok {
		return 0
	}
	return r.since(last)
}

func (r *Recording) since(m jobdir.Moment) time.Duration { return m.At.Sub(r.first.At) }

// Index reads the recording to its end, so that Seek is fast everywhere. It calls progress, which
// may be nil, with the time that it has reached.
func (r *Recording) Index(ctx context.Context, progress func(time.Duration)) error {
	p := r.begin()
	for {
		f, err := p.upTo(ctx, p.offset+checkpointEvery)
		if err != nil || f.End {
			return err
		}
		if progress != nil {
			progress(f.At)
		}
	}
}

// Seek moves to a time since the first output and returns the screen at that time. Next continues
// from there.
func (r *Recording) Seek(ctx context.Context, at time.Duration) (Frame, error) {
	return r.seek(ctx, func(m jobdir.Moment) bool { return r.since(m) <= max(0, at) })
}

// SeekOffset moves to an offset of the log and returns the screen after the bytes before it, exactly
// as it was when the last of them had been processed.
func (r *Recording) SeekOffset(ctx context.Context, offset int64) (Frame, error) {
	r.taking.Lock()
	defer r.taking.Unlock()
	return r.moveTo(ctx, offset)
}

// moveTo is SeekOffset with r.taking held.
func (r *Recording) moveTo(ctx context.Context, offset int64) (Frame, error) {
	p, err := r.playedTo(ctx, offset)
	if err != nil {
		return Frame{}, err
	}
	r.player = p
	return p.frame(), nil
}

// playedTo returns a player at an offset, or at the end if that is before it.
func (r *Recording) playedTo(ctx context.Context, offset int64) (player, error) {
	p := r.nearest(offset)
	for p.offset < offset {
		f, err := p.upTo(ctx, offset)
		if err != nil {
			return p, err
		}
		if f.End {
			break
		}
	}
	return p, nil
}

// seek moves to the last moment for which before is true.
func (r *Recording) seek(ctx context.Context, before func(jobdir.Moment) bool) (Frame, error) {
	r.taking.Lock()
	defer r.taking.Unlock()
	if err := r.times.Refresh(ctx); err != nil {
		return Frame{}, err
	}
	m, ok := r.times.LastWhere(before)
	if !ok {
		m = r.first
	}
	to, end := r.momentEnd(ctx, m)
	var f Frame
	known := false
	if end {
		f, known = r.moveToLastScreen(ctx, to)
	}
	if !known {
		var err error
		if f, err = r.moveTo(ctx, to); err != nil {
			return f, err
		}
	}
	f.End = end
	f.At = r.since(m)
	r.player.at = f.At
	return f, nil
}

// momentEnd returns the offset after the output of a moment; end reports that it is the last one.
func (r *Recording) momentEnd(ctx context.Context, m jobdir.Moment) (offset int64, end bool) {
	if next, ok := r.times.After(m.Offset); ok {
		return next.Offset, false
	}
	size, err := r.log.Size(ctx)
	if err != nil {
		return m.Offset, true
	}
	return size, true
}

// Next returns the output of the next moment, at most ten a second of the job's time.
func (r *Recording) Next(ctx context.Context) (Frame, error) {
	r.taking.Lock()
	defer r.taking.Unlock()
	return r.player.next(ctx)
}

// Find returns the first time after a time at which text that re matches appears on the screen,
// where it was not before. ok is false if there is none. A negative time searches from the
// beginning.
func (r *Recording) Find(ctx context.Context, re *regexp.Regexp, after time.Duration) (at time.Duration, ok bool, err error) {
	r.taking.Lock()
	defer r.taking.Unlock()
	offset := int64(0)
	if m, ok := r.times.LastWhere(func(m jobdir.Moment) bool { return r.since(m) <= after }); ok {
		offset, _ = r.momentEnd(ctx, m)
	}
	p, err := r.playedTo(ctx, offset)
	if err != nil {
		return 0, false, err
	}
	before := re.MatchString(p.term.Text())
	for {
		f, err := p.next(ctx)
		if err != nil {
			return 0, false, err
		}
		now := re.MatchString(p.term.Text())
		if now && !before {
			return f.At, true, nil
		}
		if f.End {
			return 0, false, nil
		}
		before = now
	}
}

// PreviousBurst and NextBurst return the time at which output began after a silence of at least
// gap, before or after a time. ok is false if there is none.
func (r *Recording) PreviousBurst(at, gap time.Duration) (burst time.Duration, ok bool) {
	r.bursts(gap, func(began time.Duration) bool {
		if began < at {
			burst, ok = began, true
		}
		return began < at
	})
	return burst, ok
}

// NextBurst is described with PreviousBurst.
func (r *Recording) NextBurst(at, gap time.Duration) (burst time.Duration, ok bool) {
	r.bursts(gap, func(began time.Duration) bool {
		if began > at {
			burst, ok = began, true
		}
		return !ok
	})
	return burst, ok
}

// bursts calls found with the time of each burst until it returns false.
func (r *Recording) bursts(gap time.Duration, found func(began time.Duration) bool) {
	last := -gap
	for m := range r.times.All() {
		at := r.since(m)
		if at-last >= gap && !found(at) {
			return
		}
		last = at
	}
}

// castHeader is the first line of an asciicast (version 2 of asciinema's file format).
type castHeader struct {
	Version   int               `json:"version"`
	Width     int               `json:"width"`
	Height    int               `json:"height"`
	Timestamp int64             `json:"timestamp"` // of the first output, in seconds since 1970
	Title     string            `json:"title,omitempty"`
	Env       map[string]string `json:"env"`
}

// WriteCast writes the recording as asciicast version 2, from its beginning to its present end.
// Characters that are not valid UTF-8 are replaced, because the format is JSON.
func (r *Recording) WriteCast(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	size := r.first.Size
	title := r.job.Name
	err := enc.Encode(castHeader{
		Version:   2,
		Width:     size.Cols,
		Height:    size.Rows,
		Timestamp: r.first.At.Unix(),
		Title:     strings.ToValidUTF8(title, "\uFFFD"),
		Env:       map[string]string{"TERM": "xterm-256color"},
	})
	if err != nil {
		return err
	}
	p := r.begin()
	event := func(at time.Duration, kind, data string) error {
		return enc.Encode([]any{at.Seconds(), kind, data})
	}
	var held []byte // the beginning of a character whose end is in the next frame
	for {
		before := p.offset
		f, err := p.next(ctx)
		if err != nil {
			return err
		}
		if f.Size != size {
			size = f.Size
			if err := event(f.At, "r", strconv.Itoa(size.Cols)+"x"+strconv.Itoa(size.Rows)); err != nil {
				return err
			}
		}
		data := f.Data
		if f.Reset && before < f.Offset { // what was printed at the new size, or after freed bytes
			data = append([]byte("\x1bc"), data...)
		} else if f.Reset {
			data = nil
		}
		data = append(held, data...)
		held = nil
		if n := logfile.IncompleteRune(data); n > 0 && !f.End {
			held = append(held, data[len(data)-n:]...)
			data = data[:len(data)-n]
		}
		if len(data) > 0 {
			if err := event(f.At, "o", strings.ToValidUTF8(string(data), "\uFFFD")); err != nil {
				return err
			}
		}
		if f.End {
			return out.Flush()
		}
	}
}
