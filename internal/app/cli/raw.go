package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/keymap"
)

// showRaw passes our terminal through to a job until it ends, its time is over or the
// person leaves it.
func (a *app) showRaw(ctx context.Context, v view) error {
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return usagef("hob log --follow ID prints its output", "--raw needs a terminal on standard input and output")
	}
	key := newLeaveKey(a.settings().Keymap().Terminal.Leave.Keys())
	end, err := a.session(ctx, v, key)
	switch {
	case err != nil:
		return hobFailed(err)
	case end.backgrounded:
		a.reportf("%s goes on: hob attach %s", v.job.ID, v.job.ID)
		return a.told.status()
	}
	return end.status()
}

// session connects our terminal, in raw mode, with the job's. Whatever way it
// ends, ours is as it was.
func (a *app) session(ctx context.Context, v view, key *leaveKey) (end ending, err error) {
	window := catch(windowSignals...) // first of all: from here on a signal may not just end us
	defer signal.Stop(window)
	saved, err := term.MakeRaw(a.stdin.Fd())
	if err != nil {
		return ending{}, err
	}
	out := &filtering{w: a.stdout, filter: vt.Filter{Clipboard: true, TitleKept: true}}
	_, err = io.WriteString(a.stdout, termenv.PushTitle)
	own, askErr := askOwnTerminal(a.stdout)
	err = errors.Join(err, askErr)
	defer func() {
		own.drain(a.stdin, a.stdout)
		reset := out.filter.ModeReset()
		if end.backgrounded {
			reset = out.leave()
		}
		_, e := a.stdout.Write(append(reset, termenv.PopTitle...))
		err = errors.Join(err, e, term.Restore(a.stdin.Fd(), saved))
	}()
	if err != nil {
		return ending{}, err
	}
	size := terminalSize(a.stdout)
	terminal, err := a.eng.OpenTerminal(ctx, v.job.ID, engine.TerminalOptions{
		Control: true, Size: size, Client: "cli", Scrollback: rawScrollback,
	})
	if errors.Is(err, engine.ErrNotRunning) {
		return a.tooLate(ctx, v.job)
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
	if v.yield > 0 {
		timer := time.AfterFunc(v.yield, func() { cancel(errLeft) })
		defer timer.Stop()
	}

	drawing := rawDrawing{out: out, rows: size.Rows, control: &control}
	if v.ours {
		drawing.begin = a.fromTheStart(v.job, out)
	}
	exit, err := drawing.follow(ctx, terminal)
	if cause := context.Cause(ctx); exit == nil && cause != nil {
		err = cause
	}
	by, told := errors.AsType[signalled](err)
	switch {
	case told, errors.Is(err, errLeft):
		a.told = by
		return ending{backgrounded: true}, a.eng.Background(v.job.ID)
	case err != nil:
		return ending{}, err
	}
	return ending{exit: *exit}, nil
}

// tooLate shows a job that ended before its terminal could be opened.
func (a *app) tooLate(ctx context.Context, job engine.Job) (ending, error) {
	exit, err := a.eng.Wait(ctx, job.ID)
	if err != nil {
		return ending{}, err
	}
	log, err := a.eng.OpenLog(ctx, job.ID, job.Streams()[0])
	if err != nil {
		return ending{}, err
	}
	defer log.Close()
	all := pipe{log: log, out: &filtering{w: a.stdout}}
	return ending{exit: exit}, all.copy(ctx)
}

// errLeft reports that the user left the job, which goes on.
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

// A leaveKey finds the chord that leaves a job in what a terminal sends. It is
// looked for only between pastes, and a terminal sends a key in one piece.
type leaveKey struct {
	label    string
	patterns [][]byte
	pasting  bool
}

// newLeaveKey makes the finder of the bound chords. One that no plain terminal
// can send (not Ctrl with a letter or one of [ \ ] ^ _) cannot be found; when
// none can, label is empty.
func newLeaveKey(keys []string) *leaveKey {
	k := &leaveKey{}
	for _, name := range keys {
		char, ok := strings.CutPrefix(name, "ctrl+")
		if !ok || len(char) != 1 || !strings.Contains("abcdefghijklmnopqrstuvwxyz\\]^_", char) {
			continue
		}
		c := char[0]
		k.patterns = append(k.patterns,
			[]byte{c & 0x1f},
			fmt.Appendf(nil, "\x1b[%d;5u", c),    // kitty keyboard protocol
			fmt.Appendf(nil, "\x1b[%d;5:1u", c),  // with event types
			fmt.Appendf(nil, "\x1b[27;5;%d~", c), // modifyOtherKeys
		)
		if k.label == "" {
			k.label = keymap.Label(name)
		}
	}
	return k
}

var (
	pasteBegin = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// find splits p before the chord. found is false when p is all for the job.
func (k *leaveKey) find(p []byte) (before []byte, found bool) {
	for at := 0; at < len(p); {
		rest := p[at:]
		if k.pasting {
			end := bytes.Index(rest, pasteEnd)
			if end < 0 {
				return p, false
			}
			k.pasting = false
			at += end + len(pasteEnd)
			continue
		}
		if bytes.HasPrefix(rest, pasteBegin) {
			k.pasting = true
			at += len(pasteBegin)
			continue
		}
		for _, pattern := range k.patterns {
			if bytes.HasPrefix(rest, pattern) {
				return p[:at], true
			}
		}
		at++
	}
	return p, false
}
