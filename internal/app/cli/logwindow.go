package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// logJSON is the JSON output of hob log.
type logJSON struct {
	Job        engine.Job `json:"job"`
	Lines      []string   `json:"lines"`
	Offset     int64      `json:"offset"`
	TotalLines int64      `json:"total_lines"`
	Truncated  bool       `json:"truncated"`
}

// logJSON prints the selected part of the log as JSON.
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

// window collects the lines that q selects. more reports whether --limit cut any off.
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
	lines[0].Dropped = 0 // the gap is before the window
	return lines, true, nil
}

// logTail prints the last lines of the log.
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
	a.reportf("Showing the last %d of %d lines. From the start: hob log --offset 0 %s", len(lines), total, job.ID)
	return nil
}

// logFrom prints lines from --offset on, each as it is read.
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
	a.reportf("--offset %d is past the end of the log (%s%s)", f.offset, units.Count(int(total), "line"), soFar)
	return nil
}

// printLine writes one line of a log, after a note about bytes missing before it.
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
