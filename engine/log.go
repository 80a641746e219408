package engine

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

// Log reads one stream of a job as lines. A line ends in LF; its text is what a terminal would show
// of it. A Log is safe for concurrent use and stays readable after the job is removed.
type Log struct {
	src   source
	index *logfile.Index
	times *jobdir.Times // nil if no times are recorded
}

// Line is one line of a log.
type Line struct {
	Number int64  // from 0, the first line ever written; -1: not known
	Start  int64  // offset of its first byte
	End    int64  // offset after its line feed, or the log's end
	Text   string // without escape sequences, carriage returns applied
	Raw    []byte // as written, without the line feed; at most 64 KiB, in whole characters
	Cut    bool   // Raw or Text is incomplete
	// TextCut is set if Text is incomplete. A line that was rewritten many times has a long Raw and
	// a short Text.
	TextCut bool
	// Dropped is the number of bytes missing between the previous line and this one.
	Dropped int64
}

// OpenLog opens one stream of a job. It returns ErrNotFound, ErrInvalid for an unknown stream, or
// ErrUnsupported for a stream that this job does not have.
func (e *Engine) OpenLog(ctx context.Context, id ID, s Stream) (*Log, error) {
	out, j, err := e.openOutput(ctx, id, s)
	if err != nil {
		return nil, err
	}
	l := &Log{src: source{out}, index: logfile.NewIndex()}
	if j.Host == "" {
		t, err := jobdir.OpenTimes(e.root.Dir(string(id)))
		if err == nil {
			l.times = t
		} else if !errors.Is(err, fs.ErrNotExist) {
			e.log.Debug("cannot read times", "job", id, "err", err)
		}
	}
	return l, nil
}

// Close closes the log.
func (l *Log) Close() error {
	err := l.src.Close()
	if l.times != nil {
		err = errors.Join(err, l.times.Close())
	}
	return err
}

// Size returns the size of the log, including dropped ranges.
func (l *Log) Size(ctx context.Context) (int64, error) { return l.src.Size(ctx) }

// ReadAt reads bytes by absolute offset. Dropped ranges read as zeros.
func (l *Log) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return l.src.ReadAt(ctx, p, off)
}

// Bytes returns the bytes between two offsets, without dropped ranges.
func (l *Log) Bytes(ctx context.Context, from, to int64) ([]byte, error) {
	p, _, err := readAll(ctx, l.src, from, to)
	return p, err
}

// Holes returns the dropped ranges.
func (l *Log) Holes(ctx context.Context) ([]Range, error) { return l.src.Holes(ctx) }

// Window returns up to before lines preceding the line that contains the byte at off, then up to
// after lines from that line on. Views scroll with it: its cost does not depend on the position in
// the log. Line numbers are not set; see [Log.LineNumber].
func (l *Log) Window(ctx context.Context, off int64, before, after int) ([]Line, error) {
	start, err := logfile.LineStart(ctx, l.src, max(0, off))
	if err != nil {
		return nil, err
	}
	lines := each(func(line func(logfile.Line) error) error {
		if before > 0 {
			if err := logfile.Before(ctx, l.src, start, logfile.Query{Limit: int64(before)}, line); err != nil {
				return err
			}
		}
		if after > 0 {
			return logfile.After(ctx, l.src, start, -1, logfile.Query{Limit: int64(after)}, line)
		}
		return nil
	})
	return allOf(lines)
}

// CountLines counts the lines ever written, including dropped lines as far as they were counted.
func (l *Log) CountLines(ctx context.Context) (int64, error) { return logfile.Count(ctx, l.src) }

// LineNumber returns the number of the line that contains the byte at off, or -1 if it is not
// known. The first call reads the log up to there.
func (l *Log) LineNumber(ctx context.Context, off int64) (int64, error) {
	if err := l.countTo(ctx, func(_, upTo int64) bool { return upTo > off }); err != nil {
		return -1, err
	}
	return l.index.Number(ctx, l.src, off)
}

// LineOffset returns where the line with that number begins; ok is false if there is no such line.
// The first call reads the log up to there.
func (l *Log) LineOffset(ctx context.Context, number int64) (off int64, ok bool, err error) {
	if err := l.countTo(ctx, func(lines, _ int64) bool { return lines > number+1 }); err != nil {
		return 0, false, err
	}
	off, _, ok, err = l.index.Offset(ctx, l.src, number)
	return off, ok, err
}

const countStep = 16 << 20

// countTo extends the index until enough returns true or the log ends.
func (l *Log) countTo(ctx context.Context, enough func(lines, upTo int64) bool) error {
	for !enough(l.index.Lines()) {
		if done, err := l.index.Extend(ctx, l.src, countStep); done || err != nil {
			return err
		}
	}
	return nil
}

// Matching calls found with the start and end offsets of each line that matches re, in order, until
// found returns false. It begins with the line that contains the byte at from and ends with the
// last line that begins before to. It costs much less per line than [Log.Lines], for counting.
func (l *Log) Matching(ctx context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error {
	return logfile.MatchingLines(ctx, l.src, logfile.FromRegexp(re), max(0, from), to, found)
}

var errEnough = errors.New("enough")

// TimeAt returns when the byte at off was written; ok is false if no times are recorded.
func (l *Log) TimeAt(off int64) (at time.Time, ok bool) {
	if l.times == nil {
		return time.Time{}, false
	}
	m, ok := l.times.At(off)
	return m.At, ok
}
