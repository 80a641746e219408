package ui

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// fakeSub is a subscription that the test controls. An empty batch makes it fail.
type fakeSub struct {
	batches chan []engine.Event
	once    sync.Once
	closed  chan struct{}
	slow    chan struct{}
}

func (s *fakeSub) Next(ctx context.Context) ([]engine.Event, error) {
	select {
	case b := <-s.batches:
		if b == nil {
			return nil, errors.New("the disk is gone")
		}
		return b, nil
	case <-s.closed:
		return nil, engine.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *fakeSub) Attend(...engine.ID) {}

func (s *fakeSub) Close() error {
	if s.slow != nil {
		<-s.slow
	}
	s.once.Do(func() { close(s.closed) })
	return nil
}

// fakeLog is a log with constant text.
type fakeLog struct {
	text string
	fail error
}

func (l *fakeLog) Close() error                        { return nil }
func (l *fakeLog) Size(context.Context) (int64, error) { return int64(len(l.text)), l.fail }
func (l *fakeLog) TimeAt(int64) (time.Time, bool)      { return time.Time{}, false }
func (l *fakeLog) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	return bytes.NewReader([]byte(l.text)).ReadAt(p, off)
}

func (l *fakeLog) lines() []engine.Line {
	var lines []engine.Line
	start := int64(0)
	for text := range strings.Lines(l.text) {
		end := start + int64(len(text))
		raw := strings.TrimSuffix(text, "\n")
		lines = append(lines, engine.Line{Start: start, End: end, Text: raw, Raw: []byte(raw)})
		start = end
	}
	return lines
}

func (l *fakeLog) Window(_ context.Context, off int64, before, after int) ([]engine.Line, error) {
	lines := l.lines()
	at := 0
	for at < len(lines) && lines[at].End <= off {
		at++
	}
	return lines[max(0, at-before):min(len(lines), at+after)], nil
}

func (l *fakeLog) Matching(_ context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error {
	for _, line := range l.lines() {
		if line.End > from && line.Start < to && re.MatchString(line.Text) && !found(line.Start, line.End) {
			break
		}
	}
	return nil
}

// fakeTerminal is an attached job whose output the test sends.
type fakeTerminal struct {
	f       *fake
	chunks  chan engine.TerminalChunk
	once    sync.Once
	closed  chan struct{}
	size    engine.Size
	facts   engine.TerminalFacts
	control bool
}

func (t *fakeTerminal) send(text string) {
	t.chunks <- engine.TerminalChunk{Reset: true, Data: []byte(text), Size: t.size, Control: t.control}
}

func (t *fakeTerminal) end(e engine.Exit) {
	t.chunks <- engine.TerminalChunk{Size: t.size, Control: t.control, Exit: &e}
}

func (t *fakeTerminal) Next(ctx context.Context) (engine.TerminalChunk, error) {
	select {
	case c := <-t.chunks:
		return c, nil
	case <-t.closed:
		return engine.TerminalChunk{}, engine.ErrClosed
	case <-ctx.Done():
		return engine.TerminalChunk{}, ctx.Err()
	}
}

func (t *fakeTerminal) Write(_ context.Context, p []byte) error { return t.f.called("type %q", p) }
func (t *fakeTerminal) TakeControl(context.Context) error       { return t.f.called("take-control") }
func (t *fakeTerminal) SetFacts(_ context.Context, f engine.TerminalFacts) error {
	return t.f.called("terminal %+v", f)
}

func (t *fakeTerminal) Resize(_ context.Context, s engine.Size) error {
	return t.f.called("resize %dx%d", s.Cols, s.Rows)
}

func (t *fakeTerminal) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}
