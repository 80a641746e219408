package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

// maxPoll bounds the output of one poll; the next one goes on.
const maxPoll = 1 << 20

// cursorPatience is how long the other polls of a client may take to record what
// they have read.
const cursorPatience = 5 * time.Second

// Poll is what a client has not yet seen of a job.
type Poll struct {
	Job Job
	// Output is what came since. Of a job with separate streams it has both, in
	// the order in which they were first seen. A character or an escape sequence
	// at its end whose end is not there yet is left for the next poll, unless the
	// job has ended.
	Output []byte
	// Parts is, of a job with separate streams, what Output consists of, in order.
	Parts   []PollPart
	Cursor  int64 // where the next poll goes on
	Dropped int64 // bytes between the cursors that are gone
	More    bool  // there is more to read at once
}

// PollPart is a part of the output of one poll.
type PollPart struct {
	Stream Stream
	Bytes  int
}

// Poll returns what the job printed since the last poll of client, and how it
// stands. Without news it waits that long at most for output or the end. When ctx
// is done first nothing counts as read; what is returned does, unless the error matches
// ErrUnkept. Who hands it on and may fail to takes [Engine.PollTo]. Of several polls of
// one client at once, here or in other processes, each byte goes to one. An empty
// client is that of the engine.
func (e *Engine) Poll(ctx context.Context, id ID, client string, wait time.Duration) (got Poll, err error) {
	err = e.PollTo(ctx, id, client, wait, func(p *Poll) error {
		got = *p
		p.More = false
		return nil
	})
	return got, err
}

// PollAt is Poll from a cursor that the caller keeps: 0, or what the poll before
// returned.
func (e *Engine) PollAt(ctx context.Context, id ID, cursor int64, wait time.Duration) (Poll, error) {
	if cursor < 0 {
		return Poll{}, invalid("poll", "a negative cursor", "0 is the beginning")
	}
	p, err := e.drain(ctx, id, cursor)
	if err != nil || wait <= 0 || p.news(cursor) {
		return p, err
	}
	soon, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	t, release, err := e.follow(soon, id)
	if err != nil {
		return p, err
	}
	defer release()
	for {
		j, changed, err := t.now()
		if err != nil {
			return p, err
		}
		if j.Status.Finished() || j.Output > cursor {
			// What is seen is in the log, and the end comes after all output.
			if p, err = e.drain(ctx, id, cursor); err != nil || p.news(cursor) {
				return p, err
			}
		}
		select {
		case <-changed:
		case <-soon.Done():
			if err := ctx.Err(); err != nil {
				return p, err
			}
			return e.drain(ctx, id, cursor)
		case <-e.life.Done():
			return p, &Error{Op: "poll", Job: id, Err: ErrClosed}
		}
	}
}

// news reports whether there is anything that a poll from cursor waits for.
func (p *Poll) news(cursor int64) bool { return p.Cursor != cursor || p.Job.Status.Finished() }

// drain reads what there is behind the cursor now. How the job stands is looked
// at first, so that an end is reported only with, or after, its last output.
func (e *Engine) drain(ctx context.Context, id ID, cursor int64) (Poll, error) {
	j, err := e.read(ctx, id)
	if err != nil {
		return Poll{}, err
	}
	p := Poll{Job: j, Cursor: cursor}
	if j.Split {
		err := e.drainSplit(ctx, &p)
		return p, err
	}
	_, size, err := e.ReadOutput(ctx, id, nil, 0)
	if err != nil {
		return p, err
	}
	p.Cursor = min(p.Cursor, size)
	p.Cursor, err = e.drainStream(ctx, StreamOutput, p.Cursor, size, true, &p)
	return p, err
}

// drainSplit reads both streams in the one order that all clients share.
func (e *Engine) drainSplit(ctx context.Context, p *Poll) error {
	var now jobdir.Mark
	for s, size := range map[Stream]*int64{StreamStdout: &now.Out, StreamStderr: &now.Err} {
		var err error
		if *size, err = e.wholeSize(ctx, p.Job, s); err != nil {
			return err
		}
	}
	marks, err := jobdir.Interleave(e.root.Dir(string(p.Job.ID)), now)
	if err != nil && p.Job.Status.Finished() { // nothing comes that could be in another order
		marks, err = jobdir.Order(e.root.Dir(string(p.Job.ID)), now)
	}
	if err != nil {
		return fault("poll", p.Job, fmt.Errorf("keep the order of the streams: %w", err))
	}
	p.Cursor = min(p.Cursor, now.Total())
	var parts []part
	var from jobdir.Mark
	for _, to := range marks {
		for _, part := range []part{
			{StreamStdout, from.Out, to.Out, from.Total()},
			{StreamStderr, from.Err, to.Err, from.Total() + to.Out - from.Out},
		} {
			if part.start += max(p.Cursor-part.at, 0); part.start < part.end {
				parts = append(parts, part)
			}
		}
		from = to
	}
	for _, part := range parts {
		before := len(p.Output)
		next, err := e.drainStream(ctx, part.stream, part.start, part.end, false, p)
		if err != nil {
			return err
		}
		p.Parts = append(p.Parts, PollPart{part.stream, len(p.Output) - before})
		p.Cursor += next - part.start
		if p.More {
			return nil
		}
	}
	return nil
}

// wholeSize is how far a stream reaches, of a job that runs without a character or
// an escape sequence at its end whose end is not there yet: output of the other
// stream would come between.
func (e *Engine) wholeSize(ctx context.Context, j Job, s Stream) (int64, error) {
	_, size, err := e.ReadStream(ctx, j.ID, s, nil, 0)
	if err != nil || size == 0 || j.Status.Finished() {
		return size, err
	}
	end := make([]byte, min(size, logfile.MaxUnfinished))
	n, _, err := e.ReadStream(ctx, j.ID, s, end, size-int64(len(end)))
	return size - int64(logfile.Unfinished(end[:n])), err
}

// part is a range of one of two streams in the order that all clients share.
type part struct {
	stream     Stream
	start, end int64 // in the stream
	at         int64 // where start is in that order
}

// drainStream reads one stream from off to end into p, as far as there is room.
// last says that the stream may be in the middle of a character there. next is
// where it came to.
func (e *Engine) drainStream(ctx context.Context, s Stream, off, end int64, last bool, p *Poll) (next int64, err error) {
	out, done, err := e.output(ctx, p.Job.ID, s)
	if err != nil {
		return off, err
	}
	defer done()
	src := source{out}
	hole, err := src.Hole(ctx)
	if err != nil {
		return off, err
	}
	stop := end
	if room := int64(maxPoll - len(p.Output)); stop-off > room {
		stop = off + room
		if !hole.Empty() && off < hole.End && stop > hole.Start { // the hole costs no room
			stop = min(end, stop+hole.End-max(hole.Start, off))
		}
		p.More = stop < end
	}
	b, next, err := readAll(ctx, src, off, stop)
	if err != nil {
		return off, err
	}
	if (p.More || last && !p.Job.Status.Finished()) && next-off == int64(len(b)) {
		n := logfile.Unfinished(b)
		b, next = b[:len(b)-n], next-int64(n)
	}
	p.Output = append(p.Output, b...)
	p.Dropped += next - off - int64(len(b))
	return next, nil
}
