package engine

import (
	"context"
	"errors"
	"io"
	"regexp"
	"testing"

	"github.com/hobjobs/hob/engine/joblog"
)

// growing is an output that has its first part for a number of requests, then all.
type growing struct {
	first, all string
	requests   int
}

func (g *growing) text() string {
	if g.requests--; g.requests >= 0 {
		return g.first
	}
	return g.all
}

func (g *growing) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	text := g.text()
	if off >= int64(len(text)) {
		return 0, io.EOF
	}
	return copy(p, text[off:]), nil
}

func (g *growing) Size(context.Context) (int64, error) { return int64(len(g.text())), nil }

func (g *growing) Holes(context.Context) ([]Range, error) {
	g.text()
	return nil, nil
}

func (g *growing) Close() error { return nil }

// mostRequests is more than a reader makes before it waits.
const mostRequests = 30

// A search for a line finds one that is added after its first request, whenever that is.
func TestLineSearchFindsLineAddedWhileItBegins(t *testing.T) {
	for _, c := range []struct {
		name, first, all string
		fromNow          bool
	}{
		{"a line of an empty log", "", "ready\n", false},
		{"a line of an empty log, from now", "", "ready\n", true},
		{"a prompt of an empty log, from now", "", "ready", true},
		{"a prompt after lines, from now", "0\n1\n", "0\n1\nready", true},
		{"the rest of an open line, from now", "0\nnot ", "0\nnot ready", true},
		{"the rest of an open line and others, from now", "0\nnot ", "0\nnot ready\n2\n3", true},
		{"a line between others", "0\n", "0\nready\n2\n", false},
		{"a line between others, from now", "0\n", "0\nready\n2\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n < mostRequests; n++ {
				out := &growing{first: c.first, all: c.all, requests: n}
				s := &lineSearch{
					log:     joblog.New(out, nil),
					pattern: regexp.MustCompile("ready"),
					fromNow: c.fromNow,
				}
				err := s.look(t.Context(), false)
				out.requests = 0
				if err == nil {
					err = s.look(t.Context(), false)
				}
				if !errors.Is(err, errFound) {
					t.Errorf("grown after %d requests: not found (%v)", n, err)
				}
			}
		})
	}
}

// A search from now on ignores a last line that does not grow, also when the job ends.
func TestLineSearchFromNowIgnoresLinesOfBefore(t *testing.T) {
	for _, text := range []string{"ready", "ready\n", "ready\nready"} {
		for _, ended := range []bool{false, true} {
			s := &lineSearch{
				log:     joblog.New(&growing{all: text}, nil),
				pattern: regexp.MustCompile("ready"),
				fromNow: true,
			}
			if err := s.look(t.Context(), false); err != nil {
				t.Errorf("%q: %q matched (%v)", text, s.match, err)
			}
			if err := s.look(t.Context(), ended); err != nil {
				t.Errorf("%q, ended %t: %q matched (%v)", text, ended, s.match, err)
			}
		}
	}
}
