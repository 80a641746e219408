package logview

import (
	"context"
	"regexp"
	"time"

	"github.com/hobjobs/hob/engine"
)

// Source is what a log view reads from; *engine.Log is one. Its methods are
// called from commands, several at a time.
type Source interface {
	Size(ctx context.Context) (int64, error)
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	Window(ctx context.Context, off int64, before, after int) ([]engine.Line, error)
	// Matching calls found with the range of each line that re matches, from the
	// line on that the byte at from belongs to, among those that begin before to.
	Matching(ctx context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error
	TimeAt(off int64) (time.Time, bool)
}

// Numberer is a [Source] that can tell the number of the line at an offset.
type Numberer interface {
	LineNumber(ctx context.Context, off int64) (int64, error)
}

var _ Source = (*engine.Log)(nil)

// CopyMsg carries text that the person wants on the clipboard.
type CopyMsg struct {
	Text string
	Line bool // it is the line that stood there, not a selection
	Cut  bool // there was more of it than is copied
}

// NoticeMsg carries a short remark for the person: why nothing happened, or that
// a search began again at the other end.
type NoticeMsg struct{ Text string }
