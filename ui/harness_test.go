package ui

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
)

// harness runs a pane as a host would, but step by step: commands run when a test calls pump;
// those that would block (events, chunks, timers) are kept.
type harness struct {
	t    *testing.T
	eng  *fake
	pane *Pane
	sent []tea.Msg // messages to the host
	msgs chan tea.Msg
	wg   sync.WaitGroup
}

// withClock replaces time.Now.
func withClock(now func() time.Time) Option { return func(o *options) { o.clock = now } }

func newHarness(t *testing.T, w, h int, eng *fake, opts ...Option) *harness {
	t.Helper()
	theme, err := themes.Named("none", true)
	if err != nil {
		t.Fatal(err)
	}
	opts = append([]Option{WithTheme(theme), withClock(func() time.Time { return noon }), WithHeader(true), WithProgram(), func(o *options) {
		o.home, o.dir, o.checkDir = "/home/me", "/home/me/src", func(string) error { return nil }
	}}, opts...)
	s := &harness{t: t, eng: eng, pane: newPane(eng, opts...), msgs: make(chan tea.Msg, 1024)}
	t.Cleanup(func() {
		if err := s.pane.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		s.wg.Wait() // timers expire, the rest ends with the pane
	})
	s.run(s.pane.SetSize(w, h))
	s.run(s.pane.Init())
	s.pump()
	return s
}

// run starts a command and those that it batches.
func (s *harness) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	s.wg.Go(func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				s.run(c)
			}
		default:
			s.msgs <- msg
		}
	})
}

// pump delivers messages until every command waits for the fake or for time to pass. Tests run in
// a synctest bubble, which detects that.
func (s *harness) pump() {
	s.t.Helper()
	for {
		synctest.Wait()
		select {
		case msg := <-s.msgs:
			s.deliver(msg)
		default:
			return
		}
	}
}

// pass lets d pass.
func (s *harness) pass(d time.Duration) {
	s.t.Helper()
	time.Sleep(d)
	s.pump()
}

func (s *harness) deliver(msg tea.Msg) {
	switch msg.(type) {
	case BackgroundedMsg, EndedMsg, AttentionMsg, CopyMsg, OpenMsg, LeaveMsg, SuspendMsg, ToggleMouseMsg:
		s.sent = append(s.sent, msg)
	}
	s.run(s.pane.Update(msg))
}

// press sends keys: characters, or names such as "enter" and "ctrl+b".
func (s *harness) press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		s.deliver(named(k))
		s.pump()
	}
}

// write types text character by character.
func (s *harness) write(text string) {
	s.t.Helper()
	for _, r := range text {
		s.deliver(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	s.pump()
}

// facts delivers events of the engine.
func (s *harness) facts(events ...engine.Event) {
	s.t.Helper()
	s.eng.sub.batches <- events
	s.pump()
}

// screen returns the text of the pane.
func (s *harness) screen() string { return ansi.Strip(s.pane.View()) }

func (s *harness) sees(text string) {
	s.t.Helper()
	if !strings.Contains(s.screen(), text) {
		s.t.Errorf("%q is not on the screen:\n%s", text, s.screen())
	}
}

func (s *harness) seesNot(text string) {
	s.t.Helper()
	if strings.Contains(s.screen(), text) {
		s.t.Errorf("%q is on the screen:\n%s", text, s.screen())
	}
}

// calledLast checks the last calls of the engine, except those that only read.
func (s *harness) calledLast(want ...string) {
	s.t.Helper()
	var got []string
	for _, c := range s.eng.did() {
		if !strings.HasPrefix(c, "open-") {
			got = append(got, c)
		}
	}
	got = got[max(0, len(got)-len(want)):]
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("the engine was called with %q, want %q", got, want)
	}
}

// sentMsg returns the message of type M that the host got, if any.
func sentMsg[M tea.Msg](s *harness) (M, bool) {
	for i := len(s.sent) - 1; i >= 0; i-- {
		if m, ok := s.sent[i].(M); ok {
			return m, true
		}
	}
	var none M
	return none, false
}
