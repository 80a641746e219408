package engine

import (
	"errors"
	"regexp"
	"testing"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/testtool/growing"
)

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
			for n := 1; n < growing.MostRequests; n++ {
				out := &growing.Output{First: c.first, All: c.all, Requests: n}
				s := &lineSearch{
					log:     joblog.New(out, nil),
					pattern: regexp.MustCompile("ready"),
					fromNow: c.fromNow,
				}
				err := s.look(t.Context(), false)
				out.Requests = 0
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
				log:     joblog.New(&growing.Output{All: text}, nil),
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
