package grouplog

import (
	"context"
	"slices"
	"time"
)

// mostEntries is how many entries are returned at once.
const mostEntries = 256

// Ready returns the next entries without waiting for new ones: none if there is nothing to read at the moment. It
// returns the error of ctx when ctx is done.
func (s *Stream) Ready(ctx context.Context) ([]Entry, error) {
	for _, m := range s.members {
		for _, src := range m.sources {
			src.empty = src.empty && !m.dirty
		}
	}
	var entries []Entry
	for len(entries) < mostEntries {
		e, ok := s.earliest(ctx)
		if !ok {
			break
		}
		entries = append(entries, e)
	}
	if err := ctx.Err(); err != nil && len(entries) == 0 {
		return nil, err
	}
	s.members = slices.DeleteFunc(s.members, (*member).done)
	return entries, nil
}

// done reports whether a member has nothing more to deliver. If so, it closes the member.
func (m *member) done() bool {
	over := m.ended
	for _, src := range m.sources {
		over = over && len(src.ready) == 0
	}
	if over {
		m.close()
	}
	return over
}

// earliest takes the next entry of all members.
func (s *Stream) earliest(ctx context.Context) (Entry, bool) {
	for {
		var from *member
		var of *source
		var least time.Time
		for _, m := range s.members {
			key, src, ok, err := m.candidate(ctx, &s.o)
			switch {
			case err != nil && ctx.Err() != nil:
				return Entry{}, false
			case err != nil && m.fail():
				return Entry{
					Job: m.job,
					At:  time.Now(),
					Err: err,
				}, true
			}
			if ok && (from == nil || key.Before(least)) {
				from, of, least = m, src, key
			}
		}
		switch {
		case from == nil:
			return Entry{}, false
		case !from.opened && !from.gone:
			err := from.openLogs(ctx, s.jobs, &s.o)
			if err != nil && ctx.Err() != nil {
				return Entry{}, false
			}
			if err != nil && from.fail() {
				return Entry{
					Job: from.job,
					At:  time.Now(),
					Err: err,
				}, true
			}
			continue
		case of == nil:
			return from.end(least), true
		}
		e := of.ready[0]
		of.ready, of.start = of.ready[1:], e.Line.End
		from.last, from.failed = e.key, false
		return e.Entry, true
	}
}

// candidate returns the place of a member's next entry. A member that is not open yet has no entry before its
// first time.
func (m *member) candidate(ctx context.Context, o *Options) (key time.Time, src *source, ok bool, err error) {
	switch {
	case m.ended:
		return key, nil, false, nil
	case m.gone && !m.opened: // its log can't be opened any more
		return m.endKey(), nil, true, nil
	case !m.begun():
		return key, nil, false, nil
	case !m.opened:
		return m.first, nil, m.dirty, nil
	}
	return m.next(ctx, o)
}

// fail closes the logs of a member that cannot be read. When its job changes, reading resumes after the delivered
// lines. fail reports whether this is the first failure.
func (m *member) fail() bool {
	m.close()
	for _, src := range m.sources {
		src.ready = nil
	}
	isNew := !m.failed
	m.dirty, m.failed = false, true
	return isNew
}

// place is one of the last lines of all logs, or with source nil the end of a job.
type place struct {
	key    time.Time
	member *member
	source *source
	start  int64
}

// skip finds where the last lines begin. Of the lines that it reads, it keeps only the offsets.
func (s *Stream) skip(ctx context.Context) error {
	if s.o.Last < 0 {
		return nil
	}
	var last []place
	unread := map[*member]bool{}
	keep := func(all []place) []place {
		slices.SortStableFunc(all, func(a, b place) int { return a.key.Compare(b.key) })
		return slices.Clone(lastLines(all, s.o.Last))
	}
	for _, m := range s.members {
		if !m.begun() {
			continue
		}
		found, err := m.lastPlaces(ctx, s.jobs, &s.o)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			unread[m] = true // reported when it is read
			continue
		}
		last = keep(append(last, found...))
	}
	for _, m := range s.members {
		m.ended = m.job.Status.Finished() && !unread[m]
	}
	chosen := map[*source]bool{}
	for _, p := range last {
		if p.member.ended {
			p.member.ended, p.member.first = false, p.key
		}
		if p.source != nil && !chosen[p.source] {
			chosen[p.source], p.source.start = true, p.start
		}
	}
	s.members = slices.DeleteFunc(s.members, (*member).done)
	return nil
}

// lastLines returns the last n lines of places, with the ends of jobs after the first one.
func lastLines(all []place, n int) []place {
	if n == 0 {
		return nil
	}
	for i, p := range slices.Backward(all) {
		if p.source != nil {
			if n--; n == 0 {
				return all[i:]
			}
		}
	}
	return all
}

// lastPlaces returns the places of the last n entries of a member, and leaves its sources at their
// ends.
func (m *member) lastPlaces(ctx context.Context, from jobs, o *Options) ([]place, error) {
	var found []place
	for _, src := range m.sources {
		if err := src.openLog(ctx, from, m.job); err != nil {
			return found, err
		}
		src.start = src.size
		for line, err := range src.log.Lines(ctx, o.query(max(o.Last, 1))) {
			if err != nil {
				src.close()
				return found, err
			}
			_, key := src.timeOf(ctx, line.Start)
			found = append(found, place{key, m, src, line.Start})
		}
		src.last = time.Time{}
		src.close()
	}
	if exit, ok := m.job.Ended(); ok {
		found = append(found, place{key: exit.At, member: m})
	}
	return found, nil
}
