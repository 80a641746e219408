package local

import (
	"context"
	"errors"
	"io/fs"

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
	f, err := jobdir.OpenLog(r.dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.Join(engine.ErrNotFound, err)
	}
	if err != nil {
		return nil, r.errorOf("open output", err)
	}
	return output{f}, nil
}

// output is one of the job's logs.
type output struct{ *logfile.File }

// Holes implements [engine.Output].
func (o output) Holes(ctx context.Context) ([]engine.Range, error) {
	h, err := o.Hole(ctx)
	if err != nil || h.Empty() {
		return nil, err
	}
	return []engine.Range{{Start: h.Start, End: h.End}}, nil
}
