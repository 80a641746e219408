package main

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/viewport"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
)

// transcript has the messages and tool calls so far, oldest first.
type transcript struct {
	rows   []row
	atEnd  bool // scroll to the end
	port   viewport.Model
	styles styles
}

type rowKind int

const (
	rowYou rowKind = iota
	rowModel
	rowCall
	rowNote
)

type row struct {
	kind rowKind
	text string
	call *call
}

// call is a tool call and its job.
type call struct {
	job        engine.Job
	background bool
	failed     string // why the call failed
	tail       []string
}

type styles struct{ you, faint, good, bad, accent lipgloss.Style }

func newTranscript() *transcript {
	s := lipgloss.NewStyle()
	return &transcript{port: viewport.New(), styles: styles{
		you: s.Bold(true), faint: s.Faint(true), good: s.Foreground(lipgloss.Green), bad: s.Foreground(lipgloss.Red),
		accent: s.Foreground(lipgloss.Yellow),
	}}
}

func (t *transcript) add(r row) { t.rows = append(t.rows, r) }

// toEnd scrolls to the end.
func (t *transcript) toEnd() { t.atEnd = true }

// find returns the call of a job.
func (t *transcript) find(id engine.ID) *call {
	for _, r := range t.rows {
		if r.call != nil && r.call.job.ID == id {
			return r.call
		}
	}
	return &call{}
}

// view returns h lines: the part that the user has scrolled to, by default the end.
func (t *transcript) view(w, h int, now time.Time) string {
	var lines []string
	for _, r := range t.rows {
		lines = append(lines, t.row(r, w, now)...)
	}
	follow := t.port.AtBottom() || t.atEnd
	t.port.SetWidth(w)
	t.port.SetHeight(h)
	t.port.SetContentLines(lines)
	if follow {
		t.port.GotoBottom()
	}
	t.atEnd = false
	return t.port.View()
}

func (t *transcript) row(r row, w int, now time.Time) []string {
	s := t.styles
	switch r.kind {
	case rowYou:
		return append([]string{""}, wrap(r.text, w, s.you.Render("> "), "  ", s.you)...)
	case rowModel:
		return wrap(r.text, w, "", "", lipgloss.NewStyle())
	case rowNote:
		return wrap(r.text, w, "  ", "  ", s.faint)
	case rowCall:
	}
	lines := []string{t.head(r.call, w, now)}
	for _, l := range r.call.tail {
		lines = append(lines, ansi.Truncate("    "+s.faint.Render(l), w, "…"))
	}
	return lines
}

// head returns the first line of a call: "⚡ background · npm run dev · 3m12s".
func (t *transcript) head(c *call, w int, now time.Time) string {
	s, j := t.styles, c.job
	sign, word := s.accent.Render("●"), "bash"
	if c.background {
		sign, word = s.accent.Render("⚡"), "background"
	}
	end := ""
	if exit, ok := j.Ended(); ok {
		sign, end = s.bad.Render("✗"), j.Ending()
		if exit.Code != nil && *exit.Code == 0 {
			sign = s.good.Render("✓")
		}
	}
	if c.failed != "" {
		sign, end = s.bad.Render("✗"), c.failed
	}
	parts := []string{word, j.Name, j.Uptime(now).Truncate(time.Second).String()}
	if end != "" {
		parts = append(parts, end)
	}
	// The lightning bolt is two cells wide, so all symbols take three.
	line := sign + strings.Repeat(" ", 3-ansi.StringWidth(sign)) + strings.Join(parts, " · ")
	if !j.Status.Finished() && !c.background && c.failed == "" {
		line += s.faint.Render("   Ctrl+B sends it to the background")
	}
	return ansi.Truncate(line, w, "…")
}

// wrap breaks text into lines of at most w columns.
func wrap(text string, w int, first, rest string, style lipgloss.Style) []string {
	var lines []string
	indent := first
	for line := range strings.SplitSeq(ansi.Wrap(text, max(10, w-ansi.StringWidth(first)), ""), "\n") {
		lines = append(lines, indent+style.Render(line))
		indent = rest
	}
	return lines
}
