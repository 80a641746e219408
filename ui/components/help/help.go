// Package help shows the keys that are needed most on one page, and all others by searching.
package help

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/border"
	"github.com/hobjobs/hob/ui/components/listbox"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// Section is a group of keys under a title.
type Section struct {
	Title   string
	Note    string // where the keys work
	Entries []Entry
}

// Page is what is shown before the user searches.
type Page struct {
	Wide, Brief []Section // for two wide columns; for less room
	Rest        string    // names what is found by searching
}

// Entry is one action.
type Entry struct {
	Keys string // "k ↑"
	Desc string
}

// Model is the help page. It belongs to one goroutine.
type Model struct {
	keys     keymap.Help
	input    keymap.Input
	styles   *themes.Styles
	glyphs   *themes.Glyphs
	page     Page
	sections []Section
	line     *prompt.Line
	typing   bool
	lines    []string
	list     listbox.List // lines of the page; no line is marked
	w, h     int
	closed   func() tea.Cmd
}

// New returns the help page. sections are all keys, in which the user can search; line is the text
// input for that. closed is called when the user closes the page.
func New(page Page, sections []Section, line *prompt.Line, keys keymap.Help, input keymap.Input, styles *themes.Styles, closed func() tea.Cmd) *Model {
	return &Model{
		closed:   closed,
		page:     page,
		sections: sections,
		line:     line,
		keys:     keys,
		input:    input,
		styles:   styles,
		glyphs:   &styles.Glyphs,
	}
}

// SetSize sets the size of the whole box.
func (m *Model) SetSize(w, h int) {
	m.w, m.h = max(0, w), max(0, h)
	m.line.SetWidth(max(0, m.w-4))
	m.lay()
}

// Update scrolls and filters.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if m.typing {
		switch {
		case ok && keymap.Match(press, m.input.Accept):
			m.typing = false
		case ok && keymap.Match(press, m.input.Cancel):
			m.typing = false
			m.line.SetValue("")
		default:
			m.line.Update(msg)
		}
		m.lay()
		return nil
	}
	if !ok {
		return nil
	}
	switch {
	case keymap.Match(press, m.keys.CloseHelp):
		return m.closed()
	case keymap.Match(press, m.keys.FilterHelp):
		m.typing = true
		m.lay()
	default:
		if rows, ok := m.keys.Rows(press, m.list.Rows); ok {
			m.Scroll(rows)
		}
	}
	return nil
}

// Scroll scrolls the page by n lines.
func (m *Model) Scroll(n int) { m.list.Pan(n) }

// Click does nothing.
func (m *Model) Click(int, int) tea.Cmd { return nil }

// filtering reports whether the filter line is visible.
func (m *Model) filtering() bool { return m.typing || m.line.Value() != "" }

const (
	columnWidth = 50 // minimum width for a description in a column
	columnGap   = 4
)

// keyWidth returns the width of the column of keys, including the gap after it, in a page of
// width w. From medium widths on it fits every key. 0: each key has a line of its own, above its
// description.
func keyWidth(w int) int {
	switch {
	case w >= 64:
		return 18
	case w >= 36:
		return 16
	case w >= 28:
		return 13
	}
	return 0
}

// lay arranges the page, or the keys that the user searches for.
func (m *Model) lay() {
	inner := max(0, m.w-4)
	m.list.Rows = max(0, m.h-2)
	if m.filtering() {
		m.list.Rows = max(0, m.h-3)
	}
	if m.line.Value() == "" {
		m.lines = m.layPage(inner)
	} else {
		m.lines = m.layFound(inner)
	}
	m.list.Len = len(m.lines)
	m.Scroll(0)
}

// layFound returns the entries that match, in one column or in two where there is room.
func (m *Model) layFound(inner int) []string {
	blocks := m.blocks(inner)
	if inner < 2*columnWidth {
		return slices.Concat(blocks...)
	}
	return columns(blocks, (inner+columnGap)/2)
}

// columns returns blocks in two columns; the second one begins after offset cells. A block is never
// split.
func columns(blocks [][]string, offset int) []string {
	left, right := balance(blocks)
	lines := make([]string, max(len(left), len(right)))
	for i := range lines {
		a, b := "", ""
		if i < len(left) {
			a = left[i]
		}
		if i < len(right) {
			b = right[i]
		}
		lines[i] = cells.Fit(a, offset) + b
	}
	return lines
}

// balance distributes blocks to two columns, in order and as evenly as possible.
func balance(blocks [][]string) (left, right []string) {
	total := 0
	for _, b := range blocks {
		total += len(b)
	}
	for _, b := range blocks {
		if len(right) == 0 && len(left)+len(b)/2 <= total/2 {
			left = append(left, b...)
			continue
		}
		right = append(right, b...)
	}
	return left, right
}

// blocks returns the lines of the sections that match the filter, each followed by a blank line.
func (m *Model) blocks(inner int) [][]string {
	filter := strings.ToLower(m.line.Value())
	if inner >= 2*columnWidth {
		inner = (inner - columnGap) / 2
	}
	var blocks [][]string
	for _, s := range m.sections {
		var b []string
		for _, e := range s.Entries {
			if filter != "" && !strings.Contains(strings.ToLower(e.Keys+" "+e.Desc), filter) {
				continue
			}
			b = append(b, m.entry(e, inner, keyWidth(inner))...)
		}
		if len(b) > 0 {
			blocks = append(blocks, append(append([]string{m.title(s, inner)}, b...), ""))
		}
	}
	return blocks
}

// entry returns the lines of one entry, as many as its keys and its description need. kw is the width
// of the column of keys.
func (m *Model) entry(e Entry, w, kw int) []string {
	if kw == 0 {
		return m.stacked(e, w)
	}
	keys, desc := cells.Wrap(e.Keys, kw-2), cells.Wrap(e.Desc, w-kw)
	lines := make([]string, 0, max(len(keys), len(desc)))
	for i := range max(len(keys), len(desc)) {
		k, d := "", ""
		if i < len(keys) {
			k = keys[i]
		}
		if i < len(desc) {
			d = desc[i]
		}
		lines = append(lines, m.styles.Key.Render(cells.Fit(k, kw-2))+"  "+m.styles.Text.Render(d))
	}
	return lines
}

// stacked returns the lines of an entry where keys and description do not fit side by side.
func (m *Model) stacked(e Entry, w int) []string {
	lines := []string{m.styles.Key.Render(cells.Truncate(e.Keys, w, m.glyphs.Ellipsis))}
	for _, d := range cells.Wrap(e.Desc, w-2) {
		lines = append(lines, "  "+m.styles.Text.Render(d))
	}
	return lines
}

// View draws the box in exactly its size.
func (m *Model) View() string {
	if min(m.w, m.h) == 0 {
		return ""
	}
	frame := border.Frame{
		Border: m.glyphs.Border,
		Line:   m.styles.BorderFocused,
		Title:  m.styles.TitleFocused,
		Info:   m.styles.Faint,
		Mark:   m.glyphs.Ellipsis,
	}
	var lines []string
	if m.filtering() {
		lines = append(lines, m.line.View())
	}
	first, end := m.list.Window()
	lines = append(lines, m.lines[first:end]...)
	more := ""
	switch {
	case end < len(m.lines):
		more = m.glyphs.More + " more"
	case m.line.Value() == "":
		more = m.page.Rest
	}
	box := frame.Box("Help", cells.Block(lines, max(0, m.w-4), max(0, m.h-2)), more, m.w)
	return strings.Join(box[:min(len(box), m.h)], "\n")
}

// Cursor returns the position of the cursor while the user types the filter.
func (m *Model) Cursor() *tea.Cursor {
	if !m.typing {
		return nil
	}
	c := m.line.Cursor()
	if c != nil {
		c.X += 2
		c.Y++
	}
	return c
}

// ShortHelp returns the most important keys.
func (m *Model) ShortHelp() []key.Binding {
	down := m.keys.Down
	down.SetEnabled(down.Enabled() && m.list.Len > m.list.Rows)
	return []key.Binding{down, m.keys.FilterHelp, m.keys.CloseHelp}
}
