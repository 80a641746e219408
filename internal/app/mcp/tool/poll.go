package tool

import (
	"context"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

const (
	maxPoll = 30 * time.Second
	// endWait is how long a poll with output waits for the end of the job.
	endWait = 50 * time.Millisecond
	// maxDrain is how many bytes one poll reads at most, of a job that prints without end.
	maxDrain = 64 << 20
	// maxHeld is the length in bytes from which an incomplete line is filtered as it stands.
	maxHeld = 1 << 20
)

// poll returns the output since the last poll and reports the end of the job.
func (t *Tools) poll(ctx context.Context, j engine.Job, in ProcessArgs) (*Answer, error) {
	wait, note := time.Duration(0), ""
	if in.Timeout != nil {
		wait, note = clamped("timeout", *in.Timeout, 0, maxPoll)
	}
	keep, err := newLineFilter(in.Filter, in.Exclude)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	var got drained
	for {
		if rest := wait - time.Since(began); rest > 0 {
			if err := t.awaitNews(ctx, j, got.Cursor+got.held, rest); err != nil {
				return nil, Failed(j, "poll", err)
			}
		}
		if got, err = t.drain(ctx, j, keep); err != nil {
			return nil, Failed(j, "poll", err)
		}
		// Output that was filtered out does not end the waiting.
		if !got.text.empty() || got.Job.Status.Finished() || time.Since(began) >= wait {
			break
		}
	}
	ans := t.pollAnswer(got)
	ans.AddNotice(note)
	return ans, nil
}

func (t *Tools) pollAnswer(got drained) *Answer {
	j, text := got.Job, got.text
	ended := j.Status.Finished()
	ans := About(j, time.Now())
	ans.Body = text
	ans.Cursor, ans.DroppedBytes = &got.Cursor, got.dropped
	if got.dropped > 0 {
		ans.AddNoticef("%s of the output were dropped by the log's limit", units.FormatBytes(got.dropped))
	}
	if got.more {
		ans.AddNoticef("there is more to read at once: %s", Call("poll", j.ID))
	}
	if got.held > 0 {
		ans.AddNoticef("its last line has %s so far and no end: it is filtered once it is complete; %s shows it now", units.Count(int(got.held), "byte"), Call("poll", j.ID))
	}
	idle, polls := t.readings.polled(j.ID, !text.empty())
	switch {
	case ended && text.empty():
		ans.AddNoticef("no new output; it has ended")
	case ended:
	case idle > 0:
		ans.AddNoticef("nothing new; poll again in %s", units.FormatTook(retryAfter(idle)))
	case polls >= manyPolls:
		ans.AddNoticef("this was poll %d of a running job; %s returns when it ends, until:\"REGEX\" when a line matches", polls, Call("wait", j.ID))
	}
	if !ended {
		ans.AddNotice(t.readings.repeated(j, "poll", text.head, text.tail, text.errs()))
	}
	return ans
}

// awaitNews waits at most wait for output after the cursor from, or after the agent's own
// cursor if that is further, or for the end. It reads nothing. The end often follows the
// last output at once, so after output it waits briefly for that too, which saves a poll.
func (t *Tools) awaitNews(ctx context.Context, j engine.Job, from int64, wait time.Duration) error {
	cursor := max(from, t.Notes.Number(string(j.ID), t.Scope.Reader()))
	p, err := t.Eng.Handle(j.ID).Poll(ctx, engine.PollOptions{Cursor: &cursor, Wait: wait})
	if err != nil || p.Job.Status.Finished() || len(p.Output) == 0 {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	_, _ = t.Eng.Handle(j.ID).Wait(soon) // a job that runs on is the usual case
	return ctx.Err()
}

// drained is the result of one read of all new output.
type drained struct {
	engine.Poll         // the last piece, as far as it counts as read
	text        Excerpt // what the filter keeps of all
	dropped     int64
	more        bool  // there is more to read at once
	held        int64 // bytes after the cursor that are left for a later poll
}

// drain reads all new output. A filter cannot judge an incomplete last line, so that line
// is left for the next poll.
func (t *Tools) drain(ctx context.Context, j engine.Job, keep lineFilter) (got drained, err error) {
	sums := map[engine.Stream]*streamSum{}
	for _, s := range j.Streams() {
		sums[s] = &streamSum{t: t, j: j, stream: s, keep: keep}
	}
	newest, run := j.Streams()[0], 0 // of the stream that was read last, bytes in a row
	taken := 0
	_, err = t.Eng.Handle(j.ID).Poll(ctx, engine.PollOptions{Client: t.Scope.Reader(), Deliver: func(p *engine.Poll) error {
		parts, output := p.Parts, p.Output
		if !j.Split {
			parts = []engine.PollPart{{Stream: engine.StreamOutput, Bytes: len(output)}}
		}
		for _, part := range parts {
			if part.Stream != newest {
				newest, run = part.Stream, 0
			}
			run += part.Bytes
			sums[part.Stream].add(ctx, output[:part.Bytes])
			output = output[part.Bytes:]
		}
		taken += len(p.Output)
		got.dropped += p.Dropped
		if got.more = p.More; got.more && taken < maxDrain {
			return nil
		}
		p.More = false
		// An incomplete line of the other stream cannot be left: later output follows it.
		n := len(sums[newest].held)
		canLeave := n > 0 && n <= run && got.dropped == 0
		mayGoOn := got.more || !p.Job.Status.Finished()
		if canLeave && mayGoOn {
			got.held, sums[newest].held = int64(n), nil
			p.Cursor -= got.held
		}
		got.Poll = *p
		return nil
	}})
	if err != nil {
		return got, err
	}
	got.text, err = eachStream(j, func(s engine.Stream) (Excerpt, error) { return sums[s].excerpt(), nil })
	return got, err
}
