package enginetest

import (
	"context"

	"github.com/hobjobs/hob/engine"
)

// Growing returns b with jobs that print at the worst moments: it calls grow after each request of a
// reader of their output, with the answer that the output of before gives. A reader that asks twice
// and takes both answers for one moment loses what is printed between them.
func Growing(b engine.Backend, grow func()) engine.Backend { return growing{b, grow} }

type growing struct {
	engine.Backend
	grow func()
}

func (b growing) Open(ctx context.Context, r engine.Record) (engine.Run, error) {
	run, err := b.Backend.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	return growingRun{run, b.grow}, nil
}

type growingRun struct {
	engine.Run
	grow func()
}

func (r growingRun) OpenOutput(ctx context.Context, s engine.Stream) (engine.Output, error) {
	out, err := r.Run.OpenOutput(ctx, s)
	if err != nil {
		return nil, err
	}
	return growingOutput{out, r.grow}, nil
}

type growingOutput struct {
	engine.Output
	grow func()
}

func (o growingOutput) Size(ctx context.Context) (int64, error) {
	defer o.grow()
	return o.Output.Size(ctx)
}

func (o growingOutput) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	defer o.grow()
	return o.Output.ReadAt(ctx, p, off)
}

func (o growingOutput) Holes(ctx context.Context) ([]engine.Range, error) {
	defer o.grow()
	return o.Output.Holes(ctx)
}
