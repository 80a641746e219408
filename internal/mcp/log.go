package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/units"
)

// logLines is how many lines log shows unless it is asked for others.
const logLines = 200

// log pages through the output by lines, and consumes nothing.
func (a *agent) log(ctx context.Context, j engine.Job, in processArgs) (*answer, error) {
	from, bounded := in.Offset != nil, in.Limit != nil
	offset, limit := int64(0), int64(logLines)
	if from {
		offset = *in.Offset
	}
	if bounded {
		limit = *in.Limit
	}
	keep, err := newLineFilter(in)
	if err != nil {
		return nil, err
	}
	ans := about(j, time.Now())
	if ans.Next = next(j); ans.Next == call("log", j.ID) {
		ans.Next = ""
	}
	// A page goes on where it ends, so nothing is to be left out of it: news and
	// what stands around take the rest.
	most := a.c.Settings.MaxOutputChars
	w := window{
		from: from, offset: offset, limit: limit, bounded: bounded || !from, keep: keep,
		room: max(100, most-most/4-utf8.RuneCountInString(ans.render("", ""))-600),
	}
	w.room /= len(j.Streams())
	ans.body, err = eachStream(j, func(s engine.Stream) (excerpt, error) { return a.window(ctx, j, s, w, ans) })
	if err != nil {
		return nil, failed(j, "read the log of", err)
	}
	if !j.Status.Finished() {
		ans.note("it is still running: there may be more later")
	}
	if n := a.reads.repeated(j, "log", labeled(ans.body.head, ans.body.errs()), fmt.Sprint(offset, limit, bounded)); n != "" && !j.Status.Finished() {
		ans.note("%s", n)
	}
	return ans, nil
}

// window is which lines were asked for.
type window struct {
	from          bool // from line offset on; else the last ones
	bounded       bool // at most limit
	offset, limit int64
	room          int // characters that fit
	keep          lineFilter
}

// page is what there is in a window.
type page struct {
	lines []string
	size  int // characters
	more  bool
	next  int64 // of a window from a line on: where the next one begins
	long  bool  // a line was longer than what is kept of one
}

// window reads the lines of one stream, and adds to an answer what else there is to
// say of them.
func (a *agent) window(ctx context.Context, j engine.Job, s engine.Stream, w window, ans *answer) (x excerpt, err error) {
	log, err := a.eng.OpenLog(ctx, j.ID, s)
	if err != nil {
		return x, err
	}
	defer log.Close()
	total, err := log.CountLines(ctx)
	if err != nil {
		return x, err
	}
	sample, err := w.sample(ctx, log)
	if err != nil {
		return x, err
	}
	if n := a.binary(ctx, j, s, sample); n != "" {
		x.notices = []string{n}
		return x, nil
	}
	p, err := w.read(ctx, log)
	if err != nil {
		return x, err
	}
	first := max(0, total-int64(len(p.lines)))
	switch {
	case w.from:
		first = w.offset
	case w.filters():
		first = 0
	}
	if s == engine.StreamStderr && len(p.lines) == 0 {
		return x, nil
	}
	var b strings.Builder
	for _, l := range p.lines {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	x.head = b.String()
	if s != engine.StreamStderr {
		ans.Offset, ans.TotalLines = &first, &total
	}
	ans.Truncated = ans.Truncated || p.more || p.long
	if p.long {
		ans.note("[…] ends a line that is longer than what is shown of one; all of it is in %s", pathsOf(j))
	}
	switch {
	case w.from && w.offset >= total && s != engine.StreamStderr && !(w.bounded && w.limit == 0):
		ans.note("there is no line %d: it has %d so far, from 0 on", w.offset, total)
	case p.more && w.from:
		ans.note("lines from %d on; %s goes on", first, call("log", j.ID, append([]any{"offset", p.next, "limit", logLines}, w.keep.again()...)...))
	case p.more && w.limit == logLines && w.filters():
		ans.note("these are the last %d lines of those; %s shows the first", len(p.lines), call("log", j.ID, append([]any{"offset", 0, "limit", logLines}, w.keep.again()...)...))
	case p.more && w.limit == logLines:
		ans.note("these are the last %d of %d lines; %s shows the first", len(p.lines), total, call("log", j.ID, "offset", 0, "limit", logLines))
	case p.more && int64(len(p.lines)) < w.limit && !w.filters():
		ans.note("only the last %d of these %d lines fit; %s shows the first", len(p.lines), min(w.limit, total),
			call("log", j.ID, "offset", max(0, total-w.limit), "limit", logLines))
	}
	return x, nil
}

// sample is some of the bytes that the window is about.
func (w window) sample(ctx context.Context, log *engine.Log) ([]byte, error) {
	size, err := log.Size(ctx)
	off := max(0, size-logfile.BinarySample)
	if err == nil && w.from {
		off, _, err = log.LineOffset(ctx, w.offset)
	}
	if err != nil || off >= size {
		return nil, err
	}
	return log.Bytes(ctx, off, min(size, off+logfile.BinarySample))
}

func (w window) filters() bool { return w.keep.keep != nil || w.keep.drop != nil }

// read collects the texts of the lines in the window. More are there that were not
// asked for, or did not fit.
func (w window) read(ctx context.Context, log *engine.Log) (p page, err error) {
	switch {
	case w.bounded && w.limit == 0:
		return p, nil
	case w.from:
		err = logfile.From(ctx, log, w.offset, logfile.Query{}, func(l logfile.Line) error { return p.append(w, l) })
	case !w.filters():
		// Lines that do not fit need not be read: each takes at least its end.
		most := min(w.limit, int64(2*w.room))
		err = logfile.Tail(ctx, log, logfile.Query{Limit: most + 1}, func(l logfile.Line) error { return p.slide(w, l) })
	default:
		err = logfile.After(ctx, log, 0, 0, logfile.Query{}, func(l logfile.Line) error { return p.slide(w, l) })
	}
	if err == errEnough { //nolint:errorlint // our own, not wrapped
		err = nil
	}
	if !w.from && int64(len(p.lines)) > w.limit {
		p.drop(len(p.lines) - int(w.limit))
	}
	return p, err
}

// text is a line as it is shown; ok is false for one that the filter drops.
func (p *page) text(w window, l logfile.Line) (text string, ok bool) {
	if l.Gap > 0 {
		return "[… " + units.FormatBytes(l.Gap) + " dropped …]", true
	}
	if !w.keep.keeps(l.Text) {
		return "", false
	}
	text = shown(l.Text)
	if l.Cut > 0 {
		text += " […]"
		p.long = true
	}
	return text, true
}

// append adds a line, or ends the page in front of it.
func (p *page) append(w window, l logfile.Line) error {
	text, ok := p.text(w, l)
	if !ok {
		return nil
	}
	size := utf8.RuneCountInString(text) + 1
	full := w.bounded && int64(len(p.lines)) >= w.limit || len(p.lines) > 0 && p.size+size > w.room
	if full && l.Gap == 0 { // a gap has no number to go on from
		p.more, p.next = true, l.Number
		return errEnough
	}
	p.lines = append(p.lines, text)
	p.size += size
	return nil
}

// slide adds a line, and drops first ones that are no longer among the last.
func (p *page) slide(w window, l logfile.Line) error {
	text, ok := p.text(w, l)
	if !ok {
		return nil
	}
	p.lines = append(p.lines, text)
	p.size += utf8.RuneCountInString(text) + 1
	if n := len(p.lines); int64(n)/2 > w.limit {
		p.drop(n - int(w.limit))
	}
	if p.size > 4*w.room { // of what is too long the begin is shown too, see excerpt
		n := 0
		for size := p.size; size > 2*w.room && n < len(p.lines)-1; n++ {
			size -= utf8.RuneCountInString(p.lines[n]) + 1
		}
		p.drop(n)
	}
	return nil
}

// drop drops the first n lines.
func (p *page) drop(n int) {
	for _, l := range p.lines[:n] {
		p.size -= utf8.RuneCountInString(l) + 1
	}
	p.lines, p.more = slices.Delete(p.lines, 0, n), true
}

// screen shows a terminal's screen as text.
func (a *agent) screen(ctx context.Context, j engine.Job, _ processArgs) (*answer, error) {
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
	ans.body.head = shown(s.Text)
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
