package jobdir

import (
	"context"
	"errors"
	"path/filepath"
	"time"
)

// Exclusive waits for a lock of the whole root, by name, until ctx is done.
func (r *Root) Exclusive(ctx context.Context, name string) (*Held, error) {
	if err := r.Make(); err != nil {
		return nil, err
	}
	for {
		h, err := lockFile(filepath.Join(r.Jobs(), "."+name))
		if !errors.Is(err, ErrLocked) {
			return h, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
