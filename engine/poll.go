package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// maxPoll bounds the output of one poll; the next one goes on.
const maxPoll = 1 << 20

// Poll is what a client has not yet seen of a job.
type Poll struct {
	Job Job
	// Output is what came since: of a job with separate streams stdout's part,
	// then stderr's.
	Output  []byte
	Cursor  int64 // where the next poll goes on
	Dropped int64 // bytes between the cursors that are gone
	More    bool  // there is more to read at once
}

// Poll returns what the job printed since the last poll of client, and how it
// stands. Without news it waits that long at most for output or the end. When ctx
// is done first nothing counts as read.
func (e *Engine) Poll(ctx context.Context, id ID, client string, wait time.Duration) (Poll, error) {
	if client == "" {
		client = e.cfg.client
	}
	dir := e.root.Dir(string(id))
	if _, err := e.record(id); err != nil {
		return Poll{}, err
	}
	from := jobdir.ReadCursor(dir, client)
	p, to, err := e.pollFrom(ctx, id, from, wait)
	if err != nil {
		return p, err
	}
	if to != from {
		if err := jobdir.WriteCursor(dir, client, to); err != nil {
			return p, fault("poll", p.Job, fmt.Errorf("keep the cursor of %q: %w", client, err))
		}
	}
	return p, nil
}

// PollAt is Poll from a cursor that the caller keeps: 0, or what the poll before
// returned. ErrUnsupported for a job with separate streams, which needs two.
func (e *Engine) PollAt(ctx context.Context, id ID, cursor int64, wait time.Duration) (Poll, error) {
	if cursor < 0 {
		return Poll{}, invalid("poll", "a negative cursor", "0 is the beginning")
	}
	rec, err := e.record(id)
	if err != nil {
		return Poll{}, err
	}
	if rec.Meta.Split {
		return Poll{}, &Error{
			Op: "poll", Job: id, Err: fmt.Errorf("%w: one cursor for separate streams", ErrUnsupported),
			Hint: "poll it as a client, or read its stdout and stderr",
		}
	}
	p, _, err := e.pollFrom(ctx, id, jobdir.Cursor{Output: cursor}, wait)
	return p, err
}

// pollFrom reads what is behind the cursor, after waiting for something to be.
func (e *Engine) pollFrom(ctx context.Context, id ID, from jobdir.Cursor, wait time.Duration) (Poll, jobdir.Cursor, error) {
	p, to, err := e.drain(ctx, id, from)
	if err != nil || wait <= 0 || to != from || p.Job.Status.Finished() {
		return p, to, err
	}
	soon, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	f, release, err := e.follow(soon, id)
	if err != nil {
		return p, to, err
	}
	defer release()
	for {
		j, changed := f.now()
		if j.Status.Finished() || j.Output > from.Output+from.Errors {
			// What is seen is in the log, and the end comes after all output.
			if p, to, err = e.drain(ctx, id, from); err != nil || to != from || p.Job.Status.Finished() {
				return p, to, err
			}
		}
		select {
		case <-changed:
		case <-soon.Done():
			if err := ctx.Err(); err != nil {
				return p, from, err
			}
			return e.drain(ctx, id, from)
		}
	}
}

// drain reads what there is behind the cursor now. How the job stands is looked
// at first, so that an end is reported only with, or after, its last output.
func (e *Engine) drain(ctx context.Context, id ID, from jobdir.Cursor) (Poll, jobdir.Cursor, error) {
	j, err := e.read(ctx, id)
	if err != nil {
		return Poll{}, from, err
	}
	p, to := Poll{Job: j}, from
	for _, s := range streamsOf(j) {
		at := &to.Output
		if s == StreamStderr {
			at = &to.Errors
		}
		if err := e.drainStream(ctx, id, s, at, &p); err != nil {
			return p, from, err
		}
	}
	p.Cursor = to.Output + to.Errors
	return p, to, nil
}

func (e *Engine) drainStream(ctx context.Context, id ID, s Stream, at *int64, p *Poll) error {
	out, done, err := e.output(ctx, id, s)
	if err != nil {
		return err
	}
	defer done()
	src := source{out}
	size, err := src.Size(ctx)
	if err != nil {
		return err
	}
	*at = min(*at, size)
	hole, err := src.Hole(ctx)
	if err != nil {
		return err
	}
	end := size
	if room := int64(maxPoll - len(p.Output)); end-*at > room {
		end = *at + room
		if !hole.Empty() && *at < hole.End && end > hole.Start { // the hole costs no room
			end = min(size, end+hole.End-max(hole.Start, *at))
		}
		p.More = p.More || end < size
	}
	b, next, err := readAll(ctx, src, *at, end)
	if err != nil {
		return err
	}
	p.Output = append(p.Output, b...)
	p.Dropped += next - *at - int64(len(b))
	*at = next
	return nil
}
