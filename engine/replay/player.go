package replay

import (
	"context"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/vt"
)

// begin returns a player at the beginning.
func (r *Recording) begin() player {
	return player{r: r, term: vt.New(r.first.Size.Cols, r.first.Size.Rows), size: r.first.Size}
}

// player runs the emulator over the log.
type player struct {
	r      *Recording
	term   *vt.Terminal
	size   engine.Size
	offset int64
	at     time.Duration
}

// frame returns the screen as it is.
func (p *player) frame() Frame {
	return Frame{Reset: true, Data: p.term.Snapshot(0), Size: p.size, At: p.at, Offset: p.offset}
}

// next processes the output of the next moment.
func (p *player) next(ctx context.Context) (Frame, error) {
	if err := p.r.times.Refresh(ctx); err != nil {
		return Frame{}, err
	}
	m, ok := p.r.times.At(p.offset)
	if !ok {
		m = p.r.first
	}
	end, _ := p.r.momentEnd(ctx, m)
	return p.upTo(ctx, end)
}

// pieceOfReplay bounds what is read at once.
const pieceOfReplay = 1 << 20

// upTo processes output up to an offset, at most to the next change of the size. A frame after a
// change of the size, or after bytes that the log limit has freed, is a snapshot.
func (p *player) upTo(ctx context.Context, offset int64) (Frame, error) {
	reset := p.resize()
	size, err := p.r.log.Size(ctx)
	if err != nil {
		return Frame{}, err
	}
	offset = min(offset, p.offset+pieceOfReplay, size)
	if m, ok := p.r.times.Resized(p.offset, offset, p.size); ok {
		offset = m.Offset
	}
	if m, ok := p.r.times.At(p.offset); ok {
		p.at = p.r.since(m)
	}
	var data []byte
	if offset > p.offset {
		holes, err := p.r.log.Holes(ctx)
		if err != nil {
			return Frame{}, err
		}
		for _, h := range holes {
			if p.offset < h.End && offset > h.Start {
				if p.offset < h.Start {
					offset = h.Start
					break
				}
				p.offset, offset = h.End, max(offset, h.End)
				p.term, reset = vt.New(p.size.Cols, p.size.Rows), true
				p.resize()
			}
		}
		if data, err = p.r.log.Bytes(ctx, p.offset, offset); err != nil {
			return Frame{}, err
		}
		p.term.Write(data)
		p.offset = offset
	}
	p.r.keep(p)
	f := Frame{Data: data, Size: p.size, At: p.at, Offset: p.offset}
	if reset {
		f = p.frame()
	}
	f.End = p.offset >= size
	return f, nil
}

// resize applies the sizes recorded at the current offset. It reports whether there were any.
func (p *player) resize() (changed bool) {
	for _, size := range p.r.times.Sizes(p.offset) {
		if size != p.size && size.Cols > 0 && size.Rows > 0 {
			p.term.Resize(size.Cols, size.Rows)
			p.size, changed = size, true
		}
	}
	return changed
}

const (
	// checkpointEvery is the least number of bytes of the log between two checkpoints. The emulator
	// processes them in a few milliseconds.
	checkpointEvery = 256 << 10
	// maxCheckpoints bounds the memory of all checkpoints of a replay in bytes: when it is reached,
	// every second one is dropped.
	maxCheckpoints = 16 << 20
)

// checkpoints are states of the terminal at some offsets, from which a seek continues.
type checkpoints struct {
	all   []checkpoint // by offset
	bytes int
	every int64 // 0: checkpointEvery
}

type checkpoint struct {
	offset   int64
	at       time.Duration
	size     engine.Size
	snapshot []byte
}

// keep adds a checkpoint of a player that is far enough from the last one.
func (r *Recording) keep(p *player) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &r.points
	last := int64(0)
	if n := len(c.all); n > 0 {
		last = c.all[n-1].offset
	}
	if p.offset-last < max(c.every, checkpointEvery) {
		return
	}
	snapshot := p.term.Snapshot(0)
	c.all = append(c.all, checkpoint{p.offset, p.at, p.size, snapshot})
	c.bytes += len(snapshot)
	for c.bytes > maxCheckpoints && len(c.all) > 1 {
		c.thin()
	}
}

// thin drops every second checkpoint.
func (c *checkpoints) thin() {
	kept := c.all[:0]
	c.bytes = 0
	for i, point := range c.all {
		if i%2 == 0 {
			kept = append(kept, point)
			c.bytes += len(point.snapshot)
		}
	}
	clear(c.all[len(kept):])
	c.all = kept
	c.every = 2 * max(c.every, checkpointEvery)
}

// nearest returns a player at the last known state at or before an offset.
func (r *Recording) nearest(offset int64) player {
	c, ok := r.checkpointBefore(offset)
	if !ok {
		return r.begin()
	}
	return r.from(c)
}

// from returns a player at a checkpoint.
func (r *Recording) from(c checkpoint) player {
	p := player{r: r, term: vt.New(c.size.Cols, c.size.Rows), size: c.size, offset: c.offset, at: c.at}
	p.term.Write(c.snapshot)
	return p
}

// checkpointBefore returns the last checkpoint at or before an offset; ok is false if there is none.
func (r *Recording) checkpointBefore(offset int64) (c checkpoint, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, found := slices.BinarySearchFunc(r.points.all, offset, func(c checkpoint, off int64) int {
		switch {
		case c.offset < off:
			return -1
		case c.offset > off:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	if i < 0 {
		return c, false
	}
	return r.points.all[i], true
}

const (
	// farFromEnd is how many bytes before the end of the log it is worth asking for the last screen.
	// The emulator processes fewer in less time.
	farFromEnd = 4 * checkpointEvery
	// lastScreenWithin limits how long the holder of a running job may take to answer.
	lastScreenWithin = time.Second
)

// moveToLastScreen moves to the end of the recording, without the emulator running over the log, if
// that would take long. to is the size of the log when the recording was read; that of a running job
// may have grown.
func (r *Recording) moveToLastScreen(ctx context.Context, to int64) (f Frame, ok bool) {
	if c, _ := r.checkpointBefore(to); to-c.offset < farFromEnd {
		return f, false
	}
	c, err := r.lastScreen(ctx)
	if err != nil || c.offset < to {
		return f, false
	}
	if min(c.size.Cols, c.size.Rows) <= 0 {
		return f, false
	}
	if size, err := r.log.Size(ctx); err != nil || c.offset > size {
		return f, false
	}
	r.player = r.from(c)
	return r.player.frame(), true
}

// lastScreen returns the state of a job's terminal: from its holder, or if the job has ended, as the
// holder recorded it.
func lastScreen(ctx context.Context, h *engine.Handle, dir string) (checkpoint, error) {
	ctx, cancel := context.WithTimeout(ctx, lastScreenWithin)
	defer cancel()
	term, err := h.Terminal(ctx, engine.TerminalOptions{})
	if err != nil {
		offset, size, snapshot, err := holder.SavedScreen(dir)
		return checkpoint{offset: offset, size: size, snapshot: snapshot}, err
	}
	defer term.Close()
	for {
		c, err := term.Next(ctx)
		if err != nil || c.Reset {
			return checkpoint{offset: c.Offset, size: c.Size, snapshot: c.Data}, err
		}
	}
}
