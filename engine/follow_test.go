package engine

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/hobjobs/hob/internal/logfile"
)

// growing is an output that has its first part until its size was asked for sized times, then all.
type growing struct {
	first, all string
	sized      int
}

func (g *growing) text() string {
	if g.sized > 0 {
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

func (g *growing) Size(context.Context) (int64, error) {
	n := int64(len(g.text()))
	g.sized--
	return n, nil
}

func (g *growing) Holes(context.Context) ([]Range, error) { return nil, nil }
func (g *growing) Close() error                           { return nil }

// A follower that waits for a line finds it even if it is added, with others, while the follower
// looks for it.
func TestFollowerFindsALineAddedWhileItLooks(t *testing.T) {
	for sized := range 12 {
		out := &growing{first: "0\n1\n2", all: "0\n1\n2 go\n3\n4\n5\n", sized: sized}
		l := &Log{src: source{out}, index: logfile.NewIndex()}
		f, err := l.Follow(t.Context(), Query{From: 4})
		if err != nil {
			t.Fatal(err)
		}
		out.sized = 0
		var got []string
		for line, err := range f.Read(t.Context(), true) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, line.Text)
		}
		if want := []string{"4", "5"}; !slices.Equal(got, want) {
			t.Errorf("grown after %d sizes: lines %q, want %q", sized, got, want)
		}
	}
}
