package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// feedStdin copies standard input to the job. Its goroutine has no owner, because it may
// block in a read of the terminal until the process exits.
func (a *app) feedStdin(ctx context.Context, id engine.ID) {
	go func() {
		err := a.eng.CopyInput(ctx, id, a.stdin)
		switch {
		case err == nil:
			_ = a.eng.CloseInput(ctx, id) // the job may have ended or closed it first
		case errors.Is(err, engine.ErrUnreachable):
			// How much arrived is unknown, so a retry could send it twice.
			a.reportf("hob: input to %s was interrupted: %s", id, escape(err.Error()))
		}
	}()
}

// checkComplete returns an error if some output of the job was not copied. Without it a
// program that reads the output would take it for complete.
func (ps pipes) checkComplete(ctx context.Context, eng *engine.Engine, job engine.Job) error {
	var dropped, freed int64
	for _, p := range ps {
		dropped += p.dropped
	}
	if dropped > 0 {
		return fmt.Errorf("output is incomplete: the log limit dropped %s before it was copied", units.FormatBytes(dropped))
	}
	now, err := eng.Get(ctx, string(job.ID))
	if err != nil || now.Dropped == 0 {
		return nil //nolint:nilerr // cleared meanwhile, or its host is unreachable: all was read
	}
	for _, p := range ps {
		holes, err := p.log.Holes(ctx)
		if err != nil {
			return err
		}
		for _, h := range holes {
			freed += h.End - h.Start
		}
	}
	if refused := now.Dropped - freed; refused > 0 {
		return fmt.Errorf("output is incomplete: %s could not be written to disk", units.FormatBytes(refused))
	}
	return nil
}

// A pipe copies a log to a writer.
type pipe struct {
	log     *engine.Log
	out     io.Writer
	taken   func(next int64) // is called with next after each write; may be nil
	next    int64            // offset of the first byte not yet copied
	dropped int64            // bytes skipped so far, which the log limit has dropped
}

// copy copies the new part of the log.
func (p *pipe) copy(ctx context.Context) error {
	for piece, err := range p.log.Pieces(ctx, p.next) {
		if err != nil {
			return err
		}
		p.next = piece.Next
		p.dropped += piece.Dropped
		if _, err := p.out.Write(piece.Data); err != nil {
			return err
		}
		if p.taken != nil {
			p.taken(p.next)
		}
	}
	return nil
}

type pipes []*pipe

// copy copies the new part of each log.
func (ps pipes) copy(ctx context.Context) error {
	var err error
	for _, p := range ps {
		err = errors.Join(err, p.copy(ctx))
	}
	return err
}

// printedTo reports whether anything was copied to f.
func (ps pipes) printedTo(f *os.File) bool {
	return slices.ContainsFunc(ps, func(p *pipe) bool { return p.out == output{f} && p.next > 0 })
}

// pipes connects the logs of a job with standard output and standard error. Output that was
// copied is released from hold.
func (a *app) pipes(ctx context.Context, job engine.Job, hold *engine.Hold) (ps pipes, closeAll func(), err error) {
	closeAll = func() {
		for _, p := range ps {
			p.log.Close()
		}
	}
	for _, s := range job.Streams() {
		log, err := a.eng.OpenLog(ctx, job.ID, s)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		out := a.stdout
		if s == engine.StreamStderr {
			out = a.stderr
		}
		taken := func(next int64) { hold.Release(s, next) }
		ps = append(ps, &pipe{log: log, out: output{out}, taken: taken})
	}
	return ps, closeAll, nil
}

// jobDir returns the directory of a job on this machine.
func jobDir(job engine.Job) string {
	if job.OutputPath != "" {
		return filepath.Dir(job.OutputPath)
	}
	return filepath.Dir(job.StdoutPath)
}
