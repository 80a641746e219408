package main

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui"
)

// hosted is the program of an agent without a terminal around it.
func hosted(t *testing.T, a tested) *host {
	t.Helper()
	pane := ui.NewPane(a.eng)
	t.Cleanup(func() {
		if err := pane.Close(); err != nil {
			t.Error(err)
		}
	})
	host := newHost(a.eng, a.agent, pane)
	host.update(tea.WindowSizeMsg{Width: 100, Height: 30})
	return host
}

func (h *host) types(text string) {
	for _, r := range text {
		h.update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func ctrl(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Mod: tea.ModCtrl} }

func (h *host) screen() string { return ansi.Strip(h.View().Content) }

func TestKeysAreThePromptsUntilThePaneHasTheFocus(t *testing.T) {
	h := hosted(t, begin(t))
	h.types("xqndjk?:/")
	if h.prompt.Value() != "xqndjk?:/" || h.pane.CapturesKeys() {
		t.Errorf("the prompt has %q", h.prompt.Value())
	}
	h.update(tea.KeyPressMsg{Code: tea.KeyTab})
	h.types("n")
	if h.prompt.Value() != "xqndjk?:/" || !h.pane.CapturesKeys() {
		t.Errorf("the pane did not get the key; the prompt has %q", h.prompt.Value())
	}
	// While the pane captures keys, it gets the host's own keys too.
	h.update(ctrl('t'))
	if h.hidden {
		t.Error("the pane was hidden while it captured keys")
	}
}

func TestPaneIsHiddenShownAndResized(t *testing.T) {
	h := hosted(t, begin(t))
	rows := h.paneRows()
	h.update(tea.KeyPressMsg{Code: tea.KeyUp, Mod: tea.ModCtrl})
	if h.paneRows() != rows+1 {
		t.Errorf("%d rows, then %d", rows, h.paneRows())
	}
	h.update(ctrl('t'))
	if h.paneRows() != 0 || strings.Contains(h.screen(), "Jobs") || h.pane.Focused() {
		t.Errorf("still there:\n%s", h.screen())
	}
	h.update(tea.KeyPressMsg{Code: tea.KeyTab})
	if h.paneRows() != rows+1 || !h.pane.Focused() {
		t.Error("Tab does not bring it back")
	}
	for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 20, Height: 5}, {Width: 1, Height: 1}, {}} {
		h.update(size)
		if lines := strings.Split(h.View().Content, "\n"); len(lines) > max(1, size.Height) {
			t.Errorf("%d lines at %+v", len(lines), size)
		}
	}
}

func TestCtrlBWithoutForegroundCall(t *testing.T) {
	h := hosted(t, begin(t))
	if cmd := h.update(ctrl('b')); cmd != nil || !strings.Contains(h.screen(), "No command is in the foreground") {
		t.Errorf("it shows\n%s", h.screen())
	}
}

func TestCtrlBSendsCallToBackground(t *testing.T) {
	a := begin(t, step{name: "npm run dev", script: "exec sleep 600"})
	h := hosted(t, a)
	h.types("go")
	h.update(tea.KeyPressMsg{Code: tea.KeyEnter})
	h.update(ctrl('b')) // too early
	started := next[startedEvent](t, a)
	h.handleEvent(started)
	if s := h.screen(); strings.Contains(s, "No command is in the foreground") {
		t.Errorf("the outdated notice is still shown:\n%s", s)
	}
	if s := h.screen(); !strings.Contains(s, "> go") || !strings.Contains(s, "npm run dev") {
		t.Errorf("while it runs:\n%s", s)
	}
	if msg := h.update(ctrl('b'))(); msg != nil {
		t.Fatalf("Ctrl+B: %+v", msg)
	}
	h.handleEvent(next[returnedEvent](t, a))
	h.handleEvent(next[turnOverEvent](t, a))
	if s := h.screen(); !strings.Contains(s, "⚡ background · npm run dev") || !strings.Contains(s, string(started.job.ID)) || h.busy {
		t.Errorf("in the background:\n%s", s)
	}
	if _, err := a.eng.Kill(t.Context(), started.job.ID); err != nil {
		t.Fatal(err)
	}
	h.handleEvent(next[endedEvent](t, a))
	if s := h.screen(); !strings.Contains(s, "npm run dev ended in the background") {
		t.Errorf("the end:\n%s", s)
	}
	if c := h.talk.find(started.job.ID); c.job.Status != engine.Killed {
		t.Errorf("the row shows %s", c.job.Status)
	}
}
