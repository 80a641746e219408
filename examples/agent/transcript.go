package main

import (
	"fmt"
	"slices"
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
	chosen int  // -1: none
	reveal bool // scroll to the chosen row, or to the end without one
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
	open       bool
}

type styles struct{ you, faint, good, bad, accent, chosen lipgloss.Style }

func newTranscript() *transcript {
	s := lipgloss.NewStyle()
	return &transcript{chosen: -1, port: viewport.New(), styles: styles{
		you: s.Bold(true), faint: s.Faint(true), good: s.Foreground(lipgloss.Green), bad: s.Foreground(lipgloss.Red),
		accent: s.Foreground(lipgloss.Yellow), chosen: s.Reverse(true),
	}}
}

func (t *transcript) add(r row) { t.rows = append(t.rows, r) }

// toEnd scrolls to the end, with no row chosen.
func (t *transcript) toEnd() { t.chosen, t.reveal = -1, true }

// find returns the call of a job.
func (t *transcript) find(id engine.ID) *call {
	for _, r := range t.rows {
		if r.call != nil && r.call.job.ID == id {
			return r.call
		}
	}
	return &call{}
}

// choose moves to the next or previous row that can be unfolded.
func (t *transcript) choose(step int) {
	var calls []int
	for i, r := range t.rows {
		if r.call != nil {
			calls = append(calls, i)
		}
	}
	t.reveal = true
	if len(calls) == 0 {
		return
	}
	at := slices.Index(calls, t.chosen)
	switch {
	case at < 0 && step < 0:
		at = len(calls) - 1
	case at < 0 || at+step >= len(calls):
		t.chosen = -1
		return
	default:
		at = max(0, at+step)
	}
	t.chosen = calls[at]
}

// unfold opens or folds the chosen row.
func (t *transcript) unfold() {
	if t.chosen >= 0 {
		c := t.rows[t.chosen].call
		c.open, t.reveal = !c.open, true
	}
}

// view returns h lines: the part that the user has scrolled to, by default the end.
func (t *transcript) view(w, h int, now time.Time) string {
	var lines []string
	first, last := 0, 0 // lines of the chosen row
	for i, r := range t.rows {
		if i == t.chosen {
			first = len(lines)
		}
		lines = append(lines, t.row(r, i == t.chosen, w, now)...)
		if i == t.chosen {
			last = len(lines) - 1
		}
	}
	follow := t.port.AtBottom() || t.reveal && t.chosen < 0
	t.port.SetWidth(w)
	t.port.SetHeight(h)
	t.port.SetContentLines(lines)
	switch {
	case t.reveal && t.chosen >= 0:
		t.port.EnsureVisible(last, 0, 0)
		t.port.EnsureVisible(first, 0, 0)
	case follow && t.chosen < 0:
		t.port.GotoBottom()
	}
	t.reveal = false
	return t.port.View()
}

func (t *transcript) row(r row, chosen bool, w int, now time.Time) []string {
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
	lines := []string{t.head(r.call, chosen, w, now)}
	more := r.call.tail
	if r.call.open {
		more = details(r.call)
	} else if r.call.background {
		more = nil
	}
	for _, l := range more {
		lines = append(lines, ansi.Truncate("    "+s.faint.Render(l), w, "…"))
	}
	return lines
}

// head returns the first line of a call: "⚡ background · npm run dev · 3m12s".
func (t *transcript) head(c *call, chosen bool, w int, now time.Time) string {
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
	text := strings.Join(parts, " · ")
	if chosen {
		text = s.chosen.Render(text)
	}
	// The lightning bolt is two cells wide, so all symbols take three.
	line := sign + strings.Repeat(" ", 3-ansi.StringWidth(sign)) + text
	if !j.Status.Finished() && !c.background && c.failed == "" {
		line += s.faint.Render("   Ctrl+B sends it to the background")
	}
	return ansi.Truncate(line, w, "…")
}

// details returns the lines of an unfolded call.
func details(c *call) []string {
	j := c.job
	lines := []string{"id     " + string(j.ID)}
	for _, path := range []string{j.OutputPath, j.StdoutPath, j.StderrPath} {
		if path != "" {
			lines = append(lines, "output "+path)
		}
	}
	if exit, ok := j.Ended(); ok {
		return append(lines, fmt.Sprintf("ended  %s at %s", j.Ending(), exit.At.Format(time.TimeOnly)))
	}
	process := fmt.Sprintf("pid    %d", j.Leader.PID)
	if j.Leader.PID == 0 {
		process = "pid    none (runs in the agent)"
	}
	return append(lines, process+", running since "+j.StartedAt.Format(time.TimeOnly))
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
