// Package grouplog reads the output of several jobs as one stream: their lines in the order in which they
// were written, each with its job. A group of jobs, such as the processes of a project, is read like
// one log.
//
//	stream, err := grouplog.Open(ctx, eng, grouplog.Options{Filter: filter, Last: 100, Follow: true})
//	defer stream.Close()
//	for {
//		entries, err := stream.Next(ctx)
//
// A stream does not keep delivered lines. Its memory usage depends on the number of running jobs, not on the
// size of their logs.
package grouplog

import (
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
)

// Options select the jobs and what to read of them.
type Options struct {
	// Filter selects the jobs. Jobs that match it later are included, as are restarts of the jobs in
	// Filter.IDs.
	Filter engine.Filter
	// Only keeps the lines whose text it matches, Except drops the lines whose text it matches. nil imposes no
	// condition.
	Only, Except *regexp.Regexp
	// Last is the number of existing lines to begin with, all jobs combined: 0 for none, -1 for all. The ends of
	// jobs do not count.
	Last int
	// Follow waits for new lines and jobs. Without it, the stream ends after the existing lines.
	Follow bool
	// Behind limits by how many bytes the reader of a log may be behind its end. If a log grows faster than it
	// is read, lines are skipped, so that they do not delay those of other jobs. 0: no limit.
	Behind int64
}

// query returns which of the last n lines of a log are read.
func (o *Options) query(n int) joblog.Query {
	return joblog.Query{
		Last:    n > 0,
		Limit:   int64(n),
		Filter:  o.Only,
		Exclude: o.Except,
	}
}

// Entry is a line of a job, its end, or the reason why its log cannot be read.
type Entry struct {
	Job    engine.Job
	Stream engine.Stream
	// At is when the line was written, or when it arrived if no times are recorded, as for jobs on hosts without hob-holder.
	// It is zero for lines of such a job that existed before the stream was opened.
	At   time.Time
	Line joblog.Line
	// Skipped is the number of bytes before the line that were not read, see Options.Behind.
	Skipped int64
	// Ended marks the end of a job, after its last line; Job.Exit describes it. The entry has no line.
	Ended bool
	// Err is why the log of the job cannot be read now. The entry has no line. The stream tries again when
	// the job changes. With Ended it is ErrRemoved, and how the job ended is not known.
	Err error
}

// ErrRemoved means that a job was removed before the stream had read its end.
var ErrRemoved = errors.New("the job was removed")

// jobs is what a stream needs of an engine.
type jobs interface {
	List(ctx context.Context, f engine.Filter) ([]engine.Job, error)
	Log(ctx context.Context, id engine.ID, s engine.Stream) (*joblog.Log, error)
	Subscribe(f engine.Filter) subscription
}

// subscription is an [engine.Subscription].
type subscription interface {
	Next(ctx context.Context) ([]engine.Event, error)
	Attend(ids ...engine.ID)
	Close() error
}

// realJobs is an engine.
type realJobs struct{ *engine.Engine }

func (r realJobs) Log(ctx context.Context, id engine.ID, s engine.Stream) (*joblog.Log, error) {
	return r.Handle(id).Log(ctx, s)
}

func (r realJobs) Subscribe(f engine.Filter) subscription { return r.Engine.Subscribe(f) }

// Stream is the merged output of several jobs. It is not safe for concurrent use.
type Stream struct {
	jobs jobs
	o    Options
	sub  subscription // nil: not followed

	members []*member
	known   map[engine.ID]bool // jobs that are or were members
}

// Open opens a stream of the jobs that o selects. Close it when it is no longer needed.
func Open(ctx context.Context, e *engine.Engine, o Options) (*Stream, error) {
	return open(ctx, realJobs{e}, o)
}

func open(ctx context.Context, from jobs, o Options) (*Stream, error) {
	s := &Stream{jobs: from, o: o, known: map[engine.ID]bool{}}
	if err := s.begin(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// begin finds the jobs and where to begin in their logs. It subscribes first, so that an event reports whatever
// is written later.
func (s *Stream) begin(ctx context.Context) error {
	if !s.o.Follow {
		all, err := s.jobs.List(ctx, s.o.Filter)
		if err != nil {
			return err
		}
		for _, j := range all {
			s.add(j)
		}
		return s.skip(ctx)
	}
	f := s.o.Filter
	f.IDs = nil // a restarted job has another one
	s.sub = s.jobs.Subscribe(f)
	events, err := s.sub.Next(ctx)
	if err != nil {
		return err
	}
	slices.SortStableFunc(events, func(a, b engine.Event) int { return a.Job.CreatedAt.Compare(b.Job.CreatedAt) })
	s.apply(events) // a job comes before those that restart it
	return s.skip(ctx)
}

// Next returns the next entries. With Follow it blocks until there are some; without, it returns io.EOF after
// the last one. It returns the error of ctx when ctx is done, and ErrClosed after the engine was closed.
func (s *Stream) Next(ctx context.Context) ([]Entry, error) {
	for {
		entries, err := s.Ready(ctx)
		if err != nil || len(entries) > 0 {
			return entries, err
		}
		if s.sub == nil {
			return nil, io.EOF
		}
		events, err := s.sub.Next(ctx)
		if err != nil {
			return nil, err
		}
		s.apply(events)
	}
}

// Close closes the logs and the subscription.
func (s *Stream) Close() error {
	for _, m := range s.members {
		m.close()
	}
	s.members = nil
	if s.sub == nil {
		return nil
	}
	return s.sub.Close()
}

// add makes a job a member.
func (s *Stream) add(j engine.Job) {
	s.known[j.ID] = true
	m := &member{job: j, dirty: true, first: j.CreatedAt}
	for _, of := range j.Streams() {
		m.sources = append(m.sources, &source{stream: of})
	}
	s.members = append(s.members, m)
}

// belongs reports whether a new job is part of the stream.
func (s *Stream) belongs(j engine.Job) bool {
	if restarted := j.RestartedFrom; len(s.o.Filter.IDs) > 0 && s.known[restarted] {
		return true
	}
	return s.o.Filter.Selects(&j)
}

// apply applies events to the members.
func (s *Stream) apply(events []engine.Event) {
	added := false
	for _, ev := range events {
		i := slices.IndexFunc(s.members, func(m *member) bool { return m.job.ID == ev.Job.ID })
		if i < 0 && !s.known[ev.Job.ID] && s.belongs(ev.Job) {
			i = len(s.members)
			s.add(ev.Job)
			added = true
		}
		if i >= 0 {
			s.members[i].job, s.members[i].dirty = ev.Job, true
			s.members[i].gone = ev.Kind == engine.EventRemoved
		}
	}
	if added && len(s.o.Filter.IDs) > 0 {
		ids := make([]engine.ID, len(s.members))
		for i, m := range s.members {
			ids[i] = m.job.ID
		}
		s.sub.Attend(ids...)
	}
}
