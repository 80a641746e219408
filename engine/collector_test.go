package engine

import (
	"context"
	"errors"
	"io"
	"testing"
)

// stuck is an output that returns no bytes and no error.
type stuck struct{ Output }

func (stuck) ReadAt(context.Context, []byte, int64) (int, error) { return 0, nil }

func TestCollectorStopsOnEmptyReads(t *testing.T) {
	c := collector{src: source{stuck{}}}
	if _, err := c.raw(t.Context(), 3, 5); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error = %v, want %v", err, io.ErrNoProgress)
	}
}
