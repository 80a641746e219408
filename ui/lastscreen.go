package ui

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/vt"
)

// headBytes is how much of a log is examined to determine its kind.
const headBytes = 128 << 10

// mostlyDrawn reports whether most of the beginning of a log was written to the alternate screen.
func mostlyDrawn(ctx context.Context, log openLog) bool {
	size, err := log.Size(ctx)
	if err != nil {
		return false
	}
	head := make([]byte, min(size, headBytes))
	n, _ := log.ReadAt(ctx, head, 0) // a partial read is sufficient
	head = head[:n]
	drawn, since := 0, -1
	for _, s := range vt.AltSwitches(head) {
		switch {
		case s.On && since < 0:
			since = s.From
		case !s.On && since >= 0:
			drawn += s.To - since
			since = -1
		}
	}
	if since >= 0 {
		drawn += n - since
	}
	return 2*drawn > n
}

// lastScreen returns the final screen of a full-screen program: the main screen with its
// scrollback, or the alternate screen if the job ended on it.
func lastScreen(ctx context.Context, eng jobEngine, id engine.ID) (openLog, bool) {
	s, err := eng.Screen(ctx, id)
	if err != nil {
		return nil, false
	}
	text := s.Main
	if s.Alternate && blank(text) {
		text = s.ANSI
	}
	if blank(text) {
		text = ""
	}
	return newTextLog(text), true
}

func blank(text string) bool { return strings.TrimSpace(vt.Strip(text)) == "" }

// textLog is text in memory that is shown as a log.
type textLog struct {
	text  string
	lines []joblog.Line
}

func newTextLog(text string) *textLog {
	text = strings.TrimRight(text, "\r\n ")
	l := &textLog{text: text}
	start := int64(0)
	for line := range strings.Lines(text) {
		end := start + int64(len(line))
		raw := strings.TrimRight(line, "\r\n")
		l.lines = append(l.lines, joblog.Line{
			Number: int64(len(l.lines)), Start: start, End: end, Text: vt.Strip(raw), Raw: []byte(raw),
		})
		start = end
	}
	return l
}

func (l *textLog) Size(context.Context) (int64, error) { return int64(len(l.text)), nil }

func (l *textLog) TimeAt(int64) (at time.Time, ok bool) { return time.Time{}, false }

func (l *textLog) LineNumber(context.Context, int64) (int64, error) { return 0, nil } // all lines have one

func (l *textLog) Close() error { return nil }

func (l *textLog) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(len(l.text)) {
		return 0, io.EOF
	}
	return bytes.NewReader([]byte(l.text)).ReadAt(p, off)
}

func (l *textLog) Window(_ context.Context, off int64, before, after int) ([]joblog.Line, error) {
	at := sort.Search(len(l.lines), func(i int) bool { return l.lines[i].End > off })
	return l.lines[max(0, at-before):min(len(l.lines), at+after)], nil
}

func (l *textLog) Matching(ctx context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error {
	for _, line := range l.lines {
		if line.Start >= to {
			break
		}
		if line.End > from && re.MatchString(line.Text) && !found(line.Start, line.End) {
			break
		}
	}
	return ctx.Err()
}
