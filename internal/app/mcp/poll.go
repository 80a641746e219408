package mcp

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/hobjobs/hob/engine"
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
	idle, polls := a.news.polled(j.ID, !text.empty())
	switch {
	case ended && text.empty():
		ans.addNoticef("no new output; it has ended")
	case ended:
	case idle > 0:
		ans.addNoticef("nothing new; poll again in %s", units.FormatTook(retryAfter(idle)))
	case polls >= manyPolls:
		ans.addNoticef("this was poll %d of a running job; %s returns when it ends, until:\"REGEX\" when a line matches", polls, call("wait", j.ID))
	}
	if !ended {
		ans.addNotice(a.news.repeated(j, "poll", text.head, text.tail, text.errs()))
	}
	return ans
}

// awaitNews waits at most wait for output after the cursor from, or after the agent's own
// cursor if that is further, or for the end. It reads nothing. The end often follows the
// last output at once, so after output it waits briefly for that too, which saves a poll.
func (a *agent) awaitNews(ctx context.Context, j engine.Job, from int64, wait time.Duration) error {
	cursor := max(from, a.notes.Number(string(j.ID), a.scope.reader()))
	p, err := a.eng.Handle(j.ID).Poll(ctx, engine.PollOptions{Cursor: &cursor, Wait: wait})
	if err != nil || p.Job.Status.Finished() || len(p.Output) == 0 {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	_, _ = a.eng.Handle(j.ID).Wait(soon) // a job that runs on is the usual case
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
	_, err = a.eng.Handle(j.ID).Poll(ctx, engine.PollOptions{Client: a.scope.reader(), Deliver: func(p *engine.Poll) error {
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
	}})
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

const (
	// manyPolls is the number of polls of a running job from which on the answer recommends wait.
	manyPolls = 3
	// stuckAfter is the number of equal answers in a row that count as a loop.
	stuckAfter = 20
)

// reading counts the reading calls about one running job, to detect agents that poll in a loop.
type reading struct {
	polls int    // while it ran
	idle  int    // polls in a row without news
	last  uint64 // hash of the last answer
	same  int    // equal answers in a row
}

// polled counts a poll. It returns the number of polls and of those in a row without news.
func (n *news) polled(id engine.ID, hasNews bool) (idle, polls int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	k := n.of(id)
	k.polls++
	if k.idle++; hasNews {
		k.idle = 0
	}
	return k.idle, k.polls
}

// repeated counts equal answers about a job. It returns a notice when there were too many.
func (n *news) repeated(j engine.Job, parts ...string) (notice string) {
	sum := fnv.New64a()
	for _, p := range append(parts, string(j.Status)) {
		sum.Write([]byte(p))
		sum.Write([]byte{0})
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	k := n.of(j.ID)
	if k.last != sum.Sum64() {
		k.last, k.same = sum.Sum64(), 0
	}
	if k.same++; k.same < stuckAfter {
		return ""
	}
	return fmt.Sprintf("you got this same answer %d times in a row: asking again will not change it. It may be stuck; %s waits for its end at no cost, %s ends it",
		k.same, call("wait", j.ID, "timeout", 600000), call("kill", j.ID))
}

// retryAfter returns the recommended pause after idle polls without news.
func retryAfter(idle int) time.Duration {
	steps := []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}
	return steps[min(max(idle, 1), len(steps))-1]
}
