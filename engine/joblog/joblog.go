// Package joblog reads the output of a job as lines: windows of them for views, searches, line numbers,
// and lines as they are added. [github.com/hobjobs/hob/engine.Handle.Log] returns a [Log]:
//
//	log, err := eng.Handle(id).Log(ctx, engine.StreamOutput)
//	defer log.Close()
//	for line, err := range log.Lines(ctx, joblog.Query{Last: true, Limit: 10}) {
//
// Offsets count bytes from the first one ever written, also if the log no longer has it.
package joblog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

// Log reads one stream of a job as lines. A line ends in LF; its text is what a terminal would show
// of it. A Log is safe for concurrent use and stays readable after the job is removed.
type Log struct {
	// Output reads the log by offset: its size, its bytes, and the ranges that were dropped.
	record.Output

	src   jobdir.Source
	index *logfile.Index
	times Times // nil if no times are recorded
}

// Times has the times at which the bytes of a log were written.
type Times interface {
	// WrittenAt returns when the byte at off was written.
	WrittenAt(ctx context.Context, off int64) (at time.Time, ok bool)
	Close() error
}

// New returns the log whose bytes are read from out; times may be nil. The log closes both.
func New(out record.Output, times Times) *Log {
	return &Log{Output: out, src: jobdir.Source{Output: out}, index: logfile.NewIndex(), times: times}
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

// Close closes the log.
func (l *Log) Close() error {
	err := l.src.Close()
	if l.times != nil {
		err = errors.Join(err, l.times.Close())
	}
	return err
}

// ReadAt reads at offset off, counted from the first byte ever written. Dropped ranges read as zeros.
// At the end it returns io.EOF. It returns ErrInvalid for a negative offset.
func (l *Log) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("%w: a negative offset; 0 is the first byte ever written", record.ErrInvalid)
	}
	return l.src.ReadAt(ctx, p, off)
}

// Bytes returns the bytes between two offsets, without dropped ranges.
func (l *Log) Bytes(ctx context.Context, from, to int64) ([]byte, error) {
	p, _, err := logfile.ReadAll(ctx, l.src, from, to)
	return p, err
}

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
	return All(lines)
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
func (l *Log) TimeAt(ctx context.Context, off int64) (at time.Time, ok bool) {
	if l.times == nil {
		return time.Time{}, false
	}
	return l.times.WrittenAt(ctx, off)
}

// Times returns the times that the log was made with; the log closes them.
func (l *Log) Times() Times { return l.times }

// Query selects lines of a log: from line From on, those whose text passes Filter and Exclude, and
// of these the first or last Limit lines. The zero value selects all lines.
type Query struct {
	From  int64 // number of the first line, from 0; ignored if Last is set
	Last  bool  // the last Limit lines instead of the first
	Limit int64 // at most this many lines; 0: all
	// Filter keeps the lines that it matches, Exclude drops the lines that it matches. Both match
	// against the line's text; nil imposes no condition.
	Filter, Exclude *regexp.Regexp
	// Numbers requests line numbers even if that means reading all of the log before the first
	// line, as with Last.
	Numbers bool
}

// Lines returns the lines that q selects, in the order of the log. They are read as the sequence is
// consumed, so lines added meanwhile may be included. An error is the last element.
func (l *Log) Lines(ctx context.Context, q Query) iter.Seq2[Line, error] {
	return each(func(line func(logfile.Line) error) error {
		if q.Last {
			return logfile.Tail(ctx, l.src, q.ofFile(), line)
		}
		return logfile.From(ctx, l.src, q.From, q.ofFile(), line)
	})
}

// each returns the lines that read finds as a sequence.
func each(read func(line func(logfile.Line) error) error) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		dropped := int64(0) // before the next line
		err := read(func(found logfile.Line) error {
			if found.Gap != 0 {
				dropped += found.Gap
				return nil
			}
			line := Line{
				Number:  found.Number,
				Start:   found.Off,
				End:     found.End,
				Text:    found.Text,
				Raw:     found.Raw,
				Cut:     found.Cut > 0 || found.RawCut,
				TextCut: found.Cut > 0,
				Dropped: dropped,
			}
			dropped = 0
			if !yield(line, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(Line{}, err)
		}
	}
}

// All collects all lines, or those before an error.
func All(lines iter.Seq2[Line, error]) (all []Line, err error) {
	for line, err := range lines {
		if err != nil {
			return all, err
		}
		all = append(all, line)
	}
	return all, nil
}

func (q Query) ofFile() logfile.Query {
	f := logfile.Query{Limit: q.Limit, Numbered: q.Numbers}
	if q.Filter != nil {
		f.Filter = logfile.FromRegexp(q.Filter)
	}
	if q.Exclude != nil {
		f.Exclude = logfile.FromRegexp(q.Exclude)
	}
	return f
}

// Follower reads lines as they are appended to a log. The condition Look of an engine reports when there
// may be new ones. A Follower must not be used concurrently.
type Follower struct {
	feed *logfile.Follower
	from int64 // lines with smaller numbers are skipped
}

// Follow returns a follower for the lines that q selects and those added later. With Last it begins
// with the last Limit lines; if Limit is 0, with none. Otherwise it begins with line From, which
// may not exist yet, and ignores Limit.
func (l *Log) Follow(ctx context.Context, q Query) (*Follower, error) {
	off, number, err := l.followStart(ctx, q)
	if err != nil {
		return nil, err
	}
	f := &Follower{feed: logfile.NewFollower(l.src, off, number, q.ofFile())}
	if !q.Last {
		f.from = q.From
	}
	return f, nil
}

// FollowFrom returns a follower for the lines that q selects by its Filter and Exclude, beginning with the
// line that contains the byte at off. They have no numbers.
func (l *Log) FollowFrom(ctx context.Context, off int64, q Query) (*Follower, error) {
	start, err := logfile.LineStart(ctx, l.src, off)
	if err != nil {
		return nil, err
	}
	return &Follower{feed: logfile.NewFollower(l.src, start, -1, q.ofFile())}, nil
}

// followStart returns the offset of the first line that a follower reads, and its number if known.
func (l *Log) followStart(ctx context.Context, q Query) (off, number int64, err error) {
	if q.Last {
		// What is added while the lines are looked for is new, so the size is read first.
		size, err := l.Size(ctx)
		if err != nil {
			return 0, -1, err
		}
		if q.Limit > 0 {
			for line, err := range l.Lines(ctx, q) {
				return line.Start, line.Number, err
			}
		}
		off, err = logfile.LineStart(ctx, l.src, size) // its last line may still grow
		return off, -1, err
	}
	for line, err := range l.Lines(ctx, Query{From: q.From, Limit: 1}) {
		return line.Start, line.Number, err
	}
	// Later lines are numbered from the last one.
	last := logfile.Query{Limit: 1, Numbered: true}
	err = logfile.Tail(ctx, l.src, last, func(line logfile.Line) error {
		off, number = line.Off, line.Number
		return nil
	})
	if err == nil && number > q.From {
		// The line was added after the search for it, and others after it.
		return l.followStart(ctx, q)
	}
	return off, number, err
}

// Read returns the complete lines added since the last call. With rest set, for a log that is
// complete, it also returns a last line without a line feed. Lines after the one at which the
// caller breaks out of the loop are returned again by the next call.
func (f *Follower) Read(ctx context.Context, rest bool) iter.Seq2[Line, error] {
	read := f.feed.Read
	if rest {
		read = f.feed.Rest
	}
	return each(func(line func(logfile.Line) error) error {
		return read(ctx, func(found logfile.Line) error {
			if found.Number >= 0 && found.Number < f.from {
				return nil
			}
			return line(found)
		})
	})
}

// Piece is a part of a log's bytes.
type Piece struct {
	Data    []byte // valid until the next piece is read
	Next    int64  // the offset after Data
	Dropped int64  // number of bytes missing before Data
}

// pieceSize is the read size in bytes.
const pieceSize = 128 << 10

// Pieces returns the bytes from offset from to the end of the log, in pieces, without dropped
// ranges. An error is the last element.
func (l *Log) Pieces(ctx context.Context, from int64) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		buf := make([]byte, pieceSize)
		for next := from; ; {
			found, err := logfile.Read(ctx, l.src, buf, next)
			if err != nil {
				yield(Piece{}, err)
				return
			}
			next = found.Next()
			if found.N == 0 || !yield(Piece{Data: buf[:found.N], Next: next, Dropped: found.Dropped}, nil) {
				return
			}
		}
	}
}
