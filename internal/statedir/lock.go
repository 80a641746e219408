package statedir

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Exclusive acquires the lock called name of the whole root. It waits until ctx is done.
func (r *Root) Exclusive(ctx context.Context, name string) (*jobdir.FileLock, error) {
	if err := r.Make(); err != nil {
		return nil, err
	}
	for {
		h, err := jobdir.LockPath(filepath.Join(r.Jobs(), "."+name))
		if !errors.Is(err, jobdir.ErrLocked) {
			return h, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
