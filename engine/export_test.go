package engine

import "context"

// What the tests of this package call and other packages have no use for.

func (h *Handle) Request(context.Context) (Spec, error) { return h.request() }

func (e *Engine) Sweep(ctx context.Context) error { return e.sweep(ctx) }

// WithToken makes a start idempotent.
var WithToken = withToken
