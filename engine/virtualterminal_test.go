package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// console is a virtual execution with a terminal that echoes its input.
type console struct {
	x *engine.Execution

	mu     sync.Mutex
	typed  string
	sizes  []engine.Size
	called chan struct{} // has a value after each call of a hook
}

func newConsole(t *testing.T, e *engine.Engine) *console {
	t.Helper()
	c := &console{called: make(chan struct{}, 100)}
	ready := make(chan struct{})
	c.x = create(t, e, engine.ExecutionSpec{Size: engine.Size{Cols: 60, Rows: 10}, Hooks: engine.ExecutionHooks{
		Write: func(_ context.Context, p []byte) error {
			<-ready
			c.note(func() { c.typed += string(p) })
			c.x.Append(p)
			return nil
		},
		// A full-screen program redraws when its terminal is resized.
		Resize: func(_ context.Context, s engine.Size) error {
			<-ready
			c.x.Append([]byte("drawn again\r\n"))
			c.note(func() { c.sizes = append(c.sizes, s) })
			return nil
		},
		Kill: func(context.Context) error { return nil },
	}})
	close(ready)
	return c
}

func (c *console) note(f func()) {
	c.mu.Lock()
	f()
	c.mu.Unlock()
	c.called <- struct{}{}
}

// until waits for calls of hooks until ok returns true.
func (c *console) until(t *testing.T, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		c.mu.Lock()
		done := ok()
		c.mu.Unlock()
		if done {
			return
		}
		select {
		case <-c.called:
		case <-ctx.Done():
			t.Fatalf("typed %q, sizes %v", c.typed, c.sizes)
		}
	}
}

// viewing is the output of a terminal session so far.
type viewing struct {
	t    *testing.T
	term engine.Terminal
	all  string
	last engine.TerminalChunk
}

// until reads until ok returns true.
func (v *viewing) until(ok func() bool) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), patience)
	defer cancel()
	for !ok() {
		chunk, err := v.term.Next(ctx)
		if err != nil {
			v.t.Fatalf("after %q: %v", v.all, err)
		}
		v.all += string(chunk.Data)
		v.last = chunk
	}
}

func (v *viewing) sees(text string) {
	v.t.Helper()
	v.until(func() bool { return strings.Contains(v.all, text) })
}

func TestOpenTerminalOfVirtualExecution(t *testing.T) {
	e := open(t)
	for name, viewer := range map[string]*engine.Engine{
		"its own engine": e, "another": open(t, engine.WithStateDir(e.StateDir()), engine.WithClient("other")),
	} {
		t.Run(name, func(t *testing.T) {
			c := newConsole(t, e)
			c.x.Append([]byte("before \x1b[1mbold\x1b[m\r\n"))
			if j := get(t, viewer, c.x.ID()); !j.HasTerminal() || !j.Stdin.Writable() {
				t.Fatalf("job = %+v", j)
			}
			size := engine.Size{Cols: 90, Rows: 20}
			term, err := viewer.Handle(c.x.ID()).Terminal(t.Context(), engine.TerminalOptions{Control: true, Size: size, Client: "viewer"})
			if err != nil {
				t.Fatal(err)
			}
			defer term.Close()
			v := &viewing{t: t, term: term}
			v.sees("bold")
			if !strings.Contains(v.all, "before") || v.last.Size != size || !v.last.Control || v.last.Controller != "viewer" {
				t.Errorf("the snapshot %q, %+v", v.all, v.last)
			}
			c.until(t, func() bool { return slices.Equal(c.sizes, []engine.Size{size}) })
			v.sees("drawn again")
			if err := term.Write(t.Context(), []byte("typed\r")); err != nil {
				t.Fatal(err)
			}
			v.sees("typed")
			if err := viewer.Handle(c.x.ID()).SendKeys(t.Context(), []string{"Up", "C-c"}); err != nil {
				t.Fatal(err)
			}
			c.x.Append([]byte("\x1b[?2004h"))
			if err := viewer.Handle(c.x.ID()).Paste(t.Context(), []byte("two\nlines")); err != nil {
				t.Fatal(err)
			}
			const typed = "typed\r\x1b[A\x03\x1b[200~two\rlines\x1b[201~"
			c.until(t, func() bool { return c.typed == typed })
			if err := viewer.Handle(c.x.ID()).Resize(t.Context(), engine.Size{Cols: 50, Rows: 5}); !errors.Is(err, engine.ErrNotControl) || !strings.Contains(err.Error(), "viewer") {
				t.Errorf("a size while a client is attached: %v", err)
			}
			if err := term.Resize(t.Context(), engine.Size{Cols: 70, Rows: 12}); err != nil {
				t.Fatal(err)
			}
			c.until(t, func() bool { return len(c.sizes) == 2 && c.sizes[1].Cols == 70 })
			// The end comes after the output printed before it.
			c.x.Append([]byte("\r\nthe end\r\n"))
			three := 3
			if err := c.x.Complete(engine.Exit{Code: &three}); err != nil {
				t.Fatal(err)
			}
			v.until(func() bool { return v.last.Exit != nil })
			if !strings.Contains(v.all, "the end") || code(t, *v.last.Exit) != 3 || strings.Count(v.all, "the end") != 1 {
				t.Errorf("the end: %q, %+v", v.all, v.last.Exit)
			}
			if _, err := term.Next(t.Context()); !errors.Is(err, engine.ErrNotRunning) {
				t.Errorf("after the end: %v", err)
			}
			screen, err := viewer.Handle(c.x.ID()).Screen(t.Context())
			if err != nil || !strings.Contains(screen.Text, "the end") || screen.Size.Cols != 70 {
				t.Errorf("the last screen: %+v, %v", screen, err)
			}
		})
	}
}

func TestResizeHookCanRefuse(t *testing.T) {
	e := open(t)
	other := open(t, engine.WithStateDir(e.StateDir()))
	no := errors.New("will not")
	var sizes []engine.Size
	x := create(t, e, engine.ExecutionSpec{Hooks: engine.ExecutionHooks{Resize: func(_ context.Context, s engine.Size) error {
		if s.Cols == 1 {
			return no
		}
		sizes = append(sizes, s)
		return nil
	}}})
	if err := e.Handle(x.ID()).Resize(t.Context(), engine.Size{Cols: 1, Rows: 1}); !errors.Is(err, no) {
		t.Errorf("refused: %v", err)
	}
	if err := other.Handle(x.ID()).Resize(t.Context(), engine.Size{Cols: 1, Rows: 1}); err == nil || !strings.Contains(err.Error(), no.Error()) {
		t.Errorf("refused, seen from elsewhere: %v", err)
	}
	if s, err := e.Handle(x.ID()).Screen(t.Context()); err != nil || s.Size != (engine.Size{Cols: 120, Rows: 40}) {
		t.Errorf("the screen after that: %+v, %v", s.Size, err)
	}
	for _, eng := range []*engine.Engine{e, other, e} {
		if err := eng.Handle(x.ID()).Resize(t.Context(), engine.Size{Cols: 80, Rows: 24}); err != nil {
			t.Fatal(err)
		}
	}
	if len(sizes) != 1 || get(t, e, x.ID()).Size != (engine.Size{Cols: 80, Rows: 24}) {
		t.Errorf("reported %v, the job's is %v", sizes, get(t, e, x.ID()).Size)
	}
}

func TestVirtualTerminalAnswersQueries(t *testing.T) {
	c := newConsole(t, open(t))
	c.x.Append([]byte("ab\x1b[6n"))
	c.until(t, func() bool { return c.typed == "\x1b[1;3R" })
}

func TestPlainVirtualExecutionsHaveNoTerminal(t *testing.T) {
	e := open(t)
	typed := ""
	x := create(t, e, engine.ExecutionSpec{Hooks: engine.ExecutionHooks{Write: func(_ context.Context, p []byte) error { typed += string(p); return nil }}})
	if j := get(t, e, x.ID()); j.HasTerminal() || j.Size != (engine.Size{}) {
		t.Errorf("job = %+v", j)
	}
	if _, err := e.Handle(x.ID()).Terminal(t.Context(), engine.TerminalOptions{}); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("attach: %v", err)
	}
	if _, err := e.Handle(x.ID()).Screen(t.Context()); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("screen: %v", err)
	}
	// It accepts input nevertheless.
	if err := e.Handle(x.ID()).SendKeys(t.Context(), []string{"y", "Enter"}); err != nil {
		t.Fatal(err)
	}
	if err := e.Handle(x.ID()).Paste(t.Context(), []byte("pasted")); err != nil {
		t.Fatal(err)
	}
	if typed != "y\rpasted" {
		t.Errorf("typed %q", typed)
	}
	if err := x.Complete(engine.Exit{}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Handle(x.ID()).Screen(t.Context()); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("screen after the end: %v", err)
	}
	if err := e.Handle(x.ID()).SendKeys(t.Context(), []string{"y"}); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("keys after the end: %v", err)
	}
}

func TestFailedKillHookIsCalledAgain(t *testing.T) {
	e := open(t)
	tries := 0
	x := create(t, e, engine.ExecutionSpec{Hooks: engine.ExecutionHooks{Kill: func(context.Context) error {
		if tries++; tries == 1 {
			return errors.New("not now")
		}
		return nil
	}}})
	if _, err := e.Handle(x.ID()).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); err == nil {
		t.Error("the first time")
	}
	if _, err := e.Handle(x.ID()).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); err != nil || get(t, e, x.ID()).Status != engine.Killed {
		t.Errorf("the second time: %v", err)
	}
}
