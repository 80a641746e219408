package local

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

// OpenOutput implements [engine.Run]: the file itself.
func (r *Run) OpenOutput(_ context.Context, s engine.Stream) (engine.Output, error) {
	name := jobdir.OutputFile
	switch s {
	case engine.StreamStdout:
		name = jobdir.StdoutFile
	case engine.StreamStderr:
		name = jobdir.StderrFile
	case engine.StreamOutput:
	}
	path := filepath.Join(r.dir, name)
	out := &output{dir: r.dir, split: s != engine.StreamOutput}
	f, err := logfile.Open(path, out.recorded)
	if errors.Is(err, os.ErrNotExist) {
		if _, derr := os.Stat(r.dir); derr == nil && (s == engine.StreamOutput) != r.split {
			return nil, r.errorOf("open output", errors.Join(engine.ErrNotFound, err))
		}
		err = errors.Join(engine.ErrNotFound, err)
	}
	if err != nil {
		return nil, r.errorOf("open output", err)
	}
	out.f = f
	return out, nil
}

// output is one of the job's logs.
type output struct {
	dir   string
	split bool
	f     *logfile.File
}

// recorded is the hole as the holder wrote it down.
func (o *output) recorded() logfile.Hole {
	st, err := jobdir.ReadState(o.dir)
	if err != nil || o.split || st.Hole.End <= st.Hole.Start {
		return logfile.Hole{} // of two logs the record tells only one
	}
	return logfile.Hole{Start: st.Hole.Start, End: st.Hole.End, Lines: st.HoleLines}
}

func (o *output) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	n, err := o.f.ReadAt(ctx, p, off)
	if errors.Is(err, io.EOF) && n > 0 {
		err = nil
	}
	return n, err
}

func (o *output) Size(ctx context.Context) (int64, error) { return o.f.Size(ctx) }

func (o *output) Holes(ctx context.Context) ([]engine.Range, error) {
	h, err := o.f.Hole(ctx)
	if err != nil || h.Empty() {
		return nil, err
	}
	return []engine.Range{{Start: h.Start, End: h.End}}, nil
}

// Hole tells readers of internal/logfile more than a range: the lines in it.
func (o *output) Hole(ctx context.Context) (logfile.Hole, error) { return o.f.Hole(ctx) }

func (o *output) Close() error { return o.f.Close() }
