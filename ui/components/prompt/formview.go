package prompt

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/listbox"
)

const labelWidth = 11

// narrow reports whether a name and a text have no room side by side: then the
// focused field alone is shown, below its name.
func (f *Form) narrow() bool { return f.w < 4+labelWidth+12 }

// View draws the box.
func (f *Form) View() string { return strings.Join(f.lines(), "\n") }

func (f *Form) lines() []string {
	frame := cells.Frame{Border: f.glyphs.Border, Line: f.box.Border, Title: f.box.Title, Info: f.styles.Count, Mark: f.glyphs.Ellipsis}
	rows, hidden := f.rows()
	place := ""
	if hidden {
		place = strconv.Itoa(f.focus.At+1) + " of " + strconv.Itoa(len(f.fields))
	}
	return frame.Box(f.title, rows, place, f.w)
}

// rows are the lines between the edges; hidden reports whether there are fields
// for which there is no room.
func (f *Form) rows() (rows []string, hidden bool) {
	inner := max(0, f.w-4)
	if f.narrow() {
		line := f.focused()
		line.SetSize(inner, 1)
		rows = append(f.question(), line.View())
		if len(f.offers) > 0 {
			rows = append(rows, f.offersView(inner))
		}
		return rows, len(f.fields) > 1
	}
	rows = f.question()
	first, last := f.seen()
	for i := first; i < last; i++ {
		line := f.fields[i]
		line.SetSize(inner-labelWidth, 1)
		label := f.styles.Count
		if i == f.focus.At {
			label = f.styles.Label
		}
		rows = append(rows, cells.Fit(label.Render(f.names[i]), labelWidth)+line.View())
		if i == f.focus.At && len(f.offers) > 0 {
			rows = append(rows, cells.Blank(labelWidth)+f.offersView(inner-labelWidth))
		}
	}
	note := strings.Split(ansi.Wrap(f.note, max(1, inner), ""), "\n")
	if f.note != "" && (f.h == 0 || len(rows)+1+len(note) <= f.h-2) {
		rows = append(rows, "")
		for _, line := range note {
			rows = append(rows, f.styles.Count.Render(line))
		}
	}
	return rows, last-first < len(f.fields)
}

// question is what stands above the fields, as much of it as leaves room for one;
// without a question, the name of the only field that is shown.
func (f *Form) question() []string {
	inner := max(1, f.w-4)
	if len(f.asked) == 0 {
		if f.narrow() {
			return []string{cells.Fit(f.styles.Label.Render(f.names[f.focus.At]), inner)}
		}
		return nil
	}
	most := max(0, f.h-2-1)
	asked := f.asked
	lines := wrapped(asked, inner)
	for ; f.h > 0 && len(lines) > most && len(asked) > 1; lines = wrapped(asked, inner) {
		asked = asked[1:]
	}
	switch {
	case f.h > 0 && len(lines) > most:
		if most > 0 {
			lines[most-1] = cells.End(strings.Join(lines[most-1:], " "), inner, f.glyphs.Ellipsis)
		}
		lines = lines[:most]
	case f.h == 0 || len(lines) < most:
		lines = append(lines, "")
	}
	for i, line := range lines {
		lines[i] = f.box.Text.Render(line)
	}
	return lines
}

// wrapped is lines in w columns.
func wrapped(lines []string, w int) []string {
	return strings.Split(ansi.Wrap(strings.Join(lines, "\n"), w, ""), "\n")
}

// seen are the fields for which there is room, the focused one among them.
func (f *Form) seen() (first, last int) {
	room := len(f.fields)
	if f.h > 0 {
		room = f.h - 2 - len(f.question())
		if len(f.offers) > 0 {
			room--
		}
		room = max(1, room)
	}
	seen := listbox.List{Len: len(f.fields), Rows: room, At: f.focus.At, Top: f.focus.At - room/2}
	return seen.Window()
}

func (f *Form) offersView(w int) string {
	var b strings.Builder
	used := 0
	for i, offer := range f.offers[f.pick.At:] {
		text := cells.Middle(offer, min(30, w), f.glyphs.Ellipsis)
		if i > 0 && used+cells.Width(text)+2 > w {
			break
		}
		style := f.styles.Count
		if i == 0 {
			style = f.styles.Selected
		}
		b.WriteString(style.Render(text) + "  ")
		used += cells.Width(text) + 2
	}
	return b.String()
}

// Cursor is the place of the cursor in the box.
func (f *Form) Cursor() *tea.Cursor {
	label, row := labelWidth, len(f.question())
	if f.narrow() {
		label = 0
	} else {
		first, _ := f.seen()
		row += f.focus.At - first
	}
	f.focused().SetSize(max(0, f.w-4-label), 1)
	c := f.focused().Cursor()
	if c != nil {
		c.X += 2 + label
		c.Y += 1 + row
	}
	return c
}
