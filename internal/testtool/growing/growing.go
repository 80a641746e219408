// Package growing has an output that grows while a reader begins.
package growing

import (
	"context"
	"io"

	"github.com/hobjobs/hob/engine/record"
)

// MostRequests is more than a reader makes before it waits.
const MostRequests = 30

// Output has its first part for a number of requests, then all. One goroutine uses it.
type Output struct {
	First, All string
	Requests   int // how many see First only
}

func (o *Output) text() string {
	if o.Requests--; o.Requests >= 0 {
		return o.First
	}
	return o.All
}

// ReadAt implements the engine's Output, as the other methods do.
func (o *Output) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	text := o.text()
	if off >= int64(len(text)) {
		return 0, io.EOF
	}
	return copy(p, text[off:]), nil
}

// Size returns the size that a request sees.
func (o *Output) Size(context.Context) (int64, error) { return int64(len(o.text())), nil }

// Holes returns none; it counts as a request.
func (o *Output) Holes(context.Context) ([]record.Range, error) {
	o.text()
	return nil, nil
}

// Close does nothing.
func (o *Output) Close() error { return nil }
