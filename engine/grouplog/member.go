package grouplog

import (
	"context"
	"errors"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
)

// member is a job of the stream. Its logs are opened when its first line is due, and closed after its
// last one.
type member struct {
	job     engine.Job
	sources []*source
	first   time.Time // its entries are not earlier
	last    time.Time // of its last entry
	dirty   bool      // there may be something to read
	gone    bool      // the job was removed: what is open is still read, and then it has ended
	ended   bool      // its end was delivered
	failed  bool      // an entry with Err was delivered
	opened  bool
}

// source is one stream of a job.
type source struct {
	stream engine.Stream
	start  int64 // offset to begin at
	log    *joblog.Log
	feed   *joblog.Follower
	ready  []timed // read, and not delivered; a few
	last   time.Time
	empty  bool // nothing more to read until the job changes
	full   bool // the last read stopped before the end of the log

	// Without recorded times, lines that existed at first are spread over the job's life.
	size  int64
	since time.Time
	until time.Time
}

// timed is an entry with its place in the stream.
type timed struct {
	Entry
	key time.Time
}

// Limits of what a source has ready.
const (
	mostReady      = 64
	mostReadyBytes = 256 << 10
)

// keptOf determines where reading continues after a skip: Options.Behind/keptOf bytes before the end.
const keptOf = 8

func (m *member) close() {
	for _, src := range m.sources {
		src.close()
	}
	m.opened = false
}

func (src *source) close() {
	if src.log != nil {
		_ = src.log.Close() // opened for reading only
	}
	src.log, src.feed = nil, nil
}

// begun reports whether the job may have output.
func (m *member) begun() bool { return !m.job.StartedAt.IsZero() || m.job.Status.Finished() }

// openLog opens the log and records its size.
func (src *source) openLog(ctx context.Context, from jobs, j engine.Job) error {
	log, err := from.Log(ctx, j.ID, src.stream)
	if err != nil {
		return err
	}
	size, err := log.Size(ctx)
	if err != nil {
		return errors.Join(err, log.Close())
	}
	if src.until.IsZero() {
		src.size, src.since, src.until = size, j.CreatedAt, time.Now()
		if exit, ok := j.Ended(); ok {
			src.until = exit.At
		}
	}
	src.log = log
	return nil
}

// openLogs opens the logs at the places where they are to be read.
func (m *member) openLogs(ctx context.Context, from jobs, o *Options) error {
	for _, src := range m.sources {
		if src.feed != nil {
			continue
		}
		if err := src.openLog(ctx, from, m.job); err != nil {
			return err
		}
		feed, err := src.log.FollowFrom(ctx, src.start, o.query(0))
		if err != nil {
			src.close()
			return err
		}
		src.feed = feed
	}
	m.opened = true
	return nil
}

// timeOf returns when the line at an offset was written, zero if unknown, and its place in the stream.
func (src *source) timeOf(ctx context.Context, off int64) (at, key time.Time) {
	at, ok := src.log.TimeAt(ctx, off)
	switch {
	case ok:
		key = at
	case off < src.size:
		life := src.until.Sub(src.since)
		key = src.since.Add(time.Duration(float64(life) * float64(off) / float64(src.size)))
	default:
		at = time.Now()
		key = at
	}
	if key.Before(src.last) { // clocks are set back
		key = src.last
	}
	src.last = key
	return at, key
}

// skipTo skips to near the end of the log if the end is more than Options.Behind bytes ahead, and reports whether it
// skipped. If that is 0, there is no limit.
func (src *source) skipTo(ctx context.Context, o *Options) (skips bool, err error) {
	behind := o.Behind
	if behind == 0 || !src.full {
		return false, nil
	}
	size, err := src.log.Size(ctx)
	if err != nil || size-src.start <= behind {
		return false, err
	}
	feed, err := src.log.FollowFrom(ctx, size-behind/keptOf, o.query(0))
	if err != nil {
		return false, err
	}
	src.feed = feed
	return true, nil
}

// fill reads a few lines. rest includes a last line without a line feed.
func (src *source) fill(ctx context.Context, j engine.Job, rest bool, o *Options) error {
	bytes := 0
	skips, err := src.skipTo(ctx, o)
	if err != nil {
		return err
	}
	for line, err := range src.feed.Read(ctx, rest) {
		if err != nil {
			return err
		}
		at, key := src.timeOf(ctx, line.Start)
		e := Entry{
			Job:    j,
			Stream: src.stream,
			At:     at,
			Line:   line,
		}
		if skips {
			e.Skipped, skips = line.Start-src.start, false
		}
		src.ready = append(src.ready, timed{e, key})
		if bytes += len(line.Raw) + len(line.Text); len(src.ready) == mostReady || bytes >= mostReadyBytes {
			src.full = true
			return nil
		}
	}
	src.empty, src.full = true, false
	return nil
}

// next returns the place of the member's next entry; ok is false if there is none now. src is nil for
// its end.
func (m *member) next(ctx context.Context, o *Options) (key time.Time, src *source, ok bool, err error) {
	for _, of := range m.sources {
		if len(of.ready) == 0 && !of.empty {
			if err := of.fill(ctx, m.job, m.over(), o); err != nil {
				return key, nil, false, err
			}
		}
		if len(of.ready) > 0 && (src == nil || of.ready[0].key.Before(key)) {
			key, src = of.ready[0].key, of
		}
	}
	if src != nil {
		return key, src, true, nil
	}
	m.dirty = false
	return m.endKey(), nil, m.over() && !m.ended, nil
}

// over reports whether the job writes no further lines.
func (m *member) over() bool { return m.gone || m.job.Status.Finished() }

// endKey returns the place of the job's end, which is not before its last line.
func (m *member) endKey() time.Time {
	exit, _ := m.job.Ended()
	if exit.At.Before(m.last) {
		return m.last
	}
	return exit.At
}

// end returns the entry for the job's end at its place in the stream.
func (m *member) end(key time.Time) Entry {
	m.ended = true
	e := Entry{
		Job:   m.job,
		At:    key,
		Ended: true,
	}
	if !m.job.Status.Finished() {
		e.At, e.Err = time.Now(), ErrRemoved
	}
	return e
}
