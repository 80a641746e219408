package engine

import (
	"context"
	"errors"
	"iter"
	"regexp"

	"github.com/hobjobs/hob/internal/logfile"
)

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
			line := lineOf(found)
			line.Dropped, dropped = dropped, 0
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

func lineOf(l logfile.Line) Line {
	return Line{
		Number: l.Number, Start: l.Off, End: l.End, Text: l.Text, Raw: l.Raw, Cut: l.Cut > 0 || l.RawCut, TextCut: l.Cut > 0,
	}
}

// allOf collects all lines, or those before an error.
func allOf(lines iter.Seq2[Line, error]) (all []Line, err error) {
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

// Follower reads lines as they are appended to a log. [Engine.Follow] reports when there may be new
// ones. A Follower must not be used concurrently.
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

// followStart returns the offset of the first line that a follower reads, and its number if known.
func (l *Log) followStart(ctx context.Context, q Query) (off, number int64, err error) {
	if q.Last && q.Limit > 0 {
		for line, err := range l.Lines(ctx, q) {
			return line.Start, line.Number, err
		}
		size, err := l.Size(ctx)
		return size, -1, err
	}
	if !q.Last {
		for line, err := range l.Lines(ctx, Query{From: q.From, Limit: 1}) {
			return line.Start, line.Number, err
		}
	}
	// The last line may still grow. Later lines are numbered from it.
	tail := logfile.Query{Limit: 1, Numbered: !q.Last}
	err = logfile.Tail(ctx, l.src, tail, func(last logfile.Line) error {
		off, number = last.Off, last.Number
		if q.Last && !last.Open {
			off, number = last.End, -1
		}
		return nil
	})
	if err == nil && !q.Last && number > q.From {
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
