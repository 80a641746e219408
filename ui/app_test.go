package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/themes"
)

// stage runs an App in a synctest bubble. Its output goes to an emulator, its keyboard is a pipe.
type stage struct {
	t      *testing.T
	app    *App
	eng    *fake
	keys   *io.PipeWriter
	screen *vt.Terminal
	// clipboard is the text that the terminal was asked to copy.
	clipboard string
	done      chan struct{}
	result    Result
	err       error
	cancel    context.CancelFunc
}

func newStage(t *testing.T, eng *fake, o AppOptions) *stage {
	t.Helper()
	in, keys := io.Pipe()
	s := &stage{t: t, eng: eng, keys: keys, done: make(chan struct{})}
	s.screen = vt.New(100, 24, vt.WithHandler(vt.Handler{Clipboard: func(_ string, data []byte) { s.clipboard = string(data) }}))
	o.Input, o.Output, o.Environ = in, screenWriter{s.screen}, []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	o.Pane = append(o.Pane, withClock(func() time.Time { return noon }))
	s.app = newApp(eng, o)
	s.app.extra = []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithWindowSize(100, 24)}
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
		s := newStage(t, three(), AppOptions{})
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
		s := newStage(t, three(), AppOptions{})
		s.write("q")
		if !s.left() || !s.result.Asked || s.result.Answered {
			t.Errorf("asked %v, answered %v before any answer", s.result.Asked, s.result.Answered)
		}
		s = newStage(t, three(), AppOptions{})
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
				s := newStage(t, three(), AppOptions{Suspend: func() {
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
		eng := three()
		eng.slow = make(chan struct{})
		defer close(eng.slow)
		s := newStage(t, eng, AppOptions{})
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
		s := newStage(t, three(), AppOptions{})
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
		if r := <-replies; !errors.Is(r.err, ErrRefused) {
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
		time.Sleep(ignoreKeysTime)
		s.write("y")
		if !<-trusted {
			t.Error("what was confirmed is not")
		}
	})
}

func TestTitleCountsUnseenJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := Means{Title: true}
		s := newHarness(t, 100, 30, three())
		w := &window{App: &App{pane: s.pane, o: AppOptions{Notify: Notify{Waiting: on, Failed: on, Finished: on}}}}
		want := func(title string) {
			t.Helper()
			if got := w.title(); got != title {
				t.Errorf("title %q, want %q", got, title)
			}
		}
		want("hob - 1 running - 1 failed")
		s.press("j")
		s.pass(seenAfter) // the failure is seen
		want("hob - 1 running")
		ended := exited(s.eng.jobs[0], 1)
		s.facts(engine.Event{Kind: engine.EventExited, Job: ended})
		want("hob - 1 failed")
		s.run(s.pane.Select("dev-aaaaa"))
		s.pump()
		s.pass(seenAfter)
		want("hob")
	})
}

func TestAppRingsForUnseenJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, three(), AppOptions{Notify: Notify{Failed: Means{Bell: true, Desktop: true}}})
		w := &window{App: s.app}
		attention := AttentionMsg{Job: exited(s.eng.jobs[0], 1), Why: WhyFailed}
		raw, ok := w.notify(attention)().(tea.BatchMsg)[0]().(tea.RawMsg)
		if want := "\a\x1b]9;hob: npm run dev failed (exit 1)\a"; !ok || raw.Msg != want {
			t.Errorf("sent %q, want %q", raw.Msg, want)
		}
		if cmd := w.notify(attention); cmd != nil {
			t.Error("it rang twice within a second")
		}
		other := AttentionMsg{Job: exited(s.eng.jobs[1], 2), Why: WhyFailed}
		if raw, ok := w.notify(other)().(tea.RawMsg); !ok || raw.Msg != "\x1b]9;hob: make test failed (exit 2)\a" {
			t.Errorf("it also notified of another job that failed at the same time: %q", raw.Msg)
		}
		w.rang = nil
		if cmd := w.notify(AttentionMsg{Job: exited(s.eng.jobs[0], 0), Why: WhyFinished}); cmd != nil {
			t.Error("it rang for what is switched off")
		}
	})
}

// The terminal reports its number of colors and its background; until then, the environment is
// used.
func TestThemeFollowsTerminal(t *testing.T) {
	for name, tt := range map[string]struct {
		environ []string
		msgs    []tea.Msg
		dark    bool
		own     bool // the theme's own colors, not the terminal's
	}{
		"nothing is known":      {nil, nil, true, true},
		"light by environment":  {[]string{"COLORFGBG=0;15"}, nil, false, true},
		"dark by environment":   {[]string{"COLORFGBG=15;default;0"}, nil, true, true},
		"the terminal is right": {[]string{"COLORFGBG=0;15"}, []tea.Msg{tea.BackgroundColorMsg{Color: lipgloss.Color("#101010")}}, true, true},
		"sixteen colours":       {nil, []tea.Msg{tea.ColorProfileMsg{Profile: colorprofile.ANSI}}, true, false},
		"sixteen on light": {
			nil, []tea.Msg{tea.ColorProfileMsg{Profile: colorprofile.ANSI}, tea.BackgroundColorMsg{Color: lipgloss.Color("#ffffff")}}, false, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			theme := func(isDark bool) themes.Theme {
				named, err := themes.Named("catppuccin", isDark)
				if err != nil {
					t.Error(err)
				}
				return named
			}
			if tt.environ == nil {
				tt.environ = []string{"TERM=xterm"}
			}
			app := newApp(three(), AppOptions{Theme: theme, Environ: tt.environ})
			defer app.pane.Close()
			w := &window{App: app, dark: darkBackground(tt.environ), profile: colorprofile.TrueColor}
			for _, msg := range tt.msgs {
				w.update(msg)
			}
			if got := w.pane.opts.theme; got.Dark != tt.dark || (got.Background() != nil) != tt.own {
				t.Errorf("it is for dark: %v, and paints %v", got.Dark, got.Background())
			}
		})
	}
}

func TestDesktop(t *testing.T) {
	tests := map[string]struct {
		environ []string
		text    string
		want    string
	}{
		"most":         {[]string{"TERM=xterm-256color"}, "done", "\x1b]9;hob: done\a"},
		"foot":         {[]string{"TERM=foot"}, "done", "\x1b]777;notify;hob;done\a"},
		"tmux":         {[]string{"TERM=tmux-256color", "TMUX=/tmp/x"}, "done", "\x1bPtmux;\x1b\x1b]9;hob: done\a\x1b\\"},
		"hostile text": {nil, "a\x1b]52;c;aGk=\ab;c", "\x1b]9;hob: ab,c\a"},
		"second wins":  {[]string{"TERM=xterm", "TERM=foot"}, "x", "\x1b]777;notify;hob;x\a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := desktop(tt.environ, "hob", tt.text); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestFloodGate(t *testing.T) {
	now := noon
	g := &floodGate{now: func() time.Time { return now }}
	count := func(msg tea.Msg) int {
		n := 0
		for range 100 {
			now = now.Add(time.Millisecond)
			if g.filter(nil, msg) != nil {
				n++
			}
		}
		return n
	}
	for name, tt := range map[string]struct {
		msg  tea.Msg
		most int
	}{
		"wheel":  {tea.MouseWheelMsg{}, 7},
		"motion": {tea.MouseMotionMsg{}, 7},
	} {
		if n := count(tt.msg); n == 0 || n > tt.most {
			t.Errorf("%s: %d of 100 in 100 ms got through", name, n)
		}
	}
	if n := count(tea.KeyPressMsg{Code: 'x'}); n != 100 {
		t.Errorf("%d of 100 keys got through", n)
	}
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
				o := AppOptions{Copy: tt.copy}
				if tt.copy != nil {
					o.Copy = func(ctx context.Context, text string) (string, error) {
						given = text
						return tt.copy(ctx, text)
					}
				}
				s := newStage(t, three(), o)
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
