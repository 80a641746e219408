package main

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// minTranscript is the minimum number of rows for the transcript, the prompt and the status line.
const minTranscript = 5

// paneRows returns the current height of the pane.
func (h *host) paneRows() int {
	_, least := h.pane.MinSize()
	h.share = max(least, min(h.share, h.h-minTranscript))
	if h.hidden || h.h < least+minTranscript {
		return 0
	}
	return h.share
}

func (h *host) paneTop() int { return h.h - h.paneRows() }

// arrange sets the position and size of the pane. A hidden pane has no size: it neither draws nor
// ticks, but still receives events.
func (h *host) arrange() tea.Cmd {
	h.pane.SetOrigin(0, h.paneTop())
	return h.pane.SetSize(h.w, h.paneRows())
}

func (h *host) View() tea.View {
	var v tea.View
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "agent"
	rows := h.paneTop() - 2
	if h.w == 0 || rows < 1 {
		return v
	}
	h.prompt.SetWidth(max(1, h.w-len(h.prompt.Prompt)-1))
	input := h.prompt.View()
	if d := h.dialog(); d != nil {
		input = d.view(h.w, rows)
		rows -= lipgloss.Height(input) - 1
	}
	lines := []string{h.talk.view(h.w, rows, h.now), input, h.status()}
	if h.paneRows() > 0 {
		lines = append(lines, h.pane.View())
	}
	v.Content = strings.Join(lines, "\n")
	if h.pane.Focused() && h.paneRows() > 0 {
		if v.Cursor = h.pane.Cursor(); v.Cursor != nil {
			v.Cursor.Y += h.paneTop()
		}
	}
	return v
}

// status returns the line between the prompt and the pane, with a notice and the host's own keys.
func (h *host) status() string {
	hide := "Ctrl+T hide"
	if h.hidden {
		hide = "Ctrl+T show"
	}
	var parts []string
	switch {
	case h.notice != "":
		parts = append(parts, h.notice)
	case h.busy:
		parts = append(parts, "working …")
	}
	switch {
	case h.pane.Focused() && h.pane.CapturesKeys():
	case h.pane.Focused():
		parts = append(parts, "q back to the prompt", hide, "Ctrl+↑↓ size")
	case h.dialog() != nil:
		parts = append(parts, "Enter answer", "Esc leave it to the terminal", "Tab jobs")
	case h.foreground != "":
		parts = append(parts, "Ctrl+B background", "Tab jobs", hide)
	default:
		parts = append(parts, "Tab jobs", "PgUp PgDn scroll", hide)
		if h.paneRows() > 0 {
			parts = append(parts, "Ctrl+↑↓ size")
		}
		parts = append(parts, "Ctrl+C quit")
	}
	line := ansi.Truncate(" "+strings.Join(parts, " · "), h.w, "…")
	return h.talk.styles.faint.Render(line + strings.Repeat(" ", max(0, h.w-ansi.StringWidth(line))))
}
