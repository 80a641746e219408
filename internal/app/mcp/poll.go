package mcp

import (
	"bytes"
	"context"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/units"
)

const (
	maxPoll = 30 * time.Second
	// lastWords is how long a poll with output waits for the end of the job.
	lastWords = 50 * time.Millisecond
	// maxDrain is how many bytes one poll reads at most, of a job that prints without end.
	maxDrain = 64 << 20
	// maxHeld is the length in bytes from which an incomplete line is filtered as it stands.
	maxHeld = 1 << 20
)

// poll returns the output since the last poll and reports the end of the job.
func (a *agent) poll(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	wait, note := time.Duration(0), ""
	if in.Timeout != nil {
		wait, note = clamped("timeout", *in.Timeout, 0, maxPoll)
	}
	keep, err := newLineFilter(in)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	var got drained
	for {
		if rest := wait - time.Since(began); rest > 0 {
			if err := a.awaitNews(ctx, j, got.Cursor+got.held, rest); err != nil {
				return nil, failed(j, "poll", err)
			}
		}
		if got, err = a.drain(ctx, j, keep); err != nil {
			return nil, failed(j, "poll", err)
		}
		// Output that was filtered out does not end the waiting.
		if !got.text.empty() || got.Job.Status.Finished() || time.Since(began) >= wait {
			break
		}
	}
	ans := a.pollAnswer(got)
	ans.addNotice(note)
	return ans, nil
}

func (a *agent) pollAnswer(got drained) *answer {
	j, text := got.Job, got.text
	ended := j.Status.Finished()
	ans := about(j, time.Now())
	ans.body = text
	ans.Cursor, ans.DroppedBytes = &got.Cursor, got.dropped
	if got.dropped > 0 {
		ans.addNoticef("%s of the output were dropped by the log's limit", units.FormatBytes(got.dropped))
	}
	if got.more {
		ans.addNoticef("there is more to read at once: %s", call("poll", j.ID))
	}
	if got.held > 0 {
		ans.addNoticef("its last line has %s so far and no end: it is filtered once it is complete; %s shows it now", units.Count(int(got.held), "byte"), call("poll", j.ID))
	}
	idle, polls := a.reads.polled(j.ID, !text.empty())
	switch {
	case ended && text.empty():
		ans.addNoticef("no new output; it has ended")
	case ended:
	case idle > 0:
		ans.addNoticef("nothing new; poll again in %s", briefly(retryAfter(idle)))
	case polls >= manyPolls:
		ans.addNoticef("this was poll %d of a running job; %s returns when it ends, until:\"REGEX\" when a line matches", polls, call("wait", j.ID))
	}
	ans.addNotice(a.reads.repeated(j, "poll", text.head, text.tail, text.errs()))
	if ended && !got.more {
		a.reads.drop(j.ID)
	}
	return ans
}

// awaitNews waits at most wait for output after the cursor from, or after the agent's own
// cursor if that is further, or for the end. It reads nothing. The end often follows the
// last output at once, so after output it waits briefly for that too, which saves a poll.
func (a *agent) awaitNews(ctx context.Context, j engine.Job, from int64, wait time.Duration) error {
	cursor := max(from, jobdir.ReadCursor(a.jobDir(j.ID), a.scope.reader()))
	p, err := a.eng.PollAt(ctx, j.ID, cursor, wait)
	if err != nil || p.Job.Status.Finished() || len(p.Output) == 0 {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	_, _ = a.eng.Wait(soon, j.ID) // a job that runs on is the usual case
	return ctx.Err()
}

// drained is the result of one read of all new output.
type drained struct {
	engine.Poll         // the last piece, as far as it counts as read
	text        excerpt // what the filter keeps of all
	dropped     int64
	more        bool  // there is more to read at once
	held        int64 // bytes after the cursor that are left for a later poll
}

// drain reads all new output. A filter cannot judge an incomplete last line, so that line
// is left for the next poll.
func (a *agent) drain(ctx context.Context, j engine.Job, keep lineFilter) (got drained, err error) {
	sums := map[engine.Stream]*streamSum{}
	for _, s := range j.Streams() {
		sums[s] = &streamSum{a: a, j: j, stream: s, keep: keep}
	}
	newest, run := j.Streams()[0], 0 // of the stream that was read last, bytes in a row
	taken := 0
	err = a.eng.PollTo(ctx, j.ID, a.scope.reader(), 0, func(p *engine.Poll) error {
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
		if n > 0 && n <= run && got.dropped == 0 && (got.more || !p.Job.Status.Finished()) {
			got.held, sums[newest].held = int64(n), nil
			p.Cursor -= got.held
		}
		got.Poll = *p
		return nil
	})
	if err != nil {
		return got, err
	}
	got.text, err = eachStream(j, func(s engine.Stream) (excerpt, error) { return sums[s].excerpt(), nil })
	return got, err
}

// streamSum collects the output of one stream during a poll.
type streamSum struct {
	gather
	a      *agent
	j      engine.Job
	stream engine.Stream
	keep   lineFilter
	held   []byte // an incomplete last line
	binary string // the notice about binary output
}

// add appends the next bytes. With a filter it holds back an incomplete last line.
func (s *streamSum) add(ctx context.Context, p []byte) {
	p = append(s.held, p...)
	s.held = nil
	if n := s.a.binary(ctx, s.j, s.stream, p); n != "" {
		s.binary = n
		return
	}
	if begin := bytes.LastIndexByte(p, '\n') + 1; s.keep.some() && len(p)-begin <= maxHeld {
		p, s.held = p[:begin], p[begin:]
	}
	s.gather.add(s.keep.lines(clean(p)))
}

func (s *streamSum) excerpt() excerpt {
	s.gather.add(s.keep.lines(clean(s.held)))
	x := s.gather.excerpt()
	if s.binary != "" {
		x.notices = []string{s.binary}
	}
	return x
}

// gather keeps the beginning and the end of a text that arrives in pieces.
type gather struct {
	head, before, last string // the end is before and last; before is dropped once last is long enough
	skipped            int64  // bytes between head and the end
}

func (g *gather) add(piece string) {
	if len(g.head) < maxRead {
		g.head += piece
		return
	}
	if len(g.last) >= maxRead {
		g.skipped += int64(len(g.before))
		g.before, g.last = g.last, ""
	}
	g.last += piece
}

func (g *gather) excerpt() excerpt {
	return excerpt{head: g.head, tail: g.before + g.last, skipped: g.skipped}
}
