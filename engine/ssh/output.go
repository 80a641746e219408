package ssh

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

const (
	smallBlock = 64 << 10
	largeBlock = 1 << 20 // read at once by a caller that reads on
	maxKept    = 8 << 20 // bytes kept of each output, in blocks
	// sizeFor is how long a size counts as current; watchedFor while looks at the job update it: on
	// a connection with a high latency a request beside them would delay them.
	sizeFor    = 50 * time.Millisecond
	watchedFor = time.Second
)

// OpenOutput implements [engine.Run]. No part of the log is transferred before it is read, but on a
// host that is connected the session for that is opened.
func (r *Run) OpenOutput(_ context.Context, s engine.Stream) (engine.Output, error) {
	r.h.prepare(bulk)
	r.h.uses(r.rec.ID, 0, 1)
	return &output{r: r, name: s.File()}, nil
}

// output reads one log of a job on a host by absolute offset. Logs only grow, so a few blocks that
// were read are cached; if a log gets shorter it was replaced, and the cache is dropped.
type output struct {
	r    *Run
	name string

	mu     sync.Mutex // guards what follows; held over a request
	size   int64
	holes  []engine.Range
	at     time.Time // when size was asked for
	stage  logStage  // by then
	zeros  bool      // read since: they may have been freed just before
	blocks []block   // the one used last is last
	next   int64     // where the last read ended
	closed bool
}

type block struct {
	off  int64
	data []byte
}

func (o *output) Size(ctx context.Context) (int64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.refresh(ctx)
	return o.size, err
}

func (o *output) Holes(ctx context.Context) ([]engine.Range, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.refresh(ctx)
	return o.holes, err
}

// refresh updates size and holes. They are at least as new as the last look at the job: a caller
// that was notified of more output can read it.
func (o *output) refresh(ctx context.Context) error {
	if o.stage == logsFinal {
		return nil
	}
	r := o.r
	r.h.pollSoon(r.rec.ID)
	if f := r.h.logsOf(r.rec.ID); !o.zeros {
		good := sizeFor
		if f.watchers > 0 {
			good = watchedFor
		}
		further := f.entry != nil && stageOf(f.entry) > o.stage
		newer := f.entry != nil && f.at.After(o.at)
		switch {
		case further, newer && time.Since(f.at) < good:
			return o.take(f.entry, f.at)
		case time.Since(o.at) < good:
			return nil
		}
	}
	e, at, err := r.entry(ctx)
	if err != nil {
		return err
	}
	r.h.found(r.rec.ID, e, at) // also for the other stream
	return o.take(e, at)
}

// entry requests what the host has of the job now.
func (r *Run) entry(ctx context.Context) (*recipe.Entry, time.Time, error) {
	if isHeld(&r.rec) {
		return r.h.heldEntry(ctx, r.rec)
	}
	dir, err := r.dir(ctx, false)
	if err != nil {
		return nil, time.Time{}, err
	}
	a, err := r.h.ask(ctx, quick, recipe.List(path.Dir(dir), []string{remoteID(dir)}), askOptions{})
	if err != nil {
		return nil, time.Time{}, err
	}
	e := recipe.ParseList(a.Out).Jobs[remoteID(dir)]
	switch {
	case e == nil:
		return nil, time.Time{}, engine.ErrNotFound
	case e.Held: // which the record does not know: it was found on the host, and not looked at since
		return r.h.heldEntry(ctx, r.rec)
	}
	return e, time.Now(), nil
}

// logStage is how far a job has progressed, as far as its logs are concerned. It only increases, so
// of two looks at a job that overlap, the one that found the higher stage is the later one.
type logStage int

const (
	logsGrow  logStage = iota
	logsOver           // the job has ended; processes that it left may print
	logsFinal          // they no longer grow
)

func stageOf(e *recipe.Entry) logStage {
	switch {
	case e == nil, !e.Over:
		return logsGrow
	case e.Group, len(e.Left) > 0:
		return logsOver
	}
	return logsFinal
}

// take notes what a look at the job found. If the job has replaced its log by something that is not
// a regular file, that is not read.
func (o *output) take(e *recipe.Entry, at time.Time) error {
	if slices.Contains(e.Strange, o.name) {
		return fmt.Errorf("%s on %s: %w", o.name, o.r.h.name, plainfile.ErrNotRegular)
	}
	if stageOf(e) < o.stage {
		return nil
	}
	size := e.Sizes[o.name]
	if size < o.size {
		o.blocks = nil
	}
	o.size, o.at, o.zeros, o.stage = size, at, false, stageOf(e)
	o.holes = nil
	if hole, ok := e.Holes[o.name]; ok {
		o.holes = []engine.Range{hole}
	}
	return nil
}

func (o *output) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if off >= o.size {
		if err := o.refresh(ctx); err != nil {
			return 0, err
		}
	}
	done := 0
	for done < len(p) && off < o.size {
		n := o.fromBlocks(p[done:], off)
		if n == 0 {
			if err := o.load(ctx, off, len(p)-done); err != nil {
				return done, err
			}
			if n = o.fromBlocks(p[done:], off); n == 0 {
				break // shorter than reported
			}
		}
		done += n
		off += int64(n)
	}
	o.next = off
	if done < len(p) {
		return done, io.EOF
	}
	return done, nil
}

// fromBlocks copies cached bytes at off to p.
func (o *output) fromBlocks(p []byte, off int64) int {
	for i, b := range o.blocks {
		if off >= b.off && off < b.off+int64(len(b.data)) {
			o.blocks = append(append(o.blocks[:i:i], o.blocks[i+1:]...), b)
			return copy(p, b.data[off-b.off:])
		}
	}
	return 0
}

// load fetches a block that begins at off or shortly before.
func (o *output) load(ctx context.Context, off int64, want int) error {
	n := max(smallBlock, min(want, largeBlock))
	if off == o.next && off > 0 {
		n = largeBlock
	}
	n = int(min(int64(n), o.size-off))
	dir, err := o.r.dir(ctx, false)
	if err != nil {
		return err
	}
	data, before, err := o.r.fetch(ctx, path.Join(dir, o.name), off, n)
	if err != nil {
		return err
	}
	start := off - int64(before)
	if int64(len(data)) > o.size-start {
		data = data[:o.size-start] // what has come since is not looked at yet
	}
	if len(data) <= before {
		return nil
	}
	o.zeros = o.zeros || bytes.IndexByte(data, 0) >= 0
	o.blocks = append(o.blocks, block{start, data})
	kept := 0
	for i, b := range slices.Backward(o.blocks) {
		if kept += len(b.data); kept > maxKept {
			o.blocks = slices.Clone(o.blocks[i+1:])
			break
		}
	}
	return nil
}

// Times returns what reads the times of the log, and how far the clock here is ahead of that of the host; nil for a job
// without a holder, which has none.
func (o *output) Times() (times engine.Output, ahead time.Duration) {
	if !isHeld(&o.r.rec) {
		return nil, 0
	}
	h := o.r.h
	h.uses(o.r.rec.ID, 0, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	return &output{r: o.r, name: jobdir.TimesFile}, h.held.skew
}

func (o *output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.r.h.uses(o.r.rec.ID, 0, -1)
	}
	o.blocks, o.closed = nil, true
	return nil
}
