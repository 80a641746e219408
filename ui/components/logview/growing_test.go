package logview

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine/joblog"
)

// growing is a source that grows by a line after each request, until it has all lines.
type growing struct {
	memory
	rest []string
}

func (s *growing) grow() {
	if len(s.rest) > 0 {
		s.text += s.rest[0]
		s.rest = s.rest[1:]
	}
}

func (s *growing) Size(ctx context.Context) (int64, error) {
	defer s.grow()
	return s.memory.Size(ctx)
}

func (s *growing) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	defer s.grow()
	return s.memory.ReadAt(ctx, p, off)
}

func (s *growing) Window(ctx context.Context, off int64, before, after int) ([]joblog.Line, error) {
	defer s.grow()
	return s.memory.Window(ctx, off, before, after)
}

func (s *growing) Matching(ctx context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error {
	defer s.grow()
	return s.memory.Matching(ctx, re, from, to, found)
}

// The view shows and finds every line that is printed between two requests. It is notified of each
// growth, but not at once.
func TestNothingIsMissedWhileTheLogGrows(t *testing.T) {
	const lines = 20
	for _, c := range []struct {
		name, begin string
		only        bool
	}{
		{"an empty log", "", false},
		{"an open line", "other\nopen ", false},
		{"matching lines of an empty log", "", true},
		{"matching lines after an open line", "other\nopen ", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := show(t, "", 40, 10, true)
			src := &growing{memory: memory{text: c.begin}, rest: strings.SplitAfter(strings.TrimSuffix(numbered(1, lines), "\n"), "\n")}
			s.do(s.m.SetSource(src, true))
			cmd, err := s.m.Search("line", false)
			if err != nil {
				t.Fatal(err)
			}
			s.do(cmd)
			if c.only {
				s.do(s.m.SetMatchingOnly(true))
			}
			for size := -1; size < len(src.text); {
				size = len(src.text)
				s.do(s.m.Grown())
			}
			s.do(s.m.SetFollow(true))
			s.want("line 11", "line 20")
			if _, _, total, done := s.m.Query(); total != lines || !done {
				t.Errorf("%d matches (all searched: %t), want %d", total, done, lines)
			}
		})
	}
}

// A job with two streams grows also where this log does not, and a log may be truncated: neither is
// read again and again.
func TestGrowthElsewhereIsNotWaitedFor(t *testing.T) {
	s := show(t, numbered(1, 20), 40, 10, true)
	before := s.src.reads
	s.do(s.m.Grown())
	if s.src.reads != before {
		t.Errorf("the log was read %d times, though it has not grown", s.src.reads-before)
	}
	s.src.text = "cut\n"
	s.do(s.m.SetFollow(true))
	s.want("cut", "")
	s.grow(numbered(1, 100))
	s.want("line 91", "line 100")
}
