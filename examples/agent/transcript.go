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
	rows []row
	port viewport.Model // scrolls; at the end it follows new rows
}

// row is a message in a style, or a tool call.
type row struct {
	style  lipgloss.Style
	prefix string
	text   string
	call   *call
}

// call is a tool call and its job.
type call struct {
	job        engine.Job
	background bool
	failed     string // why the call failed
}

// The styles of the transcript.
var (
	strong = lipgloss.NewStyle().Bold(true)
	faint  = lipgloss.NewStyle().Faint(true)
	good   = lipgloss.NewStyle().Foreground(lipgloss.Green)
	bad    = lipgloss.NewStyle().Foreground(lipgloss.Red)
	accent = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
)

func newTranscript() *transcript { return &transcript{port: viewport.New()} }

func (t *transcript) add(r row) { t.rows = append(t.rows, r) }

// you adds what the user has typed, and goes there.
func (t *transcript) you(text string) {
	t.add(row{})
	t.add(row{style: strong, prefix: "> ", text: text})
	t.port.GotoBottom()
}

// note adds a line about what happens.
func (t *transcript) note(text string) { t.add(row{style: faint, prefix: "  ", text: text}) }

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
	var rows []string
	for _, r := range t.rows {
		if r.call != nil {
			rows = append(rows, r.call.view(w, now))
			continue
		}
		text := r.style.Width(max(10, w-len(r.prefix))).Render(r.text)
		rows = append(rows, lipgloss.JoinHorizontal(lipgloss.Top, r.prefix, text))
	}
	follow := t.port.AtBottom()
	t.port.SetWidth(w)
	t.port.SetHeight(h)
	t.port.SetContent(strings.Join(rows, "\n"))
	if follow {
		t.port.GotoBottom()
	}
	return t.port.View()
}

// view returns the line of a call: "⚡ background · npm run dev · 3m12s".
func (c *call) view(w int, now time.Time) string {
	j := c.job
	sign, word := accent.Render("●"), "bash"
	if c.background {
		sign, word = accent.Render("⚡"), "background"
	}
	parts := []string{word, j.Name, j.Uptime(now).Truncate(time.Second).String()}
	exit, ended := j.Ended()
	switch {
	case c.failed != "":
		sign, parts = bad.Render("✗"), append(parts, c.failed)
	case ended && exit.Code != nil && *exit.Code == 0:
		sign, parts = good.Render("✓"), append(parts, j.Ending())
	case ended:
		sign, parts = bad.Render("✗"), append(parts, j.Ending())
	case !c.background:
		parts = append(parts, faint.Render("Ctrl+B sends it to the background"))
	}
	// The lightning bolt is two cells wide, so all symbols take three.
	line := sign + strings.Repeat(" ", 3-ansi.StringWidth(sign)) + strings.Join(parts, " · ")
	return ansi.Truncate(line, w, "…")
}
