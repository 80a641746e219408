package cli

import (
	"bufio"
	"context"
	"errors"
	"sort"

	"github.com/hobjobs/hob/engine"
)

// A window is the part of a log that was asked for.
type window struct {
	lines []engine.Line
	more  bool // the log has more (matching) lines than these
}

// logJSON is the JSON form of log.
type logJSON struct {
	Job        engine.Job `json:"job"`
	Lines      []string   `json:"lines"`
	Offset     int64      `json:"offset"`
	TotalLines int64      `json:"total_lines"`
	Truncated  bool       `json:"truncated"`
}

// logWindow prints a part of the log as it stands.
func (a *app) logWindow(ctx context.Context, job engine.Job, log *engine.Log, f logFlags, filter lineFilter) error {
	asked := f
	if f.limit < 0 && f.offset < 0 {
		f.limit = defaultLines
	}
	if f.offset >= 0 && !filter.active() && !a.json {
		return a.logFrom(ctx, job, log, f)
	}
	var total int64 // only where it is told
	if a.json || asked.limit < 0 {
		var err error
		if total, err = log.CountLines(ctx); err != nil {
			return err
		}
	}
	var w window
	var err error
	if filter.active() {
		w, err = filtered(ctx, log, f, filter)
	} else {
		w, err = unfiltered(ctx, log, f, total)
	}
	if err != nil {
		return err
	}
	if a.json {
		if err := w.number(ctx, log, total); err != nil {
			return err
		}
		return a.printJSON(w.json(job, total))
	}
	out := bufio.NewWriter(a.stdout)
	for _, l := range w.lines {
		printLine(out, l)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if asked.offset >= 0 && len(w.lines) == 0 {
		return a.sayPastEnd(ctx, job, log, asked)
	}
	if asked.limit < 0 && asked.offset < 0 && w.more {
		first := "the first"
		if hole, err := log.Hole(ctx); err == nil && !hole.Empty() && hole.Lines < 0 {
			first = "the first after what was dropped" // those before have no numbers
		}
		a.sayf("these are the last %d lines of %d; hob log --offset 0 --limit %d %s shows %s, --follow goes on",
			len(w.lines), total, defaultLines, job.ID, first)
	}
	return nil
}

// logFrom prints lines from f.offset on as they are read, however many.
func (a *app) logFrom(ctx context.Context, job engine.Job, log *engine.Log, f logFlags) error {
	out := bufio.NewWriter(a.stdout)
	printed := false
	err := eachFrom(ctx, log, f.offset, f.limit, func(l engine.Line) error {
		printLine(out, l)
		printed = true
		return nil
	})
	if err != nil {
		return err
	}
	if !printed {
		return a.sayPastEnd(ctx, job, log, f)
	}
	return out.Flush()
}

// sayPastEnd says so if --offset, from which on nothing was printed, is behind the
// last line there is.
func (a *app) sayPastEnd(ctx context.Context, job engine.Job, log *engine.Log, f logFlags) error {
	if f.offset == 0 || f.limit == 0 {
		return nil
	}
	total, err := log.CountLines(ctx)
	if err != nil || f.offset < total {
		return err
	}
	soFar := " so far"
	if job.Status.Finished() {
		soFar = ""
	}
	a.sayf("the log has %s%s: line %d, counted from 0, is past its end", plural(int(total), "line", "lines"), soFar, f.offset)
	return nil
}

// eachFrom calls line for up to limit (-1: all) lines from number first on.
func eachFrom(ctx context.Context, log *engine.Log, first, limit int64, line func(engine.Line) error) error {
	if limit == 0 {
		return nil
	}
	start, err := log.LinesFrom(ctx, first, 1)
	if err != nil || len(start) == 0 {
		return err
	}
	feed := lineFeed{log: log, next: start[0].Start}
	_, err = feed.read(ctx, true, func(l engine.Line) error {
		if limit == 0 {
			return errEnough
		}
		limit--
		return line(l)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func unfiltered(ctx context.Context, log *engine.Log, f logFlags, total int64) (w window, err error) {
	if f.offset < 0 {
		w.lines, err = log.Tail(ctx, int(f.limit))
	} else {
		err = eachFrom(ctx, log, f.offset, f.limit, func(l engine.Line) error {
			w.lines = append(w.lines, l)
			return nil
		})
	}
	w.more = int64(len(w.lines)) < total
	return w, err
}

// filtered collects matching lines: from line f.offset on the first f.limit of
// them, else the last.
func filtered(ctx context.Context, log *engine.Log, f logFlags, filter lineFilter) (window, error) {
	var w window
	last := f.offset < 0
	take := func(l engine.Line) bool {
		if !filter.keeps(l.Text) {
			return true
		}
		if f.limit >= 0 && int64(len(w.lines)) >= f.limit {
			w.more = true
			if !last || f.limit == 0 {
				return false
			}
			// Twice the limit is kept before the older half goes, so that each
			// line is moved only once.
			w.lines = append(w.lines, l)
			if int64(len(w.lines)) >= 2*f.limit {
				w.lines = append(w.lines[:0], w.lines[int64(len(w.lines))-f.limit:]...)
			}
			return true
		}
		w.lines = append(w.lines, l)
		return true
	}
	err := scan(ctx, log, max(f.offset, 0), filter, take)
	if last && f.limit >= 0 && int64(len(w.lines)) > f.limit {
		w.lines = w.lines[int64(len(w.lines))-f.limit:]
	}
	return w, err
}

// scan calls take for at least the lines that filter keeps, from number first
// on, until take returns false.
func scan(ctx context.Context, log *engine.Log, first int64, filter lineFilter, take func(engine.Line) bool) error {
	if filter.keep == nil {
		return eachFrom(ctx, log, first, -1, func(l engine.Line) error {
			if !take(l) {
				return errEnough
			}
			return nil
		})
	}
	from := int64(0)
	if first > 0 {
		start, err := log.LinesFrom(ctx, first, 1)
		if err != nil || len(start) == 0 {
			return err
		}
		from = start[0].Start
	}
	return log.Search(ctx, filter.keep, from, func(m engine.Match) bool { return take(m.Line) })
}

// number finds the number of the first line where reading it did not tell: lines
// found from the end, or by a search, come without.
func (w *window) number(ctx context.Context, log *engine.Log, total int64) error {
	if len(w.lines) == 0 || w.lines[0].Number >= 0 {
		return nil
	}
	var failed error
	at := func(n int) []engine.Line {
		lines, err := log.LinesFrom(ctx, int64(n), 1)
		failed = errors.Join(failed, err)
		return lines
	}
	first := w.lines[0].Start
	n := sort.Search(int(total), func(n int) bool {
		lines := at(n)
		return failed != nil || len(lines) == 0 || lines[0].Start >= first
	})
	w.lines[0].Number = int64(n)
	// All numbers in a dropped range stand for the line behind it, which is the
	// last of them if the lines in there were counted.
	if lines := at(n); len(lines) > 0 && lines[0].Start == first && lines[0].Number > int64(n) {
		w.lines[0].Number = lines[0].Number
	}
	return failed
}

func (w window) json(job engine.Job, total int64) logJSON {
	v := logJSON{Job: job, Lines: []string{}, Offset: total, TotalLines: total, Truncated: w.more}
	for i, l := range w.lines {
		if i == 0 {
			v.Offset = max(l.Number, 0)
		}
		v.Lines = append(v.Lines, l.Text)
		v.Truncated = v.Truncated || l.TextCut || l.Dropped > 0
	}
	return v
}
