package replay

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// View draws the screen and the player's row, in exactly the size of the component.
func (m *Model) View() string {
	if min(m.w, m.h) == 0 {
		return ""
	}
	rows := make([]string, 0, m.h)
	_, height := m.term.Size()
	for y := range min(height, m.h-1) {
		rows = append(rows, ansi.Truncate(string(m.term.AppendANSI(nil, m.term.Row(y))), m.w, "")+ansi.ResetStyle)
	}
	rows = cells.Block(rows, m.w, m.h-1)
	return strings.Join(append(rows, m.bar()), "\n")
}

// bar is the row of the player: position, speed and keys.
func (m *Model) bar() string {
	if m.typing {
		return m.line.View()
	}
	sign := m.glyphs.Paused
	if m.playing {
		sign = m.glyphs.Playing
	}
	all := m.rec.Duration()
	parts := []string{sign + " " + clock(m.at) + " / " + clock(all)}
	if m.notice != "" {
		parts = append(parts, cells.Clean(m.notice))
	} else {
		parts = append(parts, m.facts()...)
	}
	text := strings.Join(parts, " "+m.glyphs.Dot+" ")
	room := m.w - cells.Width(text) - 2
	if room < 4 {
		return m.styles.Muted.Render(cells.Fit(text, m.w))
	}
	return m.styles.Muted.Render(text+" ") + m.progress(min(room+1, maxProgress), all) + m.styles.Muted.Render(cells.Blank(max(0, room+1-maxProgress)))
}

// facts are the time of day, and what differs from the usual.
func (m *Model) facts() []string {
	facts := []string{m.rec.Start().Add(m.at).Local().Format(time.TimeOnly)}
	if m.speed != 1 {
		facts = append(facts, strconv.FormatFloat(m.speed, 'g', 3, 64)+m.glyphs.Times)
	}
	if m.running && m.end {
		facts = append(facts, "live")
	}
	if cols, rows := m.term.Size(); cols > m.w || rows > m.h-1 {
		facts = append(facts, fmt.Sprintf("%d%s%d of %d%s%d", min(cols, m.w), m.glyphs.Times, min(rows, m.h-1), cols, m.glyphs.Times, rows))
	}
	return facts
}

// maxProgress is the width of the progress bar on a wide screen.
const maxProgress = 60

func (m *Model) progress(w int, all time.Duration) string {
	done := w
	if all > 0 {
		done = min(w, int(int64(w)*int64(m.at)/int64(all)))
	}
	return m.styles.Key.Render(strings.Repeat(m.glyphs.ProgressDone, done)) + m.styles.Muted.Render(strings.Repeat(m.glyphs.ProgressLeft, w-done))
}

// clock formats a time since the start.
func clock(d time.Duration) string { return units.FormatDuration(d.Truncate(time.Second)) }

// Cursor returns the cursor of the recorded terminal, or of the search line.
func (m *Model) Cursor() *tea.Cursor {
	if m.typing {
		c := m.line.Cursor()
		if c != nil {
			c.Y = m.h - 1
		}
		return c
	}
	cur := m.term.Cursor()
	if !cur.Visible || cur.X >= m.w || cur.Y >= m.h-1 {
		return nil
	}
	return tea.NewCursor(cur.X, cur.Y)
}

// Click does nothing.
func (m *Model) Click(int, int) tea.Cmd { return nil }

// Scroll does nothing: time is moved by keys.
func (m *Model) Scroll(int) {}

// ShortHelp returns the keys for a footer.
func (m *Model) ShortHelp() []key.Binding {
	if m.typing {
		return []key.Binding{m.input.Accept, m.input.Cancel}
	}
	k := m.keys
	if !m.playing {
		k.Pause.SetHelp(k.Pause.Help().Key, "play")
	}
	return []key.Binding{k.Pause, k.Back, k.Forward, k.Faster, k.Search, k.ShowHelp, k.Close}
}
