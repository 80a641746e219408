// Package palette shows all actions in a list that is filtered by typing.
package palette

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/sahilm/fuzzy"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/border"
	"github.com/hobjobs/hob/ui/components/listbox"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// Item is one entry.
type Item struct {
	ID       string
	Title    string // what it does
	Name     string // its short name, which is searched first
	Key      string // key that does the same
	Disabled string // reason why it cannot be selected; empty: it can
}

// Model is the palette. It belongs to one goroutine.
type Model struct {
	keys   keymap.Palette
	styles *themes.Styles
	glyphs *themes.Glyphs
	title  string
	line   *prompt.Line
	items  []Item
	shown  []match
	list   listbox.List // selection in shown
	w, h   int
	choose func(Item) tea.Cmd
}

type match struct {
	item   int
	places []int // in the title
}

// New returns a palette of items; line is its text input. choose gets the chosen item, or none with
// an empty ID if the palette is closed.
func New(title string, items []Item, line *prompt.Line, keys keymap.Palette, styles *themes.Styles, choose func(Item) tea.Cmd) *Model {
	m := &Model{
		title:  title,
		items:  items,
		choose: choose,
		line:   line,
		keys:   keys,
		styles: styles,
		glyphs: &styles.Glyphs,
	}
	m.narrow()
	return m
}

// Width returns the width of a box that shows every entry completely.
func (m *Model) Width() int {
	widest := 0
	for _, item := range m.items {
		widest = max(widest, cells.Width(item.Title)+columnGap+cells.Width(item.Key))
	}
	return widest + 4 // the frame and its padding
}

// SetSize sets the size of the whole box.
func (m *Model) SetSize(w, h int) {
	m.w, m.h = max(0, w), max(0, h)
	m.line.SetWidth(m.w - 4)
	m.list.Rows = m.rows()
	m.list.Step(0)
}

// Update filters the entries and moves the selection.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		cmd := m.line.Update(msg)
		m.narrow()
		return cmd
	}
	k := m.keys
	switch {
	case keymap.Match(press, k.ClosePalette):
		return m.choose(Item{})
	case keymap.Match(press, k.RunItem):
		return m.take(m.list.At)
	case keymap.Match(press, k.NextItem):
		m.list.Cycle(1)
	case keymap.Match(press, k.PreviousItem):
		m.list.Cycle(-1)
	case keymap.Match(press, k.ItemPageDown):
		m.list.Step(m.list.Page())
	case keymap.Match(press, k.ItemPageUp):
		m.list.Step(-m.list.Page())
	default:
		before := m.line.Value()
		cmd := m.line.Update(msg)
		if m.line.Value() != before {
			m.narrow()
		}
		return cmd
	}
	return nil
}

func (m *Model) take(i int) tea.Cmd {
	if i >= len(m.shown) { // nothing matches
		return nil
	}
	return m.choose(m.items[m.shown[i].item])
}

// Click selects the entry at row y of the box.
func (m *Model) Click(_, y int) tea.Cmd {
	if i, ok := m.list.Hit(y - 1 - m.above()); ok {
		return m.take(i)
	}
	return nil
}

// Scroll moves the selection by n entries.
func (m *Model) Scroll(n int) { m.list.Step(n) }

// narrow updates the entries to those that match the text, and marks the first one.
func (m *Model) narrow() {
	m.shown = m.matches(strings.TrimSpace(m.line.Value()))
	m.list = listbox.List{Len: len(m.shown), Rows: m.rows()}
}

// matches returns the items that match text, those with a name that matches first.
func (m *Model) matches(text string) []match {
	var found []match
	if text == "" {
		for i := range m.items {
			found = append(found, match{item: i})
		}
		return found
	}
	names, titles := make([]string, len(m.items)), make([]string, len(m.items))
	for i, item := range m.items {
		names[i], titles[i] = item.Name, item.Title
	}
	for _, f := range fuzzy.Find(text, names) {
		found = append(found, match{f.Index, places(text, titles[f.Index])})
	}
	for i, title := range titles {
		known := slices.ContainsFunc(found, func(x match) bool { return x.item == i })
		if at := places(text, title); !known && len(at) > 0 {
			found = append(found, match{i, at})
		}
	}
	return found
}

// places returns the positions of text in a title, or nil.
func places(text, title string) []int {
	before, _, ok := strings.Cut(strings.ToLower(title), strings.ToLower(text))
	if !ok {
		return nil
	}
	var at []int
	for i := range text {
		at = append(at, len(before)+i)
	}
	return at
}

// above returns the number of lines above the entries: the text input and, in a box with enough
// rows, a blank line.
func (m *Model) above() int {
	if m.h < 6 {
		return 1
	}
	return 2
}

func (m *Model) rows() int { return max(0, m.h-2-m.above()) }

// View draws the box: the text input, then the entries.
func (m *Model) View() string {
	frame := border.Frame{
		Border: m.glyphs.Border,
		Line:   m.styles.BorderFocused,
		Title:  m.styles.TitleFocused,
		Info:   m.styles.Muted,
		Mark:   m.glyphs.Ellipsis,
	}
	lines := []string{m.line.View(), ""}[:m.above()]
	lines = append(lines, m.list.Draw(func(i int, marked bool) string { return m.row(m.shown[i], marked, m.w-4) })...)
	if len(m.shown) == 0 && m.rows() > 0 {
		lines = append(lines, m.styles.Muted.Render(cells.Truncate("No matches", m.w-4, "")))
	}
	lines = cells.Block(lines, m.w-4, max(0, m.h-2))
	box := frame.Box(m.title, lines, m.list.More(m.glyphs.More), m.w)
	return strings.Join(box[:min(len(box), m.h)], "\n")
}

// columnGap is the minimum blank between a title and its key.
const columnGap = 2

func (m *Model) row(x match, selected bool, w int) string {
	item := m.items[x.item]
	title := cells.Truncate(item.Title, max(0, w-columnGap-cells.Width(item.Key)), m.glyphs.Ellipsis)
	gap := cells.Blank(w - cells.Width(title) - cells.Width(item.Key))
	if selected {
		return m.styles.Selection.Render(cells.Fit(title+gap+item.Key, w))
	}
	style := m.styles.Text
	if item.Disabled != "" {
		style = m.styles.Faint
	}
	return m.matched(title, x.places, style) + gap + m.styles.Key.Render(item.Key)
}

func (m *Model) matched(name string, places []int, style lipgloss.Style) string {
	if len(places) == 0 {
		return style.Render(name)
	}
	var b strings.Builder
	for i, r := range name {
		s := style
		if slices.Contains(places, i) {
			s = m.styles.AccentStrong
		}
		b.WriteString(s.Render(string(r)))
	}
	return b.String()
}

// Cursor returns the position of the cursor in the box.
func (m *Model) Cursor() *tea.Cursor {
	c := m.line.Cursor()
	if c != nil {
		c.X += 2
		c.Y++
	}
	return c
}

// ShortHelp returns the most important keys.
func (m *Model) ShortHelp() []key.Binding {
	return []key.Binding{m.keys.RunItem, m.keys.NextItem, m.keys.ClosePalette}
}
