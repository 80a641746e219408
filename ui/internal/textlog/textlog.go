// Package textlog shows text in memory as the log of a job, such as the last screen of a full-screen program.
package textlog

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/vt"
)

// Log is text in memory that is shown as a log.
type Log struct {
	text  string
	lines []joblog.Line
}

// New returns a log of text, which may have escape sequences.
func New(text string) *Log {
	text = strings.TrimRight(text, "\r\n ")
	l := &Log{text: text}
	start := int64(0)
	for line := range strings.Lines(text) {
		end := start + int64(len(line))
		raw := strings.TrimRight(line, "\r\n")
		l.lines = append(l.lines, joblog.Line{
			Number: int64(len(l.lines)),
			Start:  start,
			End:    end,
			Text:   vt.Strip(raw),
			Raw:    []byte(raw),
		})
		start = end
	}
	return l
}

func (l *Log) Size(context.Context) (int64, error) { return int64(len(l.text)), nil }

func (l *Log) TimeAt(context.Context, int64) (at time.Time, ok bool) { return time.Time{}, false }

func (l *Log) LineNumber(context.Context, int64) (int64, error) { return 0, nil } // all lines have one

func (l *Log) Close() error { return nil }

func (l *Log) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(len(l.text)) {
		return 0, io.EOF
	}
	return bytes.NewReader([]byte(l.text)).ReadAt(p, off)
}

func (l *Log) Window(_ context.Context, off int64, before, after int) ([]joblog.Line, error) {
	at := sort.Search(len(l.lines), func(i int) bool { return l.lines[i].End > off })
	return l.lines[max(0, at-before):min(len(l.lines), at+after)], nil
}

func (l *Log) Matching(ctx context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error {
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
