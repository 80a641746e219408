package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// twoPanes is a program with two panes, each with its own engine. It passes every message to
// both.
type twoPanes struct {
	t          *testing.T
	upper, low *harness
}

const lowY = 20

func newTwoPanes(t *testing.T, upper, low []Option) *twoPanes {
	other := three()
	other.jobs[0].ID, other.jobs[0].Name = "apply-aaaaa", "terraform apply"
	other.logs["apply-aaaaa"] = "Plan: 3 to add\n"
	h := &twoPanes{t: t, upper: newHarness(t, 100, lowY, three(), upper...), low: newHarness(t, 100, 20, other, low...)}
	h.low.pane.SetOrigin(0, lowY)
	h.low.pane.Blur()
	return h
}

func (h *twoPanes) send(msg tea.Msg) {
	h.t.Helper()
	h.upper.deliver(msg)
	h.low.deliver(msg)
	h.upper.pump()
	h.low.pump()
}

func (h *twoPanes) focusLow() {
	h.upper.pane.Blur()
	h.low.pane.Focus()
}

// find returns the position of text in the window.
func (h *twoPanes) find(text string) tea.Mouse {
	h.t.Helper()
	for y, line := range strings.Split(h.upper.screen()+"\n"+h.low.screen(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			return tea.Mouse{X: cells.Width(before), Y: y, Button: tea.MouseLeft}
		}
	}
	h.t.Fatalf("%q is nowhere", text)
	return tea.Mouse{}
}

func selected(s *harness) engine.ID {
	j, _ := s.pane.Selected()
	return j.ID
}

func TestKeysGoToFocusedPaneOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTwoPanes(t, nil, nil)
		h.send(named("j"))
		if selected(h.upper) != "test-aaaaa" || selected(h.low) != "apply-aaaaa" {
			t.Errorf("j selected %s and %s", selected(h.upper), selected(h.low))
		}
		h.focusLow()
		for _, k := range []string{"x", "tab", "q", "esc", "/", ":"} {
			before := h.upper.pane.View()
			h.send(named(k))
			if h.upper.pane.View() != before || h.upper.pane.CapturesKeys() {
				t.Errorf("%s acts in a pane that has not the focus", k)
			}
		}
		h.upper.calledLast()
		h.low.calledLast("stop apply-aaaaa")
		h.send(tea.PasteMsg{Content: "text"})
		if _, ok := sentMsg[LeaveMsg](h.upper); ok {
			t.Error("a pane without the focus wants to leave")
		}
		h.low.pane.Blur()
		h.send(named("esc"))
		h.send(named("x"))
		h.low.calledLast("stop apply-aaaaa")
	})
}

func TestMouseGoesToPaneUnderPointer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTwoPanes(t, nil, nil)
		h.send(tea.MouseClickMsg(h.find("terraform apply")))
		h.send(tea.MouseReleaseMsg(h.find("terraform apply")))
		if selected(h.upper) != "dev-aaaaa" {
			t.Errorf("a click below selected %s above", selected(h.upper))
		}
		at := h.find("make test")
		at.Y += lowY
		h.send(tea.MouseClickMsg(at))
		if selected(h.upper) != "dev-aaaaa" || selected(h.low) != "test-aaaaa" {
			t.Errorf("a click selected %s and %s", selected(h.upper), selected(h.low))
		}
		h.send(tea.MouseReleaseMsg(at))

		h.focusLow()
		h.send(named("k"))
		h.send(named("a"))
		h.low.eng.screen.chunks <- engine.TerminalChunk{Data: []byte("\x1b[?1000h\x1b[?1006h"), Control: true}
		h.low.pump()
		h.send(tea.MouseClickMsg(tea.Mouse{X: 3, Y: lowY + 4, Button: tea.MouseLeft}))
		h.send(tea.MouseClickMsg(tea.Mouse{X: 3, Y: 4, Button: tea.MouseLeft}))
		h.low.calledLast(`type "\x1b[<0;4;5M"`)
	})
}

func TestEachPaneHasItsOwnThemeAndKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		theme := func(name string) themes.Theme {
			th, err := themes.Named(name, true)
			if err != nil {
				t.Fatal(err)
			}
			return th
		}
		keys := keymap.Default()
		keys.Terminal.Leave = key.NewBinding(key.WithKeys("ctrl+g"), key.WithHelp("Ctrl+G", "background"))
		h := newTwoPanes(t,
			[]Option{WithTheme(theme("catppuccin"))},
			[]Option{WithTheme(theme("high-contrast")), WithGlyphs(themes.ASCII()), WithKeys(keys)})
		if h.upper.pane.View() == h.low.pane.View() || !strings.Contains(h.low.screen(), "* running") || !strings.Contains(h.upper.screen(), "● running") {
			t.Errorf("upper:\n%s\nlow:\n%s", h.upper.screen(), h.low.screen())
		}
		before := h.low.pane.View()
		h.upper.pane.SetTheme(theme("light"), themes.ASCII())
		h.upper.pane.View()
		if h.low.pane.View() != before {
			t.Error("the theme of one pane changed the other")
		}

		h.send(named("a"))
		h.send(named("ctrl+g"))
		h.upper.calledLast(`type "\a"`)
		h.send(named("ctrl+b"))
		if h.upper.pane.CapturesKeys() {
			t.Error("Ctrl+B did not leave the job above")
		}
		h.focusLow()
		h.send(named("a"))
		h.low.sees("Ctrl+G detach")
		h.send(named("ctrl+b"))
		h.low.calledLast(`type "\x02"`)
		h.send(named("ctrl+g"))
		if h.low.pane.CapturesKeys() {
			t.Error("Ctrl+G did not leave the job below")
		}
	})
}

func TestPanesShareNoState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTwoPanes(t, nil, nil)
		h.send(named("n"))
		h.upper.write("make all")
		h.send(named("enter"))
		h.upper.calledLast(`start "make all" in "/home/me/src" on ""`)
		h.focusLow()
		h.send(named("n"))
		h.send(named("up")) // the previous entry
		h.low.seesNot("make all")
		h.send(named("esc"))
		if err := h.upper.pane.Close(); err != nil {
			t.Error(err)
		}
		h.low.facts(engine.Event{Kind: engine.EventCreated, Job: running("late-aaaaa", "a late job", 0)})
		h.low.sees("a late job")
	})
}
