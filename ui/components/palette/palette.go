// Package palette is a list that is narrowed by typing: every action by name,
// or a job to pick.
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
	"github.com/hobjobs/hob/ui/components/listbox"
)

// Item is one entry.
type Item struct {
	ID       string
	Title    string
	Note     string // what it does; searched too
	Key      string // how it is reached without the palette
	Disabled string // why it cannot be taken now; empty: it can
}

// Editor is the line that is typed into.
type Editor interface {
	Update(tea.Msg) tea.Cmd
	Value() string
	View() string
	SetSize(w, h int)
	Cursor() *tea.Cursor
}

// Model is the palette. It belongs to one goroutine.
type Model struct {
	keys   keymap.Palette
	styles themes.PaletteStyles
	glyphs themes.Glyphs
	title  string
	line   Editor
	items  []Item
	titles int // the width of their column
	shown  []match
	list   listbox.List // over shown
	w, h   int
	taken  string
	refuse string
	closed bool
}

type match struct {
	item   int
	places []int // in the title
}

// New returns a palette of items; line is where its text is typed.
func New(title string, items []Item, line Editor, keys keymap.Palette, styles themes.PaletteStyles, glyphs themes.Glyphs) *Model {
	m := &Model{title: title, items: items, line: line, keys: keys, styles: styles, glyphs: glyphs}
	for _, item := range items {
		m.titles = max(m.titles, min(cells.Width(item.Title), widestTitle))
	}
	m.narrow()
	return m
}

// SetStyles replaces styles and glyphs.
func (m *Model) SetStyles(s themes.PaletteStyles, g themes.Glyphs) { m.styles, m.glyphs = s, g }

// Width is how wide the box has to be to show all of every entry.
func (m *Model) Width() int {
	widest := 0
	for _, item := range m.items {
		widest = max(widest, max(m.titles, cells.Width(item.Title))+columnGap+cells.Width(item.Note)+columnGap+cells.Width(item.Key))
	}
	return widest + 4 // the frame and its blanks
}

// SetSize sets the size of the whole box.
func (m *Model) SetSize(w, h int) {
	m.w, m.h = max(0, w), max(0, h)
	m.line.SetSize(m.w-4, 1)
	m.list.Rows = m.rows()
	m.list.Step(0)
}

// Answer returns the entry that was taken; done is true once the palette is
// over. Refused says why an entry that cannot be taken was not.
func (m *Model) Answer() (id string, done bool) { return m.taken, m.closed }

// Refused returns, once, why the entry that was chosen cannot be taken.
func (m *Model) Refused() string {
	s := m.refuse
	m.refuse = ""
	return s
}

// Update narrows and moves.
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
		m.closed = true
	case keymap.Match(press, k.RunItem):
		m.take(m.list.At)
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

func (m *Model) take(i int) {
	if i >= len(m.shown) { // nothing of that name
		return
	}
	item := m.items[m.shown[i].item]
	if item.Disabled != "" {
		m.refuse = item.Disabled
		return
	}
	m.taken, m.closed = item.ID, true
}

// Click takes the entry drawn at row y of the box.
func (m *Model) Click(_, y int) {
	if i, ok := m.list.Hit(y - 1 - m.above()); ok {
		m.take(i)
	}
}

// Scroll moves the mark by n entries: the wheel.
func (m *Model) Scroll(n int) { m.list.Step(n) }

// narrow shows what matches the text and marks the first of it.
func (m *Model) narrow() {
	m.shown = m.matches(strings.TrimSpace(m.line.Value()))
	m.list = listbox.List{Len: len(m.shown), Rows: m.rows()}
}

// matches are the items that text finds: titles first, then what notes say.
func (m *Model) matches(text string) []match {
	var found []match
	if text == "" {
		for i := range m.items {
			found = append(found, match{item: i})
		}
		return found
	}
	titles := make([]string, len(m.items))
	for i, item := range m.items {
		titles[i] = item.Title
	}
	for _, f := range fuzzy.Find(text, titles) {
		found = append(found, match{f.Index, f.MatchedIndexes})
	}
	lower := strings.ToLower(text)
	for i, item := range m.items {
		known := slices.ContainsFunc(found, func(x match) bool { return x.item == i })
		if !known && strings.Contains(strings.ToLower(item.Note), lower) {
			found = append(found, match{item: i})
		}
	}
	return found
}

// above is how many lines stand before the entries: the one that is typed into
// and, where rows are not dear, a blank one.
func (m *Model) above() int {
	if m.h < 6 {
		return 1
	}
	return 2
}

// rows is how many entries the box shows.
func (m *Model) rows() int { return max(0, m.h-2-m.above()) }

// View draws the box: the line that is typed into, then the entries.
func (m *Model) View() string {
	frame := cells.Frame{Border: m.glyphs.Border, Line: m.styles.Border, Title: m.styles.Title, Info: m.styles.Muted, Mark: m.glyphs.Ellipsis}
	lines := []string{m.line.View(), ""}[:m.above()]
	lines = append(lines, m.list.Draw(func(i int, marked bool) string { return m.row(m.shown[i], marked, m.w-4) })...)
	if len(m.shown) == 0 && m.rows() > 0 {
		lines = append(lines, m.styles.Muted.Render(cells.End("nothing of that name", m.w-4, "")))
	}
	lines = cells.Block(lines, m.w-4, max(0, m.h-2))
	box := frame.Box(m.title, lines, m.list.More(m.glyphs.More), m.w)
	return strings.Join(box[:min(len(box), m.h)], "\n")
}

const (
	widestTitle  = 22
	shortestNote = 16 // with less room a note says too little
	columnGap    = 2
)

func (m *Model) row(x match, selected bool, w int) string {
	item := m.items[x.item]
	title := max(m.titles, cells.Width(item.Title))
	room := w - title - columnGap - columnGap - cells.Width(item.Key)
	if w < m.titles+columnGap+shortestNote+8 { // the same for all rows
		title, room = cells.Width(item.Title), 0
	}
	note := cells.End(item.Note, max(0, room), m.glyphs.Ellipsis)
	between := cells.Blank(columnGap)
	gap := max(0, w-title-columnGap-cells.Width(note)-cells.Width(item.Key))
	name := cells.Fit(item.Title, title)
	if selected {
		return m.styles.Selected.Render(cells.Fit(name+between+note+cells.Blank(gap)+item.Key, w))
	}
	style := m.styles.Item
	if item.Disabled != "" {
		style = m.styles.Disabled
	}
	return m.matched(name, x.places, style) + between + m.styles.Muted.Render(note) + cells.Blank(gap) + m.styles.Key.Render(item.Key)
}

func (m *Model) matched(name string, places []int, style lipgloss.Style) string {
	if len(places) == 0 {
		return style.Render(name)
	}
	var b strings.Builder
	for i, r := range name {
		s := style
		if slices.Contains(places, i) {
			s = m.styles.Match
		}
		b.WriteString(s.Render(string(r)))
	}
	return b.String()
}

// Cursor is the place of the cursor in the box.
func (m *Model) Cursor() *tea.Cursor {
	c := m.line.Cursor()
	if c != nil {
		c.X += 2
		c.Y++
	}
	return c
}

// ShortHelp returns the keys to name first.
func (m *Model) ShortHelp() []key.Binding {
	return []key.Binding{m.keys.RunItem, m.keys.NextItem, m.keys.ClosePalette}
}
