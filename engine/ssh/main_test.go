package ssh

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) {
	testtool.InParallel(5) // many wait for timeouts; more at a time would make the others late on a busy machine
	os.Exit(testtool.RunWithoutLeaks(m))
}

// readOutput reads from one stream of a job. At its end, n is 0.
func readOutput(ctx context.Context, h *engine.Handle, p []byte, off int64) (n int, size int64, err error) {
	log, err := h.Log(ctx, engine.StreamOutput)
	if err != nil {
		return 0, 0, err
	}
	defer log.Close()
	if size, err = log.Size(ctx); err != nil {
		return 0, 0, err
	}
	if n, err = log.ReadAt(ctx, p, off); errors.Is(err, io.EOF) {
		err = nil
	}
	return n, size, err
}
