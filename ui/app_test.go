package ui_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/ui"
	"github.com/hobjobs/hob/ui/program"
)

// bubble runs a test with its own clock.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// stage runs an App in a synctest bubble. Its output goes to an emulator, its keyboard is a pipe.
type stage struct {
	t      *testing.T
	app    *program.App
	pane   *ui.Pane
	eng    *ui.Fake
	keys   *io.PipeWriter
	screen *vt.Terminal
	// clipboard is the text that the terminal was asked to copy.
	clipboard string
	done      chan struct{}
	result    program.Result
	err       error
	cancel    context.CancelFunc
}

func newStage(t *testing.T, eng *ui.Fake, o program.Options) *stage {
	t.Helper()
	in, keys := io.Pipe()
	s := &stage{t: t, eng: eng, keys: keys, done: make(chan struct{})}
	s.screen = vt.New(100, 24, vt.WithHandler(vt.Handler{Clipboard: func(_ string, data []byte) { s.clipboard = string(data) }}))
	o.Input, o.Output, o.Environ = in, screenWriter{s.screen}, []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	o.Program = []tea.ProgramOption{tea.WithWindowSize(100, 24)}
	o.Pane = append(o.Pane, ui.WithClock(func() time.Time { return ui.Noon() }))
	s.pane = ui.NewFakePane(eng, o.PaneOptions()...)
	s.app = program.Around(s.pane, o)
	ctx, cancel := context.WithCancel(t.Context())
	s.cancel = cancel
	go func() {
		s.result, s.err = s.app.Run(ctx)
		close(s.done)
	}()
	t.Cleanup(func() {
		cancel()
		_ = keys.Close()
		<-s.done
		time.Sleep(time.Minute) // remaining commands and timers end
	})
	s.settle()
	return s
}

type screenWriter struct{ t *vt.Terminal }

func (w screenWriter) Write(p []byte) (int, error) {
	w.t.Write(p)
	return len(p), nil
}

// settle waits until the program has drawn everything.
func (s *stage) settle() {
	for range 5 {
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
	}
}

func (s *stage) write(keys string) {
	s.t.Helper()
	if _, err := s.keys.Write([]byte(keys)); err != nil {
		s.t.Fatal(err)
	}
	s.settle()
}

func (s *stage) text() string {
	var b strings.Builder
	_, rows := s.screen.Size()
	for y := range rows {
		for _, c := range s.screen.Row(y) {
			b.WriteString(s.screen.CellText(c))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (s *stage) sees(text string) {
	s.t.Helper()
	if !strings.Contains(s.text(), text) {
		s.t.Errorf("%q is not on the screen:\n%s", text, s.text())
	}
}

func (s *stage) left() bool {
	synctest.Wait()
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func TestAppShowsPanesAndQuits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, ui.Three(), program.Options{})
		s.sees("● 1 running")
		s.sees("listening on :5173")
		if !s.screen.Modes().Alternate {
			t.Error("it does not use the alternate screen")
		}
		s.write("jq")
		if !s.left() {
			t.Fatalf("q did not leave:\n%s", s.text())
		}
		if s.err != nil || s.result.Running != 1 {
			t.Errorf("result %+v, %v", s.result, s.err)
		}
		if s.screen.Modes().Alternate {
			t.Error("the alternate screen is left over")
		}
	})
}

// After the last answer of the terminal, an exit does not have to wait.
func TestAppReportsTerminalAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, ui.Three(), program.Options{})
		s.write("q")
		if !s.left() || !s.result.Asked || s.result.Answered {
			t.Errorf("asked %v, answered %v before any answer", s.result.Asked, s.result.Answered)
		}
		s = newStage(t, ui.Three(), program.Options{})
		s.write("\x1b[?62;22c")
		s.write("q")
		if !s.left() || !s.result.Answered {
			t.Error("the answer was not noticed")
		}
	})
}

// Late answers of the terminal must not become input of the next program.
func TestTerminalIsGivenAwayAfterItsAnswers(t *testing.T) {
	for name, answers := range map[string]bool{"it answers": true, "it does not answer": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				given, back := make(chan struct{}, 1), make(chan struct{})
				s := newStage(t, ui.Three(), program.Options{Suspend: func() {
					given <- struct{}{}
					<-back
				}})
				begun := time.Now()
				s.write("\x1a")
				if len(given) > 0 {
					t.Error("it was given away before it had answered")
				}
				if answers {
					s.write("\x1b[?62;22c")
				}
				<-given
				if waited := time.Since(begun) >= termenv.AnswersWithin; waited == answers {
					t.Errorf("it answers: %v; waited until it could answer no more: %v", answers, waited)
				}
				synctest.Wait() // the renderer stops its ticker in another goroutine
				close(back)
				s.settle()
				s.sees("● 1 running")
			})
		})
	}
}

func TestAppQuitsWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := ui.Three()
		resume := eng.Slow()
		defer resume()
		s := newStage(t, eng, program.Options{})
		s.write("x")
		start := time.Now()
		if _, err := s.keys.Write([]byte("q")); err != nil {
			t.Fatal(err)
		}
		<-s.done
		if took := time.Since(start); took > time.Second {
			t.Errorf("leaving took %v while the engine hung", took)
		}
	})
}

func TestAppAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, ui.Three(), program.Options{})
		type reply struct {
			text string
			err  error
		}
		replies := make(chan reply, 1)
		ask := func() {
			text, err := s.app.Ask(t.Context(), "web1", "Password", true)
			replies <- reply{text, err}
		}
		go ask()
		s.settle()
		s.sees("web1")
		s.write("secret\r")
		if r := <-replies; r.text != "secret" || r.err != nil {
			t.Errorf("the answer is %q, %v", r.text, r.err)
		}
		go ask()
		s.settle()
		s.write("\x1b")
		s.settle()
		if r := <-replies; !errors.Is(r.err, program.ErrRefused) {
			t.Errorf("the answer is %q, %v", r.text, r.err)
		}
		trusted := make(chan bool, 1)
		go func() {
			yes, err := s.app.Confirm(t.Context(), "web1", "Is it its key?", "Trust it")
			trusted <- yes && err == nil
		}()
		s.settle()
		s.sees("Is it its key?")
		s.write("y") // typed before the box appeared
		s.settle()
		s.sees("Is it its key?")
		time.Sleep(ui.IgnoreKeysTime)
		s.write("y")
		if !<-trusted {
			t.Error("what was confirmed is not")
		}
	})
}

// Text is copied as the program specifies, or else by the terminal, and a message shows which.
func TestAppShowsWhereItCopies(t *testing.T) {
	tests := map[string]struct {
		copy func(context.Context, string) (string, error)
		want string
		osc  bool
	}{
		"the terminal":           {nil, "Copied command", true},
		"somewhere else":         {func(context.Context, string) (string, error) { return "a drawer", nil }, "Copied command to a drawer", false},
		"the terminal after all": {func(context.Context, string) (string, error) { return "", nil }, "Copied command", true},
		"nowhere":                {func(context.Context, string) (string, error) { return "", errors.New("it is locked") }, "Can't copy: it is locked", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var given string
				o := program.Options{Copy: tt.copy}
				if tt.copy != nil {
					o.Copy = func(ctx context.Context, text string) (string, error) {
						given = text
						return tt.copy(ctx, text)
					}
				}
				s := newStage(t, ui.Three(), o)
				s.write("y")
				s.sees(tt.want)
				if tt.copy != nil && given != "npm run dev" {
					t.Errorf("copied %q", given)
				}
				if (s.clipboard != "") != tt.osc {
					t.Errorf("the terminal was asked to keep %q", s.clipboard)
				}
			})
		})
	}
}
