package main

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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
	host := newHost(a.agent, pane)
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
}

func TestViewFillsTheScreen(t *testing.T) {
	h := hosted(t, begin(t))
	for _, size := range []tea.WindowSizeMsg{{Width: 100, Height: 30}, {Width: 80, Height: 24}, {Width: 20, Height: 5}, {Width: 1, Height: 1}, {}} {
		h.update(size)
		if lines := strings.Split(h.View().Content, "\n"); len(lines) > max(1, size.Height) {
			t.Errorf("%d lines at %+v", len(lines), size)
		}
	}
}

func TestCtrlBWithoutForegroundCall(t *testing.T) {
	h := hosted(t, begin(t))
	h.update(h.update(ctrl('b'))())
	if s := h.screen(); !strings.Contains(s, "no such job") {
		t.Errorf("it shows\n%s", s)
	}
}

func TestCtrlBSendsCallToBackground(t *testing.T) {
	a := begin(t, step{name: "npm run dev", script: "exec sleep 600"})
	h := hosted(t, a)
	h.types("go")
	h.update(tea.KeyPressMsg{Code: tea.KeyEnter})
	started := next[startedEvent](t, a)
	h.update(started)
	if s := h.screen(); !strings.Contains(s, "> go") || !strings.Contains(s, "● npm run dev") {
		t.Errorf("while it runs:\n%s", s)
	}
	if msg := h.update(ctrl('b'))(); msg != nil {
		t.Fatalf("Ctrl+B: %+v", msg)
	}
	h.update(next[returnedEvent](t, a))
	h.update(next[turnOverEvent](t, a))
	if s := h.screen(); !strings.Contains(s, "running in the background as "+string(started.job.ID)) || h.busy {
		t.Errorf("in the background:\n%s", s)
	}
}
