package engine

import (
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

// Poll returns what the job has printed since the last poll of client, and the job's state. If
// nothing is new, it blocks for at most wait, until there is output or the job ends. If ctx is done
// first, nothing counts as read; otherwise everything returned does, unless the error matches
// ErrUnkept. Callers whose delivery can fail use [Handle.PollTo]. With several concurrent polls of
// one client, here or in other processes, each byte goes to one of them. An empty client means the
// engine's own name.
func (h *Handle) Poll(ctx context.Context, client string, wait time.Duration) (got Poll, err error) {
	err = h.PollTo(ctx, client, wait, func(p *Poll) error {
		got = *p
		p.More = false
		return nil
	})
	return got, err
}

// PollAt is like Poll, from a cursor that the caller keeps: 0, or the result of the previous poll.
func (h *Handle) PollAt(ctx context.Context, cursor int64, wait time.Duration) (Poll, error) {
	if cursor < 0 {
		return Poll{}, invalid("poll", "a negative cursor", "0 is the beginning")
	}
	p, err := h.drain(ctx, cursor)
	if err != nil || wait <= 0 || p.isNew(cursor) {
		return p, err
	}
	soon, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var failed error
	_, err = h.waitUntil(soon, nil, func(j Job) bool {
		if j.Output > cursor { // the log already has everything that was reported
			p, failed = h.drain(ctx, cursor)
		}
		return failed != nil || p.isNew(cursor)
	})
	switch {
	case failed != nil || p.isNew(cursor):
		return p, failed
	case err == nil, soon.Err() != nil && ctx.Err() == nil: // the end comes after all output
		return h.drain(ctx, cursor)
	}
	return p, err
}

// isNew reports whether p has anything that a poll from cursor waits for.
func (p *Poll) isNew(cursor int64) bool { return p.Cursor != cursor || p.Job.Status.Finished() }

// drain reads what is available after the cursor. It reads the job's state first, so that an end is
// reported only with or after the last output.
func (h *Handle) drain(ctx context.Context, cursor int64) (Poll, error) {
	j, err := h.e.read(ctx, h.id)
	if err != nil {
		return Poll{}, err
	}
	p := Poll{Job: j, Cursor: cursor}
	var logs []source
	for _, s := range j.Streams() {
		out, _, err := h.openOutput(ctx, s)
		if err != nil {
			return p, err
		}
		defer out.Close()
		logs = append(logs, source{out})
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
func (e *Engine) drainSplit(ctx context.Context, stdout, stderr source, p *Poll) error {
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
func wholeSize(ctx context.Context, log source, ended bool) (int64, error) {
	size, err := log.Size(ctx)
	if err != nil || size == 0 || ended {
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
func drainStream(ctx context.Context, src source, off, end int64, last bool, p *Poll) (next int64, err error) {
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
	b, next, err := readAll(ctx, src, off, stop)
	if err != nil {
		return off, err
	}
	if (p.More || last && !p.Job.Status.Finished()) && next-off == int64(len(b)) {
		n := logfile.IncompleteSuffix(b)
		b, next = b[:len(b)-n], next-int64(n)
	}
	p.Output = append(p.Output, b...)
	p.Dropped += next - off - int64(len(b))
	return next, nil
}

// PollTo is like Poll for a caller that passes the output on. It calls deliver with pieces, the
// last of which has More unset. The output counts as read only when deliver has returned nil for
// the last piece, so whatever ends this program, some output may be delivered twice but none is
// lost. Meanwhile other polls of client wait, and fail after a few seconds. To leave output for the
// next poll, deliver unsets More or moves Cursor back.
//
// PollTo returns the error of deliver, which ends the poll. The error matches ErrUnkept if
// everything was delivered but the cursor could not be saved, as on a full or read-only disk.
func (h *Handle) PollTo(ctx context.Context, client string, wait time.Duration, deliver func(*Poll) error) error {
	if client == "" {
		client = h.e.cfg.client
	}
	dir := h.e.root.Dir(string(h.id))
	if _, err := h.e.record(h.id); err != nil {
		return err
	}
	for began := time.Now(); ; {
		from := jobdir.ReadCursor(dir, client)
		p, err := h.PollAt(ctx, from, max(0, wait-time.Since(began)))
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
				Op: "poll", Job: h.id, Err: fmt.Errorf("another poll of %q is still delivering its output", client),
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
		if p, err = e.Handle(p.Job.ID).PollAt(ctx, p.Cursor, 0); err != nil {
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
