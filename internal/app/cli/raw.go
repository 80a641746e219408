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
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/keymap"
)

// showRaw connects the terminal directly to a job until the job ends, v.yield is over or the
// user leaves.
func (a *app) showRaw(ctx context.Context, v view) error {
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return usagef("Print its output instead: hob log --follow ID", "--raw needs a terminal on stdin and stdout")
	}
	key := newLeaveKey(a.settings().Keymap().Terminal.Leave.Keys())
	end, err := a.session(ctx, v, key)
	switch {
	case err != nil:
		return hobFailed(err)
	case end.backgrounded:
		a.reportKeepsRunning(v.job)
		return a.leftBy.status()
	}
	return end.status()
}

// session connects the terminal, in raw mode, with the job's, and restores it at the end.
func (a *app) session(ctx context.Context, v view, key *leaveKey) (end ending, err error) {
	window := catch(windowSignals...) // before the terminal is changed
	defer signal.Stop(window)
	saved, err := term.MakeRaw(a.stdin.Fd())
	if err != nil {
		return ending{}, err
	}
	out := &filtering{w: a.stdout, filter: vt.Filter{Clipboard: true, TitleKept: true}}
	_, err = io.WriteString(a.stdout, termenv.PushTitle)
	own, askErr := askOwnTerminal(a.stdout, a.settings().Notify.ProgramStatus)
	err = errors.Join(err, askErr)
	reports := &programReports{job: v.job, out: out}
	defer func() {
		own.drain(a.stdin, a.stdout)
		reset := out.filter.ModeReset()
		if end.backgrounded {
			reset = out.leave()
		}
		_, e := a.stdout.Write(append(append(reset, reports.over(end)...), termenv.PopTitle...))
		err = errors.Join(err, e, term.Restore(a.stdin.Fd(), saved))
	}()
	if err != nil {
		return ending{}, err
	}
	size := terminalSize(a.stdout)
	terminal, err := a.eng.Handle(v.job.ID).Terminal(ctx, engine.TerminalOptions{
		Control:    true,
		Size:       size,
		Client:     "cli",
		Scrollback: rawScrollback,
	})
	if errors.Is(err, engine.ErrNotRunning) {
		return a.printEnded(ctx, v.job)
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
	var control atomic.Bool // this session has the keyboard, as last reported
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel(nil)
	defer input.Cancel()
	// Only an error of either ends the session.
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
	work.Go(func() { reports.follow(ctx, a.eng, own) })
	if v.yield > 0 {
		timer := time.AfterFunc(v.yield, func() { cancel(errLeft) })
		defer timer.Stop()
	}

	drawing := rawDrawing{out: out, rows: size.Rows, control: &control}
	if v.ours {
		drawing.begin = a.writeFromStart(v.job, out)
	}
	exit, err := drawing.follow(ctx, terminal)
	if cause := context.Cause(ctx); exit == nil && cause != nil {
		err = cause
	}
	sig, ok := errors.AsType[signalled](err)
	switch {
	case ok, errors.Is(err, errLeft):
		a.leftBy = sig
		return ending{backgrounded: true}, a.eng.Handle(v.job.ID).Background()
	case err != nil:
		return ending{}, err
	}
	return ending{exit: *exit}, nil
}

// printEnded prints the output of a job that ended before its terminal could be opened.
func (a *app) printEnded(ctx context.Context, job engine.Job) (ending, error) {
	exit, err := a.eng.Handle(job.ID).Wait(ctx)
	if err != nil {
		return ending{}, err
	}
	log, err := a.eng.Handle(job.ID).Log(ctx, job.Streams()[0])
	if err != nil {
		return ending{}, err
	}
	defer log.Close()
	all := pipe{log: log, out: &filtering{w: a.stdout}}
	return ending{exit: exit}, all.copy(ctx)
}

// errLeft means that the user left the running job.
var errLeft = errors.New("left")

// typeInto forwards input of the terminal to the job until the leave key. It also reports
// the terminal's answers, which own takes out of the input. A session in which the user
// types takes control of the keyboard.
func (a *app) typeInto(ctx context.Context, terminal engine.Terminal, control *atomic.Bool, input io.Reader, own *ownTerminal, key *leaveKey) error {
	var mu sync.Mutex // serializes typing
	report := func() {
		_ = terminal.SetFacts(ctx, own.reported()) // on an error the job gets default answers
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
	late := time.AfterFunc(termenv.AnswersWithin, func() { // what has been answered by then is reported
		mu.Lock()
		defer mu.Unlock()
		if p, known := own.flush(); !known {
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
		return errLeft // the terminal was closed, or the session is over
	case errors.Is(err, engine.ErrNotRunning):
		return nil
	}
	return err
}

// A leaveKey finds the key that leaves a job in the input of a terminal. It ignores pasted
// text, and relies on terminals sending a key in one piece.
type leaveKey struct {
	label    string
	patterns [][]byte
	pasting  bool
}

// newLeaveKey returns a leaveKey for the bound keys. It ignores keys other than Ctrl with a
// letter or one of \ ] ^ _, which not every terminal can send. If no key is left, label is
// empty.
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

// find returns the part of p before the key. If the key is not in p, it returns p and false.
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

// filtering removes the queries from a job's output, which would make the terminal answer.
type filtering struct {
	w      io.Writer
	filter vt.Filter
	broken bool // the last line written is incomplete

	mu       sync.Mutex // held while something is written; guards the fields below
	out      []byte
	within   bool   // the last character written is incomplete
	inserted string // to be written where no character is incomplete
}

func (f *filtering) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out = f.filter.Append(f.out[:0], p)
	if n := len(f.out); n > 0 {
		f.broken, f.within = f.out[n-1] != '\n', endsWithinCharacter(f.out)
	}
	if _, err := f.w.Write(f.out); err != nil {
		return 0, err
	}
	f.writeInserted()
	return len(p), nil
}

// insert writes a sequence of hob between sequences and characters of the job. It may be called at any time.
func (f *filtering) insert(seq string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inserted += seq
	f.writeInserted()
}

// writeInserted writes what was inserted, unless the output ends within a character. f.mu is held.
func (f *filtering) writeInserted() {
	if f.inserted == "" || f.within {
		return
	}
	_, _ = io.WriteString(f.w, f.inserted) // the next write of output reports the same error
	f.inserted = ""
}

func endsWithinCharacter(p []byte) bool {
	for i := 1; i <= min(len(p), utf8.UTFMax); i++ {
		if last := p[len(p)-i:]; utf8.RuneStart(last[0]) {
			return !utf8.FullRune(last)
		}
	}
	return false
}

// leave returns the sequences that reset the terminal and start a new line if necessary.
func (f *filtering) leave() []byte {
	b := f.filter.ModeReset()
	if f.broken && !f.filter.Alternate() {
		b = append(b, "\r\n"...)
	}
	return b
}

// rawDrawing draws a job's terminal on the user's, below what the shell has printed. Nothing
// of that is lost: if all output of the job is available, it is written from the cursor
// position on; otherwise the terminal is scrolled by one screen before the job's screen is
// drawn.
type rawDrawing struct {
	out  *filtering
	rows int // of the user's terminal, at least
	// begin writes the first bytes of the job's output. ok is false if they are not all
	// available. It is nil for a job that was already running.
	begin func(ctx context.Context, bytes int64) (ok bool, err error)
	// control is set to whether this session has the keyboard.
	control *atomic.Bool
	drawn   bool
}

// follow draws until the job ends.
func (d *rawDrawing) follow(ctx context.Context, terminal engine.Terminal) (*engine.Exit, error) {
	for {
		chunk, err := terminal.Next(ctx)
		if err != nil {
			return nil, err
		}
		d.control.Store(chunk.Control)
		if err := d.draw(ctx, chunk); err != nil {
			return nil, err
		}
		if chunk.Exit != nil {
			return chunk.Exit, nil
		}
	}
}

func (d *rawDrawing) draw(ctx context.Context, chunk engine.TerminalChunk) error {
	if chunk.Reset {
		first := !d.drawn
		d.drawn = true
		if first && d.begin != nil {
			if ok, err := d.begin(ctx, chunk.Offset); ok || err != nil {
				return err
			}
		}
		away := strings.Repeat("\n", d.rows)
		if !first {
			away = string(d.out.filter.ModeReset()) + away
		}
		if _, err := io.WriteString(d.out.w, away); err != nil {
			return err
		}
	}
	_, err := d.out.Write(chunk.Data)
	return err
}

// rawScrollback is the number of bytes of history drawn first, enough for a few screens.
const rawScrollback = 64 << 10

// writeFromStart returns a function that writes the first bytes of a job's output.
func (a *app) writeFromStart(job engine.Job, out io.Writer) func(context.Context, int64) (bool, error) {
	return func(ctx context.Context, n int64) (bool, error) {
		if n > rawScrollback {
			return false, nil
		}
		log, err := a.eng.Handle(job.ID).Log(ctx, job.Streams()[0])
		if err != nil {
			return false, nil //nolint:nilerr // the screen is drawn instead
		}
		defer log.Close()
		text := make([]byte, n)
		for got := 0; int64(got) < n; {
			m, err := log.ReadAt(ctx, text[got:], int64(got))
			if got += m; m == 0 && err != nil {
				return false, nil //nolint:nilerr // not written yet, or dropped
			}
		}
		_, err = out.Write(text)
		return true, err
	}
}
