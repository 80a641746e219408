package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"

	"github.com/hobjobs/hob/engine"
)

// A lineFeed reads a log line by line as it grows.
type lineFeed struct {
	log  *engine.Log
	next int64 // offset of the first line not yet given out
}

// linesAtOnce is how many lines are read in one step.
const linesAtOnce = 1024

// read calls line for each line from next on until line returns an error. A last
// line that lacks its end is given out only with final; else its text so far is
// returned.
func (f *lineFeed) read(ctx context.Context, final bool, line func(engine.Line) error) (partial string, err error) {
	for {
		lines, err := f.log.Window(ctx, f.next, 0, linesAtOnce)
		if err != nil || len(lines) == 0 {
			return "", err
		}
		for i, l := range lines {
			if i == len(lines)-1 && !final {
				whole, err := f.whole(ctx, l)
				if err != nil || !whole {
					return l.Text, err
				}
			}
			if l.End <= f.next {
				return "", nil
			}
			f.next = l.End
			if err := line(l); err != nil {
				return "", err
			}
		}
	}
}

// whole reports whether l ends in a line feed.
func (f *lineFeed) whole(ctx context.Context, l engine.Line) (bool, error) {
	if l.End == l.Start {
		return false, nil
	}
	var last [1]byte
	_, err := f.log.ReadAt(ctx, last[:], l.End-1)
	return last[0] == '\n', err
}

// catchUp searches what there is already, which is faster than line by line, and
// leaves the last line to find, because it may still grow. The error is
// errEnough when a line matches.
func (f *lineFeed) catchUp(ctx context.Context, re *regexp.Regexp) error {
	last, err := f.log.Tail(ctx, 1)
	if err != nil || len(last) == 0 {
		return err
	}
	found := false
	err = f.log.Search(ctx, re, f.next, func(engine.Match) bool {
		found = true
		return false
	})
	if found {
		return errEnough
	}
	f.next = last[0].Start
	return err
}

// find returns errEnough when a line from next on matches.
func (f *lineFeed) find(ctx context.Context, re *regexp.Regexp, ended bool) error {
	partial, err := f.read(ctx, ended, func(l engine.Line) error {
		if re.MatchString(l.Text) {
			return errEnough
		}
		return nil
	})
	if err == nil && partial != "" && re.MatchString(partial) {
		return errEnough
	}
	return err
}

// A lineFilter keeps lines by what a terminal would show of them.
type lineFilter struct {
	keep, drop *regexp.Regexp // nil: no condition
}

func newLineFilter(keep, drop string) (lineFilter, error) {
	var f lineFilter
	var err error
	if f.keep, err = pattern("--filter", keep); err != nil {
		return f, err
	}
	f.drop, err = pattern("--exclude", drop)
	return f, err
}

// active reports whether there is any condition.
func (f lineFilter) active() bool { return f.keep != nil || f.drop != nil }

func (f lineFilter) keeps(text string) bool {
	return (f.keep == nil || f.keep.MatchString(text)) && (f.drop == nil || !f.drop.MatchString(text))
}

// pattern compiles a regular expression of the command line; none when empty.
func pattern(flag, s string) (*regexp.Regexp, error) {
	if s == "" {
		return nil, nil
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return nil, usagef("it is a Go regular expression; put a backslash before signs that are meant as they are", "%s: %w", flag, err)
	}
	return re, nil
}

// A byteFeed copies a log as it grows, byte for byte, and leaves out what the
// log's limit has dropped.
type byteFeed struct {
	log     *engine.Log
	taken   func(next int64) // called when all before next was copied; may be nil
	next    int64            // offset of the first byte not yet copied
	dropped int64            // bytes left out so far
	buf     []byte
}

// copyTo writes what there is from next on and returns at the log's end.
func (f *byteFeed) copyTo(ctx context.Context, w io.Writer) error {
	if f.buf == nil {
		f.buf = make([]byte, 128<<10)
	}
	for {
		size, err := f.log.Size(ctx)
		if err != nil {
			return err
		}
		if f.next >= size {
			return nil
		}
		end, err := f.skipHole(ctx, size)
		if err != nil {
			return err
		}
		for f.next < end {
			n, err := f.log.ReadAt(ctx, f.buf[:min(int64(len(f.buf)), end-f.next)], f.next)
			if n == 0 {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				return err
			}
			if at := f.next; bytes.IndexByte(f.buf[:n], 0) >= 0 {
				// It may have been freed while it was read.
				if end, err = f.skipHole(ctx, size); err != nil {
					return err
				}
				if f.next != at {
					continue
				}
			}
			f.next += int64(n)
			if _, err := w.Write(f.buf[:n]); err != nil {
				return err
			}
			if f.taken != nil {
				f.taken(f.next)
			}
		}
	}
}

// skipHole moves next behind a hole that it stands in and returns where the
// bytes behind it end: at the next hole or at size.
func (f *byteFeed) skipHole(ctx context.Context, size int64) (int64, error) {
	holes, err := f.log.Holes(ctx)
	if err != nil {
		return 0, err
	}
	end := size
	for _, h := range holes {
		if h.Start <= f.next && f.next < h.End {
			f.dropped += h.End - f.next
			f.next = h.End
		}
		if h.Start > f.next {
			end = min(end, h.Start)
		}
	}
	return end, nil
}
