package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/keymap"
)

// View draws the screen and the player's row, in exactly the size of the component.
func (m *Model) View() string {
	if min(m.w, m.h) == 0 {
		return ""
	}
	rows := make([]string, 0, m.h)
	_, height := m.term.Size()
	top := m.top()
	for y := top; y < min(height, top+m.h-1); y++ {
		rows = append(rows, ansi.Truncate(string(m.term.AppendANSI(nil, m.term.Row(y))), m.w, "")+ansi.ResetStyle)
	}
	rows = cells.Block(rows, m.w, m.h-1)
	return strings.Join(append(rows, m.bar()), "\n")
}

// top returns the first row of the recorded terminal that is visible. A terminal with more rows than
// the view is cut at its top, because prompts and status lines are at the bottom; blank rows below
// the text and the cursor are cut first.
func (m *Model) top() int {
	_, height := m.term.Size()
	if height <= m.h-1 {
		return 0
	}
	last := height - 1
	for last > 0 && last != m.term.Cursor().Y && m.blank(last) {
		last--
	}
	return max(0, last+1-(m.h-1))
}

func (m *Model) blank(y int) bool {
	return strings.TrimSpace(ansi.Strip(string(m.term.AppendANSI(nil, m.term.Row(y))))) == ""
}

const (
	barGap      = 2  // blanks between the parts of the player's row
	minName     = 8  // minimum width of the name of the job
	minProgress = 8  // minimum width of the progress bar
	roomyBar    = 80 // minimum width for the key that closes the player, and for the time of day
)

// bar is the row of the player: the job, position, speed and keys. Where there is no room, the
// progress bar goes first, then the name.
func (m *Model) bar() string {
	if m.typing {
		return m.line.View()
	}
	sign := m.glyphs.Paused
	if m.playing {
		sign = m.glyphs.Playing
	}
	all := m.rec.Duration()
	middle := clock(m.at) + " / " + clock(all)
	facts, keys := m.facts(), m.barKeys()
	if m.notice != "" {
		facts, keys = []string{cells.Clean(m.notice)}, nil
	}
	room := m.w - cells.Width(sign) - 1 - cells.Width(middle)
	for len(keys) > 1 && m.keysWidth(keys) > room {
		keys = keys[1:]
	}
	keysWidth := m.keysWidth(keys)
	room -= keysWidth
	for _, fact := range facts {
		if n := barGap + cells.Width(fact); n <= room || m.notice != "" {
			middle += cells.Blank(barGap) + fact
			room -= n
		}
	}
	name := ""
	if room >= minName+barGap {
		name = cells.Name(m.name, room-barGap, m.glyphs.Ellipsis)
		room -= cells.Width(name) + barGap
		name += cells.Blank(barGap)
	}
	left := m.styles.Key.Render(sign) + " " + m.styles.Strong.Render(name) + m.styles.Muted.Render(middle)
	if room >= minProgress+barGap {
		left += cells.Blank(barGap) + m.progress(min(room-barGap, maxProgress), all)
	}
	left = cells.Fit(left, max(0, m.w-keysWidth))
	for _, k := range keys {
		left += cells.Blank(barGap) + m.styles.Key.Render(m.keyLabel(k)) + " " + m.styles.Muted.Render(k.Help().Desc)
	}
	return cells.Fit(left, m.w)
}

// barKeys returns the keys of the player's row, from left to right.
func (m *Model) barKeys() []key.Binding {
	k := m.keys
	if !m.playing {
		k.Pause.SetHelp(k.Pause.Help().Key, "play")
	}
	keys := []key.Binding{k.Pause}
	if m.w >= roomyBar {
		keys = append(keys, k.Close)
	}
	keys = append(keys, k.ShowHelp)
	return slices.DeleteFunc(keys, func(k key.Binding) bool { return !k.Enabled() })
}

// keysWidth returns the width of keys with the gap before each.
func (m *Model) keysWidth(keys []key.Binding) int {
	w := 0
	for _, k := range keys {
		w += barGap + m.keyWidth(k)
	}
	return w
}

func (m *Model) keyWidth(k key.Binding) int {
	return cells.Width(m.keyLabel(k)) + 1 + cells.Width(k.Help().Desc)
}

func (m *Model) keyLabel(k key.Binding) string {
	if m.glyphs.Running[0] < utf8.RuneSelf {
		return keymap.ASCIILabel(k.Keys()[0])
	}
	return k.Help().Key
}

// facts are the time of day, and what differs from the usual.
func (m *Model) facts() []string {
	var facts []string
	if m.w >= roomyBar {
		facts = append(facts, m.rec.Start().Add(m.at).Local().Format(time.TimeOnly))
	}
	if m.speed != 1 {
		facts = append(facts, strconv.FormatFloat(m.speed, 'g', 3, 64)+m.glyphs.Times)
	}
	if m.running && m.end {
		facts = append(facts, "live")
	}
	if cols, _ := m.term.Size(); cols > m.w {
		facts = append(facts, fmt.Sprintf("%d of %d columns", m.w, cols))
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
	y := cur.Y - m.top()
	inside := cur.X < m.w && y >= 0 && y < m.h-1
	if !cur.Visible || !inside {
		return nil
	}
	return tea.NewCursor(cur.X, y)
}

// Click presses the key at a position in the player's row.
func (m *Model) Click(x, y int) tea.Cmd {
	if y != m.h-1 || m.typing || m.notice != "" {
		return nil
	}
	end := m.w
	for _, k := range slices.Backward(m.barKeys()) {
		if start := end - m.keyWidth(k); x >= start && x < end {
			return m.press(tea.KeyPressMsg{Code: tea.KeyExtended, Text: k.Keys()[0]})
		}
		end -= m.keyWidth(k) + barGap
	}
	return nil
}

// Scroll does nothing: time is moved by keys.
func (m *Model) Scroll(int) {}

// ShortHelp returns the keys for a footer.
func (m *Model) ShortHelp() []key.Binding {
	if m.typing {
		return []key.Binding{m.input.Accept, m.input.Cancel}
	}
	return m.barKeys()
}
