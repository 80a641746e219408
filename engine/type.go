package engine

import (
	"context"
	"errors"
)

// Type types p into a session. The session needs control for that: Type takes it first, with the
// caller's size, unless has is set, and again if another session has taken it since.
func Type(ctx context.Context, t Terminal, has bool, size Size, p []byte) error {
	if has {
		if err := t.Write(ctx, p); !errors.Is(err, ErrNotControl) {
			return err
		}
	}
	if err := t.TakeControl(ctx); err != nil {
		return err
	}
	if err := t.Resize(ctx, size); err != nil {
		return err
	}
	return t.Write(ctx, p)
}
