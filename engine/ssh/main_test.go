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
	testtool.InParallel(12) // many wait for timeouts, and those of Slurm, which take longest, come last
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
