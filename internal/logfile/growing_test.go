package logfile

import (
	"context"
	"io"
	"testing"
)

// growingLog is a log whose size increases with each call of Size.
type growingLog struct {
	text  string
	sizes []int64
}

func (g *growingLog) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(len(g.text)) {
		return 0, io.EOF
	}
	return copy(p, g.text[off:]), nil
}

func (g *growingLog) Size(context.Context) (int64, error) {
	size := g.sizes[0]
	if len(g.sizes) > 1 {
		g.sizes = g.sizes[1:]
	}
	return size, nil
}

// From a line that does not exist yet: if the log grows during the call, the result must be
// that line or none.
func TestFromWhileLogGrows(t *testing.T) {
	const text = "0\n1\n2 go\n3\n4\n5\n"
	for _, tt := range []struct {
		size   int64
		number int64
		want   string
	}{
		{int64(len("0\n1\n2")), 4, ""},
		{int64(len("0\n1\n2")), 3, ""},
		{int64(len("0\n1\n2")), 2, "2 go"},
		{int64(len("0\n1\n2 go\n")), 3, "3"},
		{int64(len("0\n1\n2 go\n")), 4, ""},
		{0, 1, ""},
	} {
		got := ""
		src := &growingLog{text, []int64{tt.size, int64(len(text))}}
		if err := From(t.Context(), src, tt.number, Query{Limit: 1}, func(l Line) error {
			got += l.Text
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got != tt.want {
			t.Errorf("line %d behind %d bytes: %q, want %q", tt.number, tt.size, got, tt.want)
		}
	}
}
