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

// feedStdin types our standard input into the job. The goroutine cannot be
// waited for: it may sit in a read of a terminal without input, and
// ends with the process.
func (a *app) feedStdin(ctx context.Context, id engine.ID) {
	go func() {
		err := a.eng.CopyInput(ctx, id, a.stdin)
		switch {
		case err == nil:
			_ = a.eng.CloseInput(ctx, id) // the job may have ended or closed it first
		case errors.Is(err, engine.ErrUnreachable):
			// What got there is not known, so that going on could type it twice.
			a.reportf("hob: the input of %s broke off: %s", id, escape(err.Error()))
		}
	}()
}

// whole returns an error if not all that the job has printed could be passed on: a
// program that reads it takes it for whole otherwise.
func (ps pipes) whole(ctx context.Context, eng *engine.Engine, job engine.Job) error {
	var dropped, freed int64
	for _, p := range ps {
		dropped += p.dropped
	}
	if dropped > 0 {
		return fmt.Errorf("%s dropped by the log's limit before they could be passed on", units.FormatBytes(dropped))
	}
	now, err := eng.Get(ctx, string(job.ID))
	if err != nil || now.Dropped == 0 {
		return nil //nolint:nilerr // it was cleared meanwhile, or its host is gone: all was read
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
		return fmt.Errorf("%s could not be passed on: the disk did not take them", units.FormatBytes(refused))
	}
	return nil
}

// A pipe is a log and where it goes.
type pipe struct {
	log     *engine.Log
	out     io.Writer
	taken   func(next int64) // gets how far the log was copied; may be nil
	next    int64            // offset of the first byte not yet copied
	dropped int64            // bytes left out so far: the log's limit has dropped them
}

// copy writes what is new in the log.
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

// copy writes what is new in each log.
func (ps pipes) copy(ctx context.Context) error {
	var err error
	for _, p := range ps {
		err = errors.Join(err, p.copy(ctx))
	}
	return err
}

// printedTo reports whether any of it went to f.
func (ps pipes) printedTo(f *os.File) bool {
	return slices.ContainsFunc(ps, func(p *pipe) bool { return p.out == output{f} && p.next > 0 })
}

// pipes connects the logs of a job with our streams, and lets go of what hold has of
// them as it is passed on.
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
		taken := func(next int64) { hold.Taken(s, next) }
		ps = append(ps, &pipe{log: log, out: output{out}, taken: taken})
	}
	return ps, closeAll, nil
}

// jobDir is the directory of a job on this machine.
func jobDir(job engine.Job) string {
	if job.OutputPath != "" {
		return filepath.Dir(job.OutputPath)
	}
	return filepath.Dir(job.StdoutPath)
}

// withLinkReports is look, which reads the logs of job, and prints on a terminal when the
// host of the job is lost and found meanwhile.
func (a *app) withLinkReports(job engine.Job, look func(ended bool) error) func(ended bool) error {
	if job.Host == "" || !isTerminal(a.stderr) {
		return look
	}
	lost := false
	return func(ended bool) error {
		err := look(ended)
		gone := errors.Is(err, engine.ErrUnreachable)
		switch {
		case gone && !lost:
			a.reportf("hob: %s; %s goes on, its output follows when the host is back", escape(err.Error()), job.ID)
		case lost && err == nil:
			a.reportf("hob: %s is back", escape(job.Host))
		}
		lost = gone
		return err
	}
}
