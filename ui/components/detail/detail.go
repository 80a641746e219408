// Package detail shows the facts of one job: what runs, where, since when, how it ended and why, and
// where its output is. A [Form] selects how many of them.
package detail

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// Model is the detail of one job. It belongs to one goroutine.
type Model struct {
	keys   keymap.Detail
	styles *themes.Styles
	glyphs *themes.Glyphs
	opts   Options

	job        engine.Job
	why        string // explanation of the end in one sentence; empty: the one in the record
	restarting bool
	shown      bool     // there is a job
	note       []string // shown instead of a job
	now        time.Time
	usage      []Sample // recently, at intervals of usageEvery
	usageEvery time.Duration
	form       Form
	w, h       int
	top        int
}

// Form is how much of a job is shown.
type Form int

// The forms of a detail.
const (
	Full   Form = iota // every fact that applies
	Brief              // three lines (state, command, place), and the reason if there is one
	Reason             // only why the job failed, or why what is known of it is old
)

// Options are how a detail is shown.
type Options struct {
	Home    string // the directory that is shown as "~"; may be empty
	Minutes bool   // show times in minutes, so that nothing moves each second
	Input   string // how to give a job the input that it needs: "a attach · i send line"
}

// New returns a detail without a job.
func New(keys keymap.Detail, styles *themes.Styles, o Options) *Model {
	return &Model{opts: o, keys: keys, styles: styles, glyphs: &styles.Glyphs}
}

// SetSize sets the number of columns and rows to fill.
func (m *Model) SetSize(w, h int) { m.w, m.h = max(0, w), max(0, h) }

// SetForm sets how much of the job is shown. A change of the form scrolls to the top.
func (m *Model) SetForm(f Form) {
	if f != m.form {
		m.top = 0
	}
	m.form = f
}

// SetNow sets the time that uptimes are counted to; its zone is the one that
// times are shown in.
func (m *Model) SetNow(now time.Time) { m.now = now }

// SetJob shows a job. For another job than before, it scrolls to the top.
func (m *Model) SetJob(j engine.Job) {
	if j.ID != m.job.ID {
		m.top, m.usage = 0, nil
	}
	m.job, m.why, m.restarting, m.shown = j, "", false, true
}

// SetRestarting shows that the job is being stopped to be restarted, until the next SetJob.
func (m *Model) SetRestarting(on bool) { m.restarting = on }

// SetWhy sets the explanation of the job's end, one sentence, until the next SetJob. If it is
// empty, the recorded reason is shown.
func (m *Model) SetWhy(text string) { m.why = text }

// Clear shows no job, but these lines of plain text, the first as a heading.
func (m *Model) Clear(note ...string) {
	m.job, m.shown, m.note = engine.Job{}, false, note
}

// Update scrolls.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	if rows, ok := m.keys.Rows(press, m.h); ok {
		m.Scroll(rows)
	}
	return nil
}

// Scroll moves the window by n lines.
func (m *Model) Scroll(n int) { m.top = max(0, min(m.top+n, m.Lines(m.w)-m.h)) }

// More returns the number of lines below the window.
func (m *Model) More() int { return max(0, m.Lines(m.w)-m.top-m.h) }

// Lines returns the number of lines that the detail has in w columns.
func (m *Model) Lines(w int) int { return len(m.lines(w)) }

// View draws the detail in exactly its size.
func (m *Model) View() string {
	lines := m.lines(m.w)
	m.top = max(0, min(m.top, len(lines)-m.h))
	return strings.Join(cells.Block(lines[m.top:], m.w, m.h), "\n")
}

// Text returns the whole detail as lines of at most w columns for a program that prints
// it, without padding. Facts longer than w wrap.
func (m *Model) Text(w int) []string {
	return append([]string{m.status()}, m.facts(w, false)...)
}

func (m *Model) lines(w int) []string {
	switch {
	case !m.shown && m.form == Reason:
		return nil
	case !m.shown:
		return m.noted(w)
	case m.form == Reason:
		return m.reason(w)
	case m.form == Brief:
		return m.brief(w)
	}
	state := m.status()
	head := m.withID(state, string(m.job.ID), w)
	return append([]string{head}, m.facts(w, head != state)...)
}

func (m *Model) noted(w int) []string {
	var lines []string
	style := m.styles.Strong
	for _, text := range m.note {
		for _, line := range m.wrap(text, max(1, w)) {
			lines = append(lines, style.Render(line))
		}
		style = m.styles.Text
	}
	return lines
}
