package cli

import (
	"context"
	"sync"
)

// exitNoReader is the code of a program that SIGPIPE ended.
const exitNoReader = 141

// whileRead calls f, whose ctx is done when nobody reads our output any more: who
// waits for what may never come must not outlast head -n 1.
func (a *app) whileRead(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel(nil)
	work.Go(func() {
		if untilReaderGone(ctx, a.stdout) {
			cancel(errReaderGone)
		}
	})
	err := f(ctx)
	if context.Cause(ctx) == errReaderGone {
		return exitStatus(exitNoReader)
	}
	return err
}
