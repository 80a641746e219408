package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

// maxPoll bounds the output of one poll, in bytes; the next poll returns the rest.
const maxPoll = 1 << 20

// cursorTimeout is how long to wait for other polls of the same client to record what they have
// read.
const cursorTimeout = 5 * time.Second

// Poll is the part of a job that a client has not seen yet.
type Poll struct {
	Job Job
	// Output is the new output. For a job with separate streams it has both, in the order in which
	// they were first seen. An incomplete character or escape sequence at its end is left for the
	// next poll, unless the job has ended.
	Output []byte
	// Parts lists, for a job with separate streams, the parts of Output, in order.
	Parts   []PollPart
	Cursor  int64 // where the next poll continues
	Dropped int64 // bytes between the cursors that were dropped
	More    bool  // more output is available immediately
}

// PollPart is a part of the output of one poll.
type PollPart struct {
	Stream Stream
	Bytes  int
}

// PollOptions are options of [Handle.Poll]: for which client it reads, and how long it waits.
type PollOptions struct {
	// Client is the name of the reader, which gets what the job has printed since its last poll. Empty: the
	// client of this engine. If several polls of one client run at the same time, here or in other
	// processes, each byte goes to one of them.
	Client string
	// Cursor is where to read instead, for a caller that keeps its cursor: 0, or the Cursor of the
	// previous poll. Nothing is recorded then. nil: after the last poll of Client.
	Cursor *int64
	// Wait is how long to wait for output or the end, if nothing is new.
	Wait time.Duration
	// Deliver receives the output, in pieces, the last of which has More unset. It counts as read only
	// when Deliver has returned nil for the last piece, so whatever ends this program, some output may
	// be delivered twice but none is lost. Meanwhile other polls of Client wait, and fail after a few
	// seconds. To leave output for the next poll, Deliver unsets More or moves Cursor back. nil: the
	// first piece is returned, and counts as read.
	Deliver func(*Poll) error
}

// Poll returns what the job has printed since the last poll of a client, at most one MiB, and the job
// as it is after that. If ctx is done first, nothing counts as read.
//
// With Deliver, it returns the last piece, and the error of Deliver ends the poll. The error matches
// ErrUnkept if everything was delivered but the cursor could not be saved, as on a full or read-only
// disk.
func (h *Handle) Poll(ctx context.Context, o PollOptions) (got Poll, err error) {
	if o.Cursor != nil {
		if o.Deliver != nil {
			return Poll{}, invalid("poll", "both a cursor and a function that delivers", "use the result: nothing is recorded")
		}
		return h.pollAt(ctx, *o.Cursor, o.Wait)
	}
	err = h.pollTo(ctx, cmp.Or(o.Client, h.e.cfg.client), o.Wait, func(p *Poll) (err error) {
		if o.Deliver != nil {
			err = o.Deliver(p)
		}
		got = *p
		if o.Deliver == nil {
			p.More = false
		}
		return err
	})
	return got, err
}

// pollAt is Poll from a cursor.
func (h *Handle) pollAt(ctx context.Context, cursor int64, wait time.Duration) (Poll, error) {
	if cursor < 0 {
		return Poll{}, invalid("poll", "a negative cursor", "0 is the beginning")
	}
	p, err := h.drain(ctx, cursor, true)
	if err != nil || wait <= 0 || p.isNew(cursor) {
		return p, err
	}
	soon, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var failed error
	decided := func() bool { return failed != nil || p.isNew(cursor) }
	_, err = h.waitUntil(soon, nil, func(j Job) bool {
		if j.Output > cursor { // the log already has everything that was reported
			p, failed = h.drain(ctx, cursor, false)
		}
		return decided()
	})
	switch {
	case decided():
		return p, failed
	case err == nil, soon.Err() != nil && ctx.Err() == nil: // the end comes after all output
		return h.drain(ctx, cursor, false)
	}
	return p, err
}

// isNew reports whether p has anything that a poll from cursor waits for.
func (p *Poll) isNew(cursor int64) bool { return p.Cursor != cursor || p.Job.Status.Finished() }

// drain reads what is available after the cursor. It reads the job's state first, so that an end is
// reported only with or after the last output. verify is as in [Record].
func (h *Handle) drain(ctx context.Context, cursor int64, verify bool) (Poll, error) {
	j, err := h.e.look(ctx, h.id, verify)
	if err != nil {
		return Poll{}, err
	}
	p := Poll{Job: j, Cursor: cursor}
	var logs []jobdir.Source
	for _, s := range j.Streams() {
		out, _, err := h.openOutput(ctx, s)
		if err != nil {
			return p, err
		}
		defer out.Close()
		logs = append(logs, jobdir.Source{Output: out})
	}
	if j.Split {
		err := h.e.drainSplit(ctx, logs[0], logs[1], &p)
		return p, err
	}
	size, err := logs[0].Size(ctx)
	if err != nil {
		return p, err
	}
	p.Cursor = min(p.Cursor, size)
	p.Cursor, err = drainStream(ctx, logs[0], p.Cursor, size, true, &p)
	return p, err
}

// drainSplit reads both streams in the one order that all clients share.
func (e *Engine) drainSplit(ctx context.Context, stdout, stderr jobdir.Source, p *Poll) error {
	var now jobdir.Mark
	var err error
	if now.Out, err = wholeSize(ctx, stdout, p.Job.Status.Finished()); err != nil {
		return err
	}
	if now.Err, err = wholeSize(ctx, stderr, p.Job.Status.Finished()); err != nil {
		return err
	}
	marks, err := jobdir.Interleave(e.root.Dir(string(p.Job.ID)), now)
	if err != nil && p.Job.Status.Finished() { // the order cannot change any more
		marks, err = jobdir.Order(e.root.Dir(string(p.Job.ID)), now)
	}
	if err != nil {
		return opError("poll", p.Job, fmt.Errorf("record the order of the streams: %w", err))
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
		log := stdout
		if part.stream == StreamStderr {
			log = stderr
		}
		next, err := drainStream(ctx, log, part.start, part.end, false, p)
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

// wholeSize returns the size of a stream. Unless the job has ended, it excludes an incomplete character
// or escape sequence at the end, because output of the other stream would be inserted into it.
func wholeSize(ctx context.Context, log jobdir.Source, ended bool) (int64, error) {
	size, err := log.Size(ctx)
	switch {
	case err != nil, size == 0, ended:
		return size, err
	}
	end := make([]byte, min(size, logfile.MaxIncomplete))
	n, err := log.ReadAt(ctx, end, size-int64(len(end)))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return size - int64(logfile.IncompleteSuffix(end[:n])), err
}

// part is a range of one of two streams in the order that all clients share.
type part struct {
	stream     Stream
	start, end int64 // in the stream
	at         int64 // position of start in that order
}

// drainStream appends the bytes of one stream from off to end to p, as far as there is room. If
// last is set, the stream may end within a character. next is the offset after the last byte read.
func drainStream(ctx context.Context, src jobdir.Source, off, end int64, last bool, p *Poll) (next int64, err error) {
	hole, err := src.Hole(ctx)
	if err != nil {
		return off, err
	}
	stop := end
	if room := int64(maxPoll - len(p.Output)); stop-off > room {
		stop = off + room
		if !hole.Empty() && off < hole.End && stop > hole.Start { // the hole takes no room
			stop = min(end, stop+hole.End-max(hole.Start, off))
		}
		p.More = stop < end
	}
	b, next, err := logfile.ReadAll(ctx, src, off, stop)
	if err != nil {
		return off, err
	}
	moreFollows := p.More || last && !p.Job.Status.Finished()
	if moreFollows && next-off == int64(len(b)) {
		n := logfile.IncompleteSuffix(b)
		b, next = b[:len(b)-n], next-int64(n)
	}
	p.Output = append(p.Output, b...)
	p.Dropped += next - off - int64(len(b))
	return next, nil
}

// pollTo delivers what client has not read, in pieces.
func (h *Handle) pollTo(ctx context.Context, client string, wait time.Duration, deliver func(*Poll) error) error {
	dir := h.e.root.Dir(string(h.id))
	if _, err := h.e.record(h.id); err != nil {
		return err
	}
	for began := time.Now(); ; {
		from := jobdir.ReadCursor(dir, client)
		p, err := h.pollAt(ctx, from, max(0, wait-time.Since(began)))
		if err != nil {
			return err
		}
		if p.Cursor == from {
			return deliver(&p)
		}
		turn, lockErr := jobdir.LockCursor(dir, client)
		switch {
		case errors.Is(lockErr, jobdir.ErrLocked) && time.Since(began) < wait+cursorTimeout:
			continue
		case errors.Is(lockErr, jobdir.ErrLocked):
			return &Error{
				Op:   "poll",
				Job:  h.id,
				Err:  fmt.Errorf("another poll of %q is still delivering its output", client),
				Hint: "wait until it is done, or poll as another client",
			}
		case lockErr == nil && jobdir.ReadCursor(dir, client) != from:
			turn.Close()
			continue
		case lockErr == nil:
			defer turn.Close()
		}
		to, err := h.e.deliverFrom(ctx, p, deliver)
		if err == nil {
			err = lockErr
			if err == nil {
				err = jobdir.WriteCursor(dir, client, to)
			}
			err = unkept(p.Job, client, err)
		}
		return err
	}
}

// deliverFrom delivers p and the output after it, and returns the final cursor.
func (e *Engine) deliverFrom(ctx context.Context, p Poll, deliver func(*Poll) error) (to int64, err error) {
	for {
		if err := deliver(&p); err != nil || !p.More {
			return p.Cursor, err
		}
		if p, err = e.Handle(p.Job.ID).drain(ctx, p.Cursor, false); err != nil {
			return p.Cursor, err
		}
	}
}

// unkept returns the error of a poll whose cursor could not be saved because of err, or nil if err
// is nil.
func unkept(j Job, client string, err error) error {
	if err == nil {
		return nil
	}
	return opError("poll", j, fmt.Errorf("%w by %q: %w", ErrUnkept, client, err))
}
