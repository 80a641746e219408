package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/units"
)

// logLines is how many lines log shows unless it is asked for others.
const logLines = 200

// log pages through the output by lines, and consumes nothing.
func (a *agent) log(ctx context.Context, j engine.Job, p *args) (*answer, error) {
	offset, from := p.count("offset")
	limit, bounded := p.count("limit")
	keep, err := newLineFilter(p)
	if err != nil {
		return nil, err
	}
	if p.err != nil {
		return nil, p.err
	}
	if !bounded && !from {
		limit = logLines
	}
	w := window{from: from, offset: offset, limit: limit, bounded: bounded || !from, room: 4 * a.c.Settings.MaxOutputChars}
	ans := about(j, time.Now())
	for _, s := range streamsOf(j) {
		if err := a.window(ctx, j, s, keep, w, ans); err != nil {
			return nil, failed(j, "read the log of", err)
		}
	}
	ans.Next = next(j)
	if !j.Status.Finished() {
		ans.note("it is still running: there may be more later")
	} else if ans.Next == call("log", j.ID) {
		ans.Next = ""
	}
	if n := a.reads.repeated(j, "log", ans.body.head, fmt.Sprint(offset, limit, bounded)); n != "" && !j.Status.Finished() {
		ans.note("%s", n)
	}
	return ans, nil
}

// window is which lines were asked for.
type window struct {
	from          bool // from line offset on; else the last ones
	bounded       bool // at most limit
	offset, limit int64
	room          int // bytes of text that may be of use
}

// window adds the lines of one stream to an answer.
func (a *agent) window(ctx context.Context, j engine.Job, s engine.Stream, keep lineFilter, w window, ans *answer) error {
	log, err := a.eng.OpenLog(ctx, j.ID, s)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // it was only read
	total, err := log.CountLines(ctx)
	if err != nil {
		return err
	}
	lines, more, err := w.read(ctx, log, keep)
	if err != nil {
		return err
	}
	first := max(0, total-int64(len(lines)))
	switch {
	case w.from:
		first = w.offset
	case keep.keep != nil || keep.drop != nil:
		first = 0
	}
	if s == engine.StreamStderr {
		if len(lines) == 0 {
			return nil
		}
		ans.body.head += "[stderr]\n"
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	ans.body.head += b.String()
	if s != engine.StreamStderr {
		ans.Offset, ans.TotalLines = &first, &total
	}
	ans.Truncated = ans.Truncated || more
	switch {
	case w.from && w.offset >= total && s != engine.StreamStderr && !(w.bounded && w.limit == 0):
		ans.note("there is no line %d: it has %d so far, from 0 on", w.offset, total)
	case more && w.from:
		ans.note("lines from %d on; %s goes on", first, call("log", j.ID, "offset", first+int64(len(lines)), "limit", logLines))
	case more && !w.asked():
		ans.note("these are the last %d of %d lines; %s shows the first", len(lines), total, call("log", j.ID, "offset", 0, "limit", logLines))
	}
	return nil
}

// asked reports whether the window is other than the default one.
func (w window) asked() bool { return w.from || w.limit != logLines }

// read collects the texts of the lines in the window. more reports whether there
// are others that were not asked for, or did not fit.
func (w window) read(ctx context.Context, log *engine.Log, keep lineFilter) (lines []string, more bool, err error) {
	size := 0
	add := func(l logfile.Line) error {
		text := l.Text
		if l.Gap > 0 {
			text = "[… " + units.FormatBytes(l.Gap) + " dropped …]"
		} else if !keep.keeps(text) {
			return nil
		}
		if l.Cut > 0 {
			text += " […]"
		}
		lines = append(lines, fold(text))
		size += len(text) + 1
		if w.from {
			if w.bounded && int64(len(lines)) > w.limit || size > w.room && len(lines) > 1 {
				more = true
				lines = lines[:len(lines)-1]
				return errEnough
			}
			return nil
		}
		if int64(len(lines)) > 2*w.limit {
			more = true
			lines = slices.Delete(lines, 0, len(lines)-int(w.limit))
		}
		return nil
	}
	switch {
	case w.from && w.bounded && w.limit == 0, !w.from && w.limit == 0:
		return nil, false, nil
	case w.from:
		err = logfile.From(ctx, log, w.offset, logfile.Query{}, add)
	case keep.keep == nil && keep.drop == nil:
		err = logfile.Tail(ctx, log, logfile.Query{Limit: w.limit + 1}, add)
	default:
		err = logfile.After(ctx, log, 0, 0, logfile.Query{}, add)
	}
	if err == errEnough { //nolint:errorlint // our own, not wrapped
		err = nil
	}
	if !w.from && int64(len(lines)) > w.limit {
		more = true
		lines = slices.Delete(lines, 0, len(lines)-int(w.limit))
	}
	return lines, more, err
}

// screen shows a terminal's screen as text.
func (a *agent) screen(ctx context.Context, j engine.Job, _ *args) (*answer, error) {
	if !j.HasTerminal() {
		return nil, &failure{
			code: "unsupported", id: j.ID, message: fmt.Sprintf("%s has no screen: it was started without a terminal", j.ID),
			hint: call("log", j.ID) + ` shows its output; bash with "pty":true gives a command a terminal`,
		}
	}
	s, err := a.eng.Screen(ctx, j.ID)
	if err != nil {
		return nil, failed(j, "show the screen of", err)
	}
	ans := about(j, time.Now())
	ans.body.head = fold(s.Text)
	ans.Screen = &screen{
		Cols: s.Size.Cols, Rows: s.Size.Rows, CursorX: s.CursorX, CursorY: s.CursorY,
		Title: oneLine(s.Title, 200), Alternate: s.Alternate,
	}
	ans.Next = call("send-keys", j.ID, "keys", []string{"Enter"})
	if j.Status.Finished() {
		ans.Next = ""
	}
	return ans, nil
}
