package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// logJSON is the JSON form of log.
type logJSON struct {
	Job        engine.Job `json:"job"`
	Lines      []string   `json:"lines"`
	Offset     int64      `json:"offset"`
	TotalLines int64      `json:"total_lines"`
	Truncated  bool       `json:"truncated"`
}

// logJSON prints a part of the log as it stands in JSON.
func (a *app) logJSON(ctx context.Context, job engine.Job, log *engine.Log, f logFlags, q engine.Query) error {
	total, err := log.CountLines(ctx)
	if err != nil {
		return err
	}
	q.Numbers = true
	lines, more, err := window(ctx, log, f, q)
	if err != nil {
		return err
	}
	if q.Filter == nil && q.Exclude == nil {
		more = int64(len(lines)) < total
	}
	v := logJSON{Job: job, Lines: []string{}, Offset: total, TotalLines: total, Truncated: more}
	for i, l := range lines {
		if i == 0 {
			v.Offset = max(l.Number, 0)
		}
		v.Lines = append(v.Lines, l.Text)
		v.Truncated = v.Truncated || l.TextCut || l.Dropped > 0
	}
	return a.printJSON(v)
}

// window collects the lines that q selects. more reports whether --limit left out any.
func window(ctx context.Context, log *engine.Log, f logFlags, q engine.Query) (lines []engine.Line, more bool, err error) {
	limit := q.Limit
	bounded := limit > 0 || f.limit == 0
	if bounded {
		q.Limit++
	}
	for line, err := range log.Lines(ctx, q) {
		if err != nil {
			return nil, false, err
		}
		lines = append(lines, line)
	}
	switch {
	case !bounded || int64(len(lines)) <= limit:
		return lines, false, nil
	case !q.Last || limit == 0:
		return lines[:limit], true, nil
	}
	lines = lines[1:]
	lines[0].Dropped = 0 // it was in front of the window
	return lines, true, nil
}

// logTail prints the last lines of the log as it stands.
func (a *app) logTail(ctx context.Context, job engine.Job, log *engine.Log, f logFlags, q engine.Query) error {
	lines, more, err := window(ctx, log, f, q)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(a.stdout)
	for _, l := range lines {
		printLine(out, l)
	}
	if err := out.Flush(); err != nil || !more || f.limit >= 0 {
		return err
	}
	total, err := log.CountLines(ctx)
	if err != nil {
		return err
	}
	first := "the first"
	for line, err := range log.Lines(ctx, engine.Query{Limit: 1}) {
		if err == nil && line.Dropped > 0 { // what was dropped has no numbers
			first = "the first after what was dropped"
		}
	}
	a.reportf("these are the last %d lines of %d; hob log --offset 0 --limit %d %s shows %s, --follow goes on",
		len(lines), total, defaultLines, job.ID, first)
	return nil
}

// logFrom prints lines from --offset on as they are read, however many.
func (a *app) logFrom(ctx context.Context, job engine.Job, log *engine.Log, f logFlags, q engine.Query) error {
	if f.limit == 0 {
		return nil
	}
	out := bufio.NewWriter(a.stdout)
	printed := false
	for line, err := range log.Lines(ctx, q) {
		if err != nil {
			return errors.Join(err, out.Flush())
		}
		printed = true
		printLine(out, line)
	}
	if err := out.Flush(); err != nil || printed || f.offset == 0 {
		return err
	}
	total, err := log.CountLines(ctx)
	if err != nil || f.offset < total {
		return err
	}
	soFar := " so far"
	if job.Status.Finished() {
		soFar = ""
	}
	a.reportf("the log has %s%s: line %d, counted from 0, is past its end", plural(int(total), "line", "lines"), soFar, f.offset)
	return nil
}

// printLine writes one line of a log, after a line about what is missing before
// it.
func printLine(w *bufio.Writer, l engine.Line) {
	if l.Dropped > 0 {
		fmt.Fprintf(w, "[… %s dropped …]\n", units.FormatBytes(l.Dropped))
	}
	w.WriteString(l.Text)
	if l.TextCut {
		w.WriteString(" […]")
	}
	w.WriteByte('\n')
}
