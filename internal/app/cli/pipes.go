package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/units"
)

// feedStdin copies standard input to the job. Its goroutine has no owner, because it may
// block in a read of the terminal until the process exits.
func (a *app) feedStdin(ctx context.Context, id engine.ID) {
	go func() {
		err := a.eng.Handle(id).CopyInput(ctx, a.stdin)
		switch {
		case err == nil:
			_ = a.eng.Handle(id).CloseInput(ctx) // the job may have ended or closed it first
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
	now, err := eng.Handle(job.ID).Facts(ctx)
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
	log     *joblog.Log
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
func (a *app) pipes(ctx context.Context, job engine.Job, hold *joblog.Hold) (ps pipes, closeAll func(), err error) {
	closeAll = func() {
		for _, p := range ps {
			p.log.Close()
		}
	}
	for _, s := range job.Streams() {
		log, err := a.eng.Handle(job.ID).Log(ctx, s)
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

// catch returns a channel that receives the signals until [signal.Stop]. Signals that were
// ignored when hob started, as with nohup, stay ignored.
func catch(signals ...os.Signal) chan os.Signal {
	c := make(chan os.Signal, 16)
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

// errReaderGone means that the reader of hob's output has closed the pipe.
var errReaderGone = errors.New("output has no reader")

// forward waits for a job that hob runs in place of its command. It forwards signals to the
// job and sends it to the background after v.yield. If look returns errReaderGone, it ends
// the job with SIGPIPE.
func (a *app) forward(ctx context.Context, v view, look func(engine.Job) error) (ending, error) {
	ctx, cancel := context.WithCancel(ctx)
	following, leave := context.WithCancelCause(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	var yield <-chan time.Time
	if v.yield > 0 {
		yield = time.After(v.yield)
	}
	work.Go(func() {
		for {
			select {
			case s := <-v.signals:
				a.forwardSignal(ctx, v.job.ID, s)
			case <-yield:
				if a.eng.Handle(v.job.ID).Background() == nil {
					leave(errLeft)
				}
			case <-following.Done():
				return
			}
		}
	})
	out, err := a.eng.Handle(v.job.ID).WaitFor(following, engine.Condition{Look: look})
	leave(nil)
	exit := out.Exit
	switch {
	case errors.Is(err, errReaderGone):
		exit, err = a.breakPipe(ctx, v.job.ID)
	case errors.Is(err, context.Canceled) && errors.Is(context.Cause(following), errLeft):
		return ending{backgrounded: true}, look(v.job)
	}
	return ending{exit: exit}, err
}

// pipeGrace is how long a job may run after SIGPIPE before it is stopped. A job that ignores
// the signal relies on an error of its write, which it does not get, because it writes to
// its log.
const pipeGrace = time.Second

// breakPipe ends a job whose output has no reader and returns its end.
func (a *app) breakPipe(ctx context.Context, id engine.ID) (engine.Exit, error) {
	if err := a.eng.Handle(id).Signal(ctx, "SIGPIPE"); err != nil && !errors.Is(err, engine.ErrNotRunning) {
		return engine.Exit{}, err
	}
	soon, cancel := context.WithTimeout(ctx, pipeGrace)
	defer cancel()
	exit, err := a.eng.Handle(id).Wait(soon)
	if soon.Err() == nil {
		return exit, err
	}
	if _, err := a.eng.Handle(id).Stop(ctx, engine.StopOptions{By: "cli"}); err != nil && !errors.Is(err, engine.ErrNotRunning) {
		return engine.Exit{}, err
	}
	return a.eng.Handle(id).Wait(ctx)
}

// output writes to standard output or standard error, and returns errReaderGone for a broken
// pipe.
type output struct{ f *os.File }

func (o output) Write(p []byte) (int, error) {
	n, err := o.f.Write(p)
	if isBrokenPipe(err) {
		err = errReaderGone
	}
	return n, err
}

// exitNoReader is the exit code of a program that was killed by SIGPIPE.
const exitNoReader = 141

// whileRead calls f with a context that is canceled when the reader of standard output
// closes the pipe, so that a command that blocks exits then, as with | head -n 1.
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
	if errors.Is(context.Cause(ctx), errReaderGone) {
		return exitStatus(exitNoReader)
	}
	return err
}
