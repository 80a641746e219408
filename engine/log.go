package engine

import (
	"context"
	"regexp"
	"time"
)

// Log reads one stream of a job as lines. A line ends in LF; its text is what a
// terminal would show of it. Safe for concurrent use. It stays readable when the
// job is removed.
type Log struct{}

// Line is one line of a log.
type Line struct {
	Number int64  // from 0, the first ever written; -1: not known
	Start  int64  // offset of its first byte
	End    int64  // offset behind its line feed, or the log's end
	Text   string // escapes gone, carriage returns folded
	Raw    []byte // as it was written, without the line feed; at most 64 KiB
	Cut    bool   // Raw and Text are not all of it
	// Dropped is how many bytes are missing between the line before and this one.
	Dropped int64
}

// OpenLog opens one stream of a job.
func (e *Engine) OpenLog(ctx context.Context, id ID, s Stream) (*Log, error) {
	return nil, ErrUnsupported
}

// Close closes the log.
func (l *Log) Close() error { return nil }

// Size is how far the log reaches.
func (l *Log) Size(ctx context.Context) (int64, error) { return 0, ErrUnsupported }

// ReadAt reads bytes by absolute offset; inside a dropped range zeros.
func (l *Log) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return 0, ErrUnsupported
}

// Holes lists the dropped ranges.
func (l *Log) Holes(ctx context.Context) ([]Range, error) { return nil, ErrUnsupported }

// Tail returns the last n lines.
func (l *Log) Tail(ctx context.Context, n int) ([]Line, error) { return nil, ErrUnsupported }

// LinesFrom returns n lines from line number line on.
func (l *Log) LinesFrom(ctx context.Context, line int64, n int) ([]Line, error) {
	return nil, ErrUnsupported
}

// Window returns up to before lines that end at or before the line at offset off
// and up to after lines from that line on. It is how a view scrolls: its cost
// does not depend on where in the log it is.
func (l *Log) Window(ctx context.Context, off int64, before, after int) ([]Line, error) {
	return nil, ErrUnsupported
}

// CountLines counts the lines ever written.
func (l *Log) CountLines(ctx context.Context) (int64, error) { return 0, ErrUnsupported }

// Match is a line that a search found.
type Match struct {
	Line  Line
	Spans [][2]int // byte ranges in Line.Text
}

// Search calls found for each line that matches re from offset from on, in
// order, until found returns false.
func (l *Log) Search(ctx context.Context, re *regexp.Regexp, from int64, found func(Match) bool) error {
	return ErrUnsupported
}

// TimeAt says when the byte at off was written; ok is false where no times are
// kept.
func (l *Log) TimeAt(off int64) (at time.Time, ok bool) { return time.Time{}, false }
