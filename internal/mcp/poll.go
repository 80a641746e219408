package mcp

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/units"
)

const (
	maxPoll = 30 * time.Second
	// lastWords is how soon after its output the end of a job is told with it.
	lastWords = 50 * time.Millisecond
	// maxDrain bounds what one poll takes in of a job that prints without end.
	maxDrain = 64 << 20
	// manyPolls is from which poll of a running job on an agent is told that
	// there is a cheaper way.
	manyPolls = 3
	// maxHeld is how long a line without an end may be before it is filtered as it
	// stands, in bytes.
	maxHeld = 1 << 20
	// stuckAfter is how many equal answers in a row make a loop.
	stuckAfter = 20
)

// reads is what is kept between the reading calls of a session.
type reads struct {
	mu   sync.Mutex
	jobs map[engine.ID]*reading
}

// reading is what is kept of one job that runs.
type reading struct {
	polls int // while it ran
	idle  int // polls in a row without news
	last  uint64
	same  int // answers in a row with the sum last
}

// of calls f with what is kept of a job.
func (r *reads) of(id engine.ID, f func(*reading)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.jobs[id] == nil {
		r.jobs[id] = &reading{}
	}
	f(r.jobs[id])
}

func (r *reads) drop(id engine.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.jobs, id)
}

// repeated counts equal answers about a job, and says when there were too many.
func (r *reads) repeated(j engine.Job, parts ...string) (notice string) {
	sum := fnv.New64a()
	for _, p := range append(parts, string(j.Status)) {
		sum.Write([]byte(p))
		sum.Write([]byte{0})
	}
	r.of(j.ID, func(k *reading) {
		if k.last != sum.Sum64() {
			k.last, k.same = sum.Sum64(), 0
		}
		if k.same++; k.same >= stuckAfter {
			notice = fmt.Sprintf("you got this same answer %d times in a row: asking again will not change it. It may be stuck; %s waits for its end at no cost, %s ends it",
				k.same, call("wait", j.ID, "timeout", 600000), call("kill", j.ID))
		}
	})
	return notice
}

// retryAfter is when a poll is worth repeating after idle polls without news.
func retryAfter(idle int) time.Duration {
	steps := []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}
	return steps[min(max(idle, 1), len(steps))-1]
}

// poll drains what is new, and reports the end.
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
		// What is filtered out is no reason to return.
		if !got.text.empty() || got.Job.Status.Finished() || time.Since(began) >= wait {
			break
		}
	}
	ans := a.pollAnswer(got)
	if note != "" {
		ans.note("%s", note)
	}
	return ans, nil
}

func (a *agent) pollAnswer(got drained) *answer {
	j, text := got.Job, got.text
	ended := j.Status.Finished()
	ans := about(j, time.Now())
	ans.body = text
	ans.Cursor, ans.DroppedBytes = &got.Cursor, got.dropped
	if got.dropped > 0 {
		ans.note("%s of the output were dropped by the log's limit", units.FormatBytes(got.dropped))
	}
	if got.more {
		ans.note("there is more to read at once: %s", call("poll", j.ID))
	}
	if got.held > 0 {
		ans.note("its last line has %s so far and no end: it is filtered once it is complete; %s shows it now", counted(int(got.held), "byte"), call("poll", j.ID))
	}
	ans.Next = next(j)
	var idle, polls int
	a.reads.of(j.ID, func(k *reading) {
		k.polls++
		if k.idle++; !text.empty() {
			k.idle = 0
		}
		idle, polls = k.idle, k.polls
	})
	switch {
	case ended && text.empty():
		ans.note("no new output; it has ended")
	case ended:
	case idle > 0:
		ans.note("nothing new; worth asking again in %s", briefly(retryAfter(idle)))
	case polls >= manyPolls:
		ans.note("this was poll %d of a job that runs; %s returns when it ends, until:\"REGEX\" when a line matches", polls, call("wait", j.ID))
	}
	if n := a.reads.repeated(j, "poll", text.head, text.tail, text.errs()); n != "" {
		ans.note("%s", n)
	}
	if ended && !got.more {
		a.reads.drop(j.ID)
	}
	return ans
}

// awaitNews waits that long at most for output after the cursor from, or after the
// agent's own if that is further, and reads nothing. The end often follows the last
// output at once: after output it waits a moment for that, which saves a poll.
func (a *agent) awaitNews(ctx context.Context, j engine.Job, from int64, wait time.Duration) error {
	cursor := max(from, jobdir.ReadCursor(a.jobDir(j.ID), a.scope.reader()))
	p, err := a.eng.PollAt(ctx, j.ID, cursor, wait)
	if err != nil || p.Job.Status.Finished() || len(p.Output) == 0 {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	_, _ = a.eng.Wait(soon, j.ID) // it may well go on
	return ctx.Err()
}

// drained is what a poll has read.
type drained struct {
	engine.Poll         // the last piece, as far as it counts as read
	text        excerpt // what the filter keeps of all
	dropped     int64
	more        bool  // there is more to read at once
	held        int64 // bytes after the cursor that are left for a later poll
}

// drain reads all that is new. A line that has no end yet is not filtered, since what
// it will say is not known: it is left for the next poll.
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
		// A line of the other stream cannot be left: what was read since is behind it.
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

// streamSum is what a poll has read of one stream.
type streamSum struct {
	gather
	a      *agent
	j      engine.Job
	stream engine.Stream
	keep   lineFilter
	held   []byte // of a line without an end
	binary string // the notice about what is not shown
}

// add takes in the next bytes. With a filter it keeps back those of the last line, as
// long as it has no end.
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

// gather keeps the begin and the end of a text of any length that comes in pieces.
type gather struct {
	head, before, last string // of the end before is kept until last is long enough
	skipped            int64
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

// A lineFilter keeps lines by their text.
type lineFilter struct{ keep, drop *regexp.Regexp } // nil: no condition

func newLineFilter(in processArgs) (f lineFilter, err error) {
	if f.keep, err = pattern("filter", in.Filter); err == nil {
		f.drop, err = pattern("exclude", in.Exclude)
	}
	return f, err
}

func pattern(name, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, usage(fmt.Sprintf("%s is no regular expression: %v", name, err),
			"it is one of Go (RE2); put a backslash before signs that are meant as they are")
	}
	return re, nil
}

// some reports whether there is any condition.
func (f lineFilter) some() bool { return f.keep != nil || f.drop != nil }

// keeps reports whether one of texts, which are a line or what a job is known by, is
// what is asked for, and none is excluded.
func (f lineFilter) keeps(texts ...string) bool {
	return (f.keep == nil || slices.ContainsFunc(texts, f.keep.MatchString)) &&
		(f.drop == nil || !slices.ContainsFunc(texts, f.drop.MatchString))
}

// again are the parameters that ask for it.
func (f lineFilter) again() (params []any) {
	if f.keep != nil {
		params = append(params, "filter", f.keep.String())
	}
	if f.drop != nil {
		params = append(params, "exclude", f.drop.String())
	}
	return params
}

// lines are the lines of text that it keeps.
func (f lineFilter) lines(text string) string {
	if !f.some() {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if f.keeps(strings.TrimSuffix(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}
