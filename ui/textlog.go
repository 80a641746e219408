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
	"github.com/hobjobs/hob/internal/vt"
)

// textLog is text in memory, shown like the log of a job.
type textLog struct {
	text  string
	lines []engine.Line
}

func newTextLog(text string) *textLog {
	text = strings.TrimRight(text, "\r\n ")
	l := &textLog{text: text}
	start := int64(0)
	for line := range strings.Lines(text) {
		end := start + int64(len(line))
		raw := strings.TrimRight(line, "\r\n")
		l.lines = append(l.lines, engine.Line{
			Number: int64(len(l.lines)), Start: start, End: end, Text: vt.Strip(raw), Raw: []byte(raw),
		})
		start = end
	}
	return l
}

func (l *textLog) Size(context.Context) (int64, error)  { return int64(len(l.text)), nil }
func (l *textLog) TimeAt(int64) (at time.Time, ok bool) { return time.Time{}, false }
func (l *textLog) Close() error                         { return nil }

func (l *textLog) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(len(l.text)) {
		return 0, io.EOF
	}
	return bytes.NewReader([]byte(l.text)).ReadAt(p, off)
}

func (l *textLog) Window(_ context.Context, off int64, before, after int) ([]engine.Line, error) {
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
