package engine

import "context"

// Subscription delivers facts to one reader; see the package comment.
type Subscription struct{}

// Subscribe subscribes to the jobs that f selects. It does no work before the
// first Next.
func (e *Engine) Subscribe(f Filter) *Subscription { return &Subscription{} }

// Next waits for the next batch. The first one is the snapshot: a created event
// for every job. It has one caller at a time.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) { return nil, ErrUnsupported }

// Close ends the subscription; a waiting Next returns ErrClosed.
func (s *Subscription) Close() error { return nil }
