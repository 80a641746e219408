package engine

import (
	"context"
	"time"
)

// What the tests of this package call and other packages have no use for.

func (h *Handle) Request(context.Context) (Spec, error) { return h.request() }

func (e *Engine) Sweep(ctx context.Context) error { return e.sweep(ctx) }

// WithToken makes a start idempotent.
var WithToken = withToken

// WithClock replaces time.Now for all recorded times.
func WithClock(now func() time.Time) Option {
	return func(c *config) { c.now, c.sinceBoot = now, nil }
}
