package main

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// leastTalk is how many rows the transcript keeps, with the prompt and the status
// line below it.
const leastTalk = 5

// paneRows is how high the pane is now.
func (h *host) paneRows() int {
	_, least := h.pane.MinSize()
	h.share = max(least, min(h.share, h.h-leastTalk))
	if h.hidden || h.h < least+leastTalk {
		return 0
	}
	return h.share
}

func (h *host) paneTop() int { return h.h - h.paneRows() }

// arrange gives the pane its place. One that is hidden has no size, and draws and
// ticks no more; it goes on listening.
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
	lines := h.talk.view(h.w, rows, h.now)
	line, at := h.prompt.view(h.w)
	lines = append(lines, line, h.status())
	if h.paneRows() > 0 {
		lines = append(lines, h.pane.View())
	}
	v.Content = strings.Join(lines, "\n")
	switch {
	case !h.pane.Focused():
		v.Cursor = tea.NewCursor(at, rows)
	case h.paneRows() > 0:
		if v.Cursor = h.pane.Cursor(); v.Cursor != nil {
			v.Cursor.Y += h.paneTop()
		}
	}
	return v
}

// status is the line between the prompt and the pane: the host's own keys.
func (h *host) status() string {
	hide := "Ctrl+T hide"
	if h.hidden {
		hide = "Ctrl+T show"
	}
	var parts []string
	switch {
	case h.said != "":
		parts = append(parts, h.said)
	case h.busy:
		parts = append(parts, "working …")
	}
	switch {
	case h.pane.Focused() && h.pane.CapturesKeys():
	case h.pane.Focused():
		parts = append(parts, "q back to the prompt", hide, "Ctrl+↑↓ size")
	case h.fore != "":
		parts = append(parts, "Ctrl+B background", "Tab jobs", hide)
	default:
		parts = append(parts, "Tab jobs", "↑↓ Enter unfold", hide)
		if h.paneRows() > 0 {
			parts = append(parts, "Ctrl+↑↓ size")
		}
		parts = append(parts, "Ctrl+C leave")
	}
	line := ansi.Truncate(" "+strings.Join(parts, " · "), h.w, "…")
	return h.talk.styles.faint.Render(line + strings.Repeat(" ", max(0, h.w-ansi.StringWidth(line))))
}
