package cli

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/vt"
)

// runRaw starts a job with a terminal and passes ours through to it.
func (a *app) runRaw(ctx context.Context, eng *engine.Engine, spec engine.Spec, f runFlags) error {
	a.sayInside()
	job, err := a.start(ctx, eng, spec, a.lendStderr(spec)...)
	if err != nil {
		return err
	}
	if job.Status == engine.Failed {
		a.sayFailedStart(job)
		return exitStatus(ownCode(job.Exit))
	}
	return a.pass(ctx, eng, job, f.yield.d, true)
}

// passTerminal passes our terminal through to a job that is there until it ends,
// or goes to the background after yield (0: never), or the person leaves it.
func (a *app) passTerminal(ctx context.Context, eng *engine.Engine, job engine.Job, yield time.Duration) error {
	return a.pass(ctx, eng, job, yield, false)
}

// pass is passTerminal, also for a job that has only just been started.
func (a *app) pass(ctx context.Context, eng *engine.Engine, job engine.Job, yield time.Duration, fresh bool) error {
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return usagef("hob log --follow ID prints its output", "--raw needs a terminal on standard input and output")
	}
	key := newLeaveKey(a.settings().Keymap().Terminal.Leave.Keys())
	end, err := a.session(ctx, eng, job, key, yield, fresh)
	switch {
	case err != nil:
		return hobFailed(err)
	case end.backgrounded:
		a.sayf("%s goes on: hob attach %s", job.ID, job.ID)
		return a.told.status()
	}
	return end.status()
}

// session connects our terminal, in raw mode, with the job's. Whatever way it
// ends, ours is as it was.
func (a *app) session(ctx context.Context, eng *engine.Engine, job engine.Job, key *leaveKey, yield time.Duration, fresh bool) (end ending, err error) {
	window := catchWindow() // first of all: from here on a signal may not just end us
	defer window.release()
	saved, err := term.MakeRaw(a.stdin.Fd())
	if err != nil {
		return ending{}, err
	}
	out := &filtering{w: a.stdout, filter: vt.Filter{Clipboard: true, TitleKept: true}}
	_, err = io.WriteString(a.stdout, keepTitle)
	own, askErr := askOwnTerminal(a.stdout)
	err = errors.Join(err, askErr)
	defer func() {
		own.drain(a.stdin, a.stdout)
		reset := out.filter.ModeReset()
		if end.backgrounded {
			reset = out.leave()
		}
		_, e := a.stdout.Write(append(reset, formerTitle...))
		err = errors.Join(err, e, term.Restore(a.stdin.Fd(), saved))
	}()
	if err != nil {
		return ending{}, err
	}
	size := terminalSize(a.stdout)
	terminal, err := eng.OpenTerminal(ctx, job.ID, engine.TerminalOptions{
		Control: true, Size: size, Client: "cli", Scrollback: rawScrollback,
	})
	if errors.Is(err, engine.ErrNotRunning) {
		return a.tooLate(ctx, eng, job)
	}
	if err != nil {
		return ending{}, err
	}
	defer terminal.Close()
	input, err := cancelreader.NewReader(a.stdin)
	if err != nil {
		return ending{}, err
	}

	ctx, cancel := context.WithCancelCause(ctx)
	var control atomic.Bool // whether we have the keyboard, as it was last told
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel(nil)
	defer input.Cancel()
	// Without an error either of them has only nothing left to do.
	for _, serve := range []func() error{
		func() error { return a.typeInto(ctx, terminal, &control, input, own, key) },
		func() error { return a.keepSize(ctx, terminal, window) },
	} {
		work.Go(func() {
			if err := serve(); err != nil {
				cancel(err)
			}
		})
	}
	if yield > 0 {
		timer := time.AfterFunc(yield, func() { cancel(errLeft) })
		defer timer.Stop()
	}

	drawing := rawDrawing{out: out, rows: size.Rows, control: &control}
	if fresh {
		drawing.begin = fromTheStart(eng, job, out)
	}
	exit, err := drawing.follow(ctx, terminal)
	if cause := context.Cause(ctx); exit == nil && cause != nil {
		err = cause
	}
	by, told := errors.AsType[signalled](err)
	switch {
	case told, errors.Is(err, errLeft):
		a.told = by
		return ending{backgrounded: true}, eng.Background(job.ID)
	case err != nil:
		return ending{}, err
	}
	return ending{exit: *exit}, nil
}

// The title of our terminal is kept on its stack while it shows a job's.
const (
	keepTitle   = "\x1b[22;0t"
	formerTitle = "\x1b[23;0t"
)

// tooLate shows a job that ended before its terminal could be opened.
func (a *app) tooLate(ctx context.Context, eng *engine.Engine, job engine.Job) (ending, error) {
	exit, err := eng.Wait(ctx, job.ID)
	if err != nil {
		return ending{}, err
	}
	log, err := eng.OpenLog(ctx, job.ID, streamsOf(job)[0])
	if err != nil {
		return ending{}, err
	}
	defer log.Close()
	feed := byteFeed{log: log}
	return ending{exit: exit}, feed.copyTo(ctx, &filtering{w: a.stdout})
}

// errLeft says that the person left the job, which goes on.
var errLeft = errors.New("left")

// typeInto types what comes from our terminal until the leave key, and reports what own
// has learned of it. A session that types takes the keyboard over.
func (a *app) typeInto(ctx context.Context, terminal engine.Terminal, control *atomic.Bool, input io.Reader, own *ownTerminal, key *leaveKey) error {
	var mu sync.Mutex // of typing
	report := func() {
		_ = terminal.SetFacts(ctx, own.reported()) // the job gets the usual answers then
	}
	typing := func(p []byte) error {
		p, leave := key.find(p)
		if len(p) > 0 {
			if err := engine.Type(ctx, terminal, control.Load(), terminalSize(a.stdout), p); err != nil {
				return err
			}
		}
		if leave {
			return errLeft
		}
		return nil
	}
	late := time.AfterFunc(ownAnswersWithin, func() {
		mu.Lock()
		defer mu.Unlock()
		if p, known := own.waitNoLonger(); !known {
			report()
			_ = typing(p) // the next key reports the same error
		}
	})
	defer late.Stop()
	err := pump(input, func(p []byte) error {
		mu.Lock()
		defer mu.Unlock()
		p, known := own.typed(p)
		if known {
			report()
		}
		return typing(p)
	})
	switch {
	case err == nil, errors.Is(err, cancelreader.ErrCanceled):
		return errLeft // our terminal is gone, or the session is over anyway
	case errors.Is(err, engine.ErrNotRunning):
		return nil
	}
	return err
}
