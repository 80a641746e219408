package tool

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/units"
)

// logLines is the default number of lines.
const logLines = 200

// log returns lines of the output. It does not affect poll.
func (t *Tools) log(ctx context.Context, j engine.Job, in ProcessArgs) (*Answer, error) {
	from := in.Offset != nil
	offset, limit := int64(0), int64(logLines)
	if from {
		offset, limit = *in.Offset, math.MaxInt64 // all lines that fit
	}
	if in.Limit != nil {
		limit = *in.Limit
	}
	keep, err := newLineFilter(in.Filter, in.Exclude)
	if err != nil {
		return nil, err
	}
	ans := About(j, time.Now())
	if j.Status.Finished() {
		ans.Next = "" // it would be this call
	}
	// The next page begins where this one ends, so none of its lines may be dropped later to
	// make the answer fit. Leave room for the frame and the notices.
	most := t.Settings.MaxOutputChars
	w := window{
		from:   from,
		offset: offset,
		limit:  limit,
		room:   max(100, most-most/4-utf8.RuneCountInString(ans.render(""))-600) / len(j.Streams()),
		keep:   keep,
	}
	ans.Body, err = t.eachLog(ctx, j, func(s engine.Stream, log *joblog.Log, size int64) (Excerpt, error) {
		sample, err := w.sample(ctx, log, size)
		if err != nil {
			return Excerpt{}, err
		}
		if n := t.binary(ctx, j, s, sample); n != "" {
			return Excerpt{Notices: []string{n}}, nil
		}
		total, err := log.CountLines(ctx)
		if err != nil {
			return Excerpt{}, err
		}
		p, err := w.read(ctx, log)
		if err == nil && (s != engine.StreamStderr || len(p.lines) > 0) {
			w.explain(ans, j, s, p, total)
		}
		return Excerpt{head: strings.Join(p.lines, "")}, err
	})
	if err != nil {
		return nil, Failed(j, "read the log of", err)
	}
	if !j.Status.Finished() {
		ans.AddNoticef("the job is still running and may print more")
		text := labeled(ans.Body.head, ans.Body.errs())
		ans.AddNotice(t.readings.repeated(j, "log", text, fmt.Sprint(offset, limit)))
	}
	return ans, nil
}

type window struct {
	from          bool // from line offset on; otherwise the last lines
	offset, limit int64
	room          int // characters that fit
	keep          lineFilter
}

type page struct {
	lines []string // with their line feeds
	size  int      // characters
	more  bool     // lines were left out because of limit or room
	next  int64    // if the window has a first line: the first line of the next page
	long  bool     // a line was truncated
}

// sample reads some bytes of the window.
func (w window) sample(ctx context.Context, log *joblog.Log, size int64) (p []byte, err error) {
	off := max(0, size-logfile.BinarySample)
	if w.from {
		if off, _, err = log.LineOffset(ctx, w.offset); err != nil {
			return nil, err
		}
	}
	return log.Bytes(ctx, off, min(size, off+logfile.BinarySample))
}

// read collects the lines that fit: the first ones from offset on, or the last ones of the
// log.
func (w window) read(ctx context.Context, log *joblog.Log) (p page, err error) {
	if w.limit == 0 {
		return p, nil
	}
	q := joblog.Query{
		From:    w.offset,
		Filter:  w.keep.keep,
		Exclude: w.keep.drop,
	}
	if !w.from {
		// Each line takes at least one character, so at most room lines fit.
		q.Last, q.Limit = true, min(w.limit, int64(w.room))+1
	}
	for line, err := range log.Lines(ctx, q) {
		if err != nil {
			return p, err
		}
		text := cells.Visible(line.Text) + "\n"
		if line.TextCut {
			text = cells.Visible(line.Text) + " […]\n"
			p.long = true
		}
		if line.Dropped > 0 {
			text = "[… " + units.FormatBytes(line.Dropped) + " dropped …]\n" + text
		}
		p.lines = append(p.lines, text)
		p.size += utf8.RuneCountInString(text)
		for w.isOverfull(&p) {
			p.more = true
			if w.from {
				p.drop(len(p.lines) - 1)
				p.next = line.Number
				return p, nil
			}
			p.drop(0)
		}
	}
	return p, nil
}

// isOverfull reports whether a page has more than one line and no room for them, or more lines than the
// limit.
func (w window) isOverfull(p *page) bool {
	if int64(len(p.lines)) > w.limit {
		return true
	}
	return len(p.lines) > 1 && p.size > w.room
}

func (p *page) drop(n int) {
	p.size -= utf8.RuneCountInString(p.lines[n])
	p.lines = slices.Delete(p.lines, n, n+1)
}

// explain adds the position of a page to an answer, and notices about omitted and truncated
// lines. total is the number of lines of the stream.
func (w window) explain(ans *Answer, j engine.Job, s engine.Stream, p page, total int64) {
	first := max(0, total-int64(len(p.lines)))
	if w.from {
		first = w.offset
	} else if w.keep.some() {
		first = 0
	}
	if s != engine.StreamStderr {
		ans.Offset, ans.TotalLines = &first, &total
	}
	ans.Truncated = ans.Truncated || p.more || p.long
	if p.long {
		ans.AddNoticef("lines that end in […] are truncated; %s has all of them", pathsOf(j))
	}
	others := func(offset int64) string {
		return Call("log", j.ID, append([]any{"offset", offset, "limit", logLines}, w.keep.again()...)...)
	}
	pastEnd := w.from && w.offset >= total
	switch {
	case pastEnd && w.limit > 0 && s != engine.StreamStderr:
		ans.AddNoticef("no line %d: the log has %s so far, counted from 0", w.offset, units.Count(int(total), "line"))
	case !p.more:
	case w.from:
		ans.AddNoticef("lines from %d on; %s continues", first, others(p.next))
	case w.limit == logLines && w.keep.some():
		ans.AddNoticef("these are the last %s; %s shows the first", units.Count(len(p.lines), "matching line"), others(0))
	case w.limit == logLines:
		ans.AddNoticef("these are the last %d of %d lines; %s shows the first", len(p.lines), total, others(0))
	case int64(len(p.lines)) < w.limit && !w.keep.some():
		ans.AddNoticef("only the last %d of these %d lines fit; %s shows the first", len(p.lines), min(w.limit, total), others(max(0, total-w.limit)))
	}
}
