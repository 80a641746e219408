package ssh

import (
	"bytes"
	"context"
	"fmt"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/vt"
)

// replayBytes is how much of the log a screen is built from at most. State that a program set
// before that and has not set again is unknown.
const replayBytes = 1 << 20

// endOfInput is what ends a line of input on a terminal, as Ctrl+D does.
const endOfInput = 4

// replay is the job's terminal as the end of its log draws it.
func (r *Run) replay(ctx context.Context) (*vt.Terminal, error) {
	if r.rec.Job.Kind != engine.KindPTY {
		return nil, engine.ErrUnsupported
	}
	data, _, err := r.tail(ctx, replayBytes)
	if err != nil {
		return nil, err
	}
	size := r.rec.Job.Size
	t := vt.New(size.Cols, size.Rows, vt.WithScrollback(4*replayBytes))
	t.Write(data)
	return t, nil
}

// Screen implements [engine.Run].
func (r *Run) Screen(ctx context.Context) (engine.Screen, error) {
	t, err := r.replay(ctx)
	if err != nil {
		return engine.Screen{}, err
	}
	s := holder.ScreenOf(t)
	if r.rec.Job.Status.Finished() {
		s.Main = t.MainANSI()
	}
	return s, nil
}

// SendKeys implements [engine.Run]. If the encoding of a key depends on the modes that the
// program has set, it reads the end of the log to find them.
func (r *Run) SendKeys(ctx context.Context, names []string) error {
	keys, err := vt.ParseKeys(names...)
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrInvalid, err)
	}
	encode := func(t *vt.Terminal) (p []byte) {
		for _, k := range keys {
			p = append(p, t.EncodeKey(k)...)
		}
		return p
	}
	p := encode(vt.New(80, 24))
	if r.rec.Job.Kind == engine.KindPTY && bytes.IndexByte(p, '\x1b') >= 0 {
		t, err := r.replay(ctx)
		if err != nil {
			return err
		}
		p = encode(t)
	}
	return r.Write(ctx, p)
}

// Paste implements [engine.Run].
func (r *Run) Paste(ctx context.Context, p []byte) error {
	t := vt.New(80, 24)
	if r.rec.Job.Kind == engine.KindPTY {
		var err error
		if t, err = r.replay(ctx); err != nil {
			return err
		}
	}
	return r.Write(ctx, t.EncodePaste(p))
}

// Resize implements [engine.Run].
func (r *Run) Resize(ctx context.Context, s engine.Size) error {
	if r.rec.Job.Kind != engine.KindPTY {
		return engine.ErrUnsupported
	}
	word, err := r.act(ctx, slow, askOptions{}, func(dir string) string {
		return recipe.Resize(dir, string(r.rec.ID), s.Cols, s.Rows)
	})
	switch {
	case err != nil:
		return err
	case word == "none", word == "no stty":
		return fmt.Errorf("%w: the host cannot set a terminal's size", engine.ErrUnsupported)
	case word != "ok":
		return engine.ErrNotRunning
	}
	return changeState(r.rec, func(st *engine.State) { st.Size = s })
}

// Entry implements [engine.EntryReader]. It never prompts for a password.
func (r *Run) Entry(ctx context.Context) (engine.Entry, error) {
	if r.rec.Job.Kind != engine.KindPTY {
		return engine.EntryUnknown, nil
	}
	dir, err := r.dir(ctx, false)
	if err != nil {
		return engine.EntryUnknown, err
	}
	shows := recipe.Shows(dir, string(r.rec.ID))
	var word string
	if judge.Scheduled(r.rec) {
		word, err = r.actOnNode(ctx, askOptions{}, dir, shows)
	} else {
		var a shell.Answer
		a, err = r.h.ask(ctx, quick, shows, askOptions{})
		word = string(a.Out)
	}
	if err != nil {
		return engine.EntryUnknown, err
	}
	entry, _ := recipe.ParseShows(word)
	return entry, nil
}

// terminalOf returns why the job cannot be given a terminal on a host with tools; nil if it can.
func terminalOf(host string, has func(tool string) bool) error {
	for _, tool := range []string{"script", "mkfifo"} {
		if !has(tool) {
			return &engine.Error{
				Op:      "start",
				Backend: Name,
				Err:     fmt.Errorf("%w: %s has no %s, which jobs there need for a terminal", engine.ErrUnsupported, host, tool),
				Hint:    "remove --pty, or install " + tool + " there",
			}
		}
	}
	return nil
}
