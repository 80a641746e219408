package logfile

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"unicode/utf8"
)

// errStop ends a scan early, without an error.
var errStop = errors.New("stop")

// unknown is the number of a line that was not counted.
const unknown = -1

// rawLine is a line before rendering.
type rawLine struct {
	number   int64
	off, end int64
	raw      []byte // including LF; nil for a long line
	head     []byte // only of a long line: its first MaxRaw bytes
	text     []byte // likewise
	over     int64
	open     bool
	gap      int64
	torn     int  // bytes at off, not in raw or text, of a character whose first bytes were dropped
	cutOff   bool // the hole starts at end
}

// lineWidth is the number of bytes of text that a line keeps.
const lineWidth = 64 << 10

// A scanner finds the lines that match a query. It must not be used concurrently.
type scanner struct {
	src             Source
	filter, exclude *matcher
	render          *renderer
}

func newScanner(src Source, q Query) *scanner {
	s := &scanner{src: src, render: newRenderer(maxMatchWidth)}
	if q.Filter != nil {
		s.filter = newMatcher(q.Filter)
	}
	if q.Exclude != nil {
		s.exclude = newMatcher(q.Exclude)
	}
	return s
}

// forward calls fn for each matching line that begins at from or later, and before to. from
// must be the beginning of a line and number its number. The line is valid during the call.
// If fn returns errStop, forward ends without an error.
func (s *scanner) forward(ctx context.Context, from, to, number int64, fn func(rawLine) error) error {
	w, err := newWalker(ctx, s.src, from)
	if err != nil {
		return err
	}
	number = numberAfterUncounted(w.hole, from, number)
	for w.pos < to {
		c, ok, err := w.forward(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		number, err = s.chunk(ctx, w, c, to, number, fn)
		if errors.Is(err, errStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// numberAfterUncounted returns the number of the line at off, which is unknown before the
// end of a hole whose lines were not counted.
func numberAfterUncounted(h Hole, off, number int64) int64 {
	if h.uncounted() && off < h.End {
		return unknown
	}
	return number
}

// chunk scans one chunk and returns the number of the line after it.
func (s *scanner) chunk(ctx context.Context, w *walker, c chunk, to, number int64, fn func(rawLine) error) (int64, error) {
	switch {
	case c.gap > 0:
		err := fn(rawLine{number: unknown, off: c.off, end: c.off + c.gap, gap: c.gap})
		return numberAfterGap(w.hole, c, number), err
	case c.data == nil:
		if c.long <= c.off {
			return number, nil
		}
		f, err := s.longLine(ctx, c, w.hole)
		f.number = number
		if err == nil && s.wantsText(f.text) {
			err = fn(f)
		}
		return advance(number, lineFeeds(!f.open)), err
	}
	var err error
	at := 0 // number is that of the line at this index
	s.lines(c.data, func(start, end int) bool {
		if c.off+int64(start) >= to {
			err = errStop
			return false
		}
		number = advance(number, int64(bytes.Count(c.data[at:start], lf)))
		at = start
		f := rawLine{
			number: number,
			off:    c.off + int64(start),
			end:    c.off + int64(end),
			open:   c.data[end-1] != '\n',
		}
		f.torn = w.hole.torn(c.data[start:end], f.off)
		f.raw = c.data[start+f.torn : end]
		f.cutOff = w.hole.startsAt(f.end)
		err = fn(f)
		return err == nil
	})
	if err != nil {
		return number, err
	}
	return advance(number, int64(bytes.Count(c.data[at:], lf))), nil
}

// numberAfterGap returns the number of the line after the gap c of a hole.
func numberAfterGap(h Hole, c chunk, number int64) int64 {
	switch {
	case h.Lines < 0:
		return 0
	case c.off != h.Start: // the hole grew during the scan
		return unknown
	}
	return advance(number, h.Lines)
}

var lf = []byte{'\n'}

func advance(number, by int64) int64 {
	if number == unknown {
		return unknown
	}
	return number + by
}

func lineFeeds(one bool) int64 {
	if one {
		return 1
	}
	return 0
}

// lines calls fn with the range of each matching line in a block of complete lines.
func (s *scanner) lines(block []byte, fn func(start, end int) bool) {
	each := fn
	if s.exclude != nil {
		each = func(start, end int) bool {
			return s.exclude.raw(block[start:end]) || fn(start, end)
		}
	}
	if s.filter != nil {
		s.filter.lines(block, each)
		return
	}
	for start := 0; start < len(block); {
		end := start + indexOr(bytes.IndexByte(block[start:], '\n'), len(block)-start-1) + 1
		if !each(start, end) {
			return
		}
		start = end
	}
}

// selects reports whether the query selects a line. matches applies one of its patterns to the line.
func (s *scanner) selects(matches func(*matcher) bool) bool {
	if s.filter != nil && !matches(s.filter) {
		return false
	}
	return s.exclude == nil || !matches(s.exclude)
}

// wantsText reports whether a line matches, given its text.
func (s *scanner) wantsText(text []byte) bool {
	return s.selects(func(m *matcher) bool { return m.text(text) })
}

// wants reports whether f matches.
func (s *scanner) wants(f rawLine) bool {
	switch {
	case f.gap > 0:
		return true
	case f.raw == nil:
		return s.wantsText(f.text)
	}
	return s.selects(func(m *matcher) bool { return m.raw(f.raw) })
}

const longBlock = 256 << 10

// longLine reads a line that is longer than a block.
func (s *scanner) longLine(ctx context.Context, c chunk, hole Hole) (rawLine, error) {
	f := rawLine{off: c.off, end: c.long, open: true}
	s.render.reset()
	buf := make([]byte, min(c.long-c.off, longBlock))
	for at := c.off; at < c.long; {
		n, err := readFull(ctx, s.src, buf[:min(int64(len(buf)), c.long-at)], at)
		if err != nil {
			return f, err
		}
		if n == 0 {
			break
		}
		data := buf[:n]
		if at == c.off {
			f.torn = hole.torn(data, at)
			data = data[f.torn:]
		}
		at += int64(n)
		if at == c.long && buf[n-1] == '\n' {
			f.open = false
			data = bytes.TrimSuffix(data, lf)
		}
		f.head = append(f.head, data[:min(len(data), MaxRaw-len(f.head))]...)
		s.render.write(data)
	}
	f.cutOff = hole.startsAt(f.end)
	f.text, f.over = s.render.endOf(f)
	return f, nil
}

// line renders f.
func (s *scanner) line(f rawLine) Line {
	l := Line{
		Number: f.number,
		Off:    f.off,
		End:    f.end,
		Open:   f.open,
		Gap:    f.gap,
	}
	if f.gap > 0 {
		return l
	}
	if f.raw != nil {
		f.head = bytes.TrimSuffix(f.raw, lf)
		s.render.reset()
		s.render.write(f.head)
		f.text, f.over = s.render.endOf(f)
	}
	l.Raw, l.RawCut = beginningOf(f)
	text := f.text
	if len(text) > lineWidth {
		n := lineWidth
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:clusterEdge(string(text), n, false)]
	}
	l.Text, l.Cut = string(text), f.over+int64(len(f.text)-len(text))
	return l
}

// beginningOf returns the bytes of a line, at most MaxRaw, in whole characters.
func beginningOf(f rawLine) (raw []byte, cut bool) {
	raw = f.head[:min(len(f.head), MaxRaw)]
	end := f.end
	if !f.open {
		end--
	}
	if cut = end-f.off > MaxRaw; cut || f.open {
		raw = raw[:len(raw)-IncompleteRune(raw)]
	}
	return slices.Clip(append([]byte(nil), raw...)), cut
}
