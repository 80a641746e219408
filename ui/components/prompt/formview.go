package prompt

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/listbox"
)

// leastLabel is the minimum width of the column of field names.
const leastLabel = 11

// labelWidth returns the width of the column of field names: that of the longest one, at most
// half of the box.
func (f *Form) labelWidth() int {
	longest := 0
	for _, name := range f.names {
		longest = max(longest, cells.Width(name))
	}
	return max(leastLabel, min(longest+2, f.w/2))
}

// narrow reports whether the box is too narrow for a name and a text side by side. In that case
// only the focused field is shown, below its name.
func (f *Form) narrow() bool { return f.w < 4+f.labelWidth()+12 }

// View draws the box.
func (f *Form) View() string { return strings.Join(f.lines(), "\n") }

func (f *Form) lines() []string {
	frame := cells.Frame{Border: f.styles.Glyphs.Border, Line: f.styles.BorderFocused, Title: f.styles.TitleFocused, Info: f.styles.Muted, Mark: f.styles.Glyphs.Ellipsis}
	rows, hidden := f.rows()
	place := ""
	if hidden {
		place = strconv.Itoa(f.focus.At+1) + " of " + strconv.Itoa(len(f.fields))
	}
	return frame.Box(f.title, rows, place, f.w)
}

// rows returns the lines inside the box; hidden reports whether some fields do not fit.
func (f *Form) rows() (rows []string, hidden bool) {
	inner := max(0, f.w-4)
	if f.narrow() {
		line := f.focused()
		line.SetWidth(inner)
		rows = append(f.question(), line.View())
		if f.hasBelow() {
			rows = append(rows, f.below(inner))
		}
		return rows, len(f.fields) > 1
	}
	rows = f.question()
	labels := f.labelWidth()
	first, last := f.seen()
	for i := first; i < last; i++ {
		line := f.fields[i]
		line.SetWidth(inner - labels)
		label := f.styles.Muted
		if i == f.focus.At {
			label = f.styles.TitleFocused
		}
		rows = append(rows, cells.Fit(label.Render(cells.Truncate(f.names[i], labels-1, f.styles.Glyphs.Ellipsis)), labels)+line.View())
		if i == f.focus.At && f.hasBelow() {
			rows = append(rows, cells.Blank(labels)+f.below(inner-labels))
		}
	}
	note := cells.Wrap(f.note, inner)
	if f.note != "" && (f.h == 0 || len(rows)+1+len(note) <= f.h-2) {
		rows = append(rows, "")
		for _, line := range note {
			rows = append(rows, f.styles.Muted.Render(line))
		}
	}
	return rows, last-first < len(f.fields)
}

// question returns the lines above the fields, as many as leave room for one field. Without a
// question, it is the name of the only field in a narrow box.
func (f *Form) question() []string {
	inner := max(1, f.w-4)
	if len(f.asked) == 0 {
		const needed = 3 // the name, the field and the row below it
		if f.narrow() && !(f.hasBelow() && f.h > 0 && f.h-2 < needed) {
			return []string{cells.Fit(f.styles.TitleFocused.Render(f.names[f.focus.At]), inner)}
		}
		return nil
	}
	most := f.h - 2 - 1
	if f.hasBelow() {
		most--
	}
	most = max(0, most)
	asked := f.asked
	lines := cells.Wrap(strings.Join(asked, "\n"), inner)
	for ; f.h > 0 && len(lines) > most && len(asked) > 1; lines = cells.Wrap(strings.Join(asked, "\n"), inner) {
		asked = asked[1:]
	}
	switch {
	case f.h > 0 && len(lines) > most:
		lines = cells.WrapTo(strings.Join(asked, "\n"), inner, most, f.styles.Glyphs.Ellipsis)
	case f.h == 0 || len(lines) < most:
		lines = append(lines, "")
	}
	for i, line := range lines {
		lines[i] = f.styles.Text.Render(line)
	}
	return lines
}

// seen returns the range of fields that fit, with the focused one among them.
func (f *Form) seen() (first, last int) {
	room := len(f.fields)
	if f.h > 0 {
		room = f.h - 2 - len(f.question())
		if f.hasBelow() {
			room--
		}
		room = max(1, room)
	}
	seen := listbox.List{Len: len(f.fields), Rows: room, At: f.focus.At, Top: f.focus.At - room/2}
	return seen.Window()
}

// hasBelow reports whether there is a row below the focused field.
func (f *Form) hasBelow() bool { return len(f.offers) > 0 || f.focused().failed != "" }

// below returns that row: completions, or an error.
func (f *Form) below(w int) string {
	if len(f.offers) > 0 {
		return f.offersView(w)
	}
	return f.styles.Failed.Render(cells.Truncate(f.focused().failed, w, f.styles.Glyphs.Ellipsis))
}

func (f *Form) offersView(w int) string {
	var b strings.Builder
	used := 0
	for i, offer := range f.offers[f.pick.At:] {
		text := cells.TruncateMiddle(offer, min(30, w), f.styles.Glyphs.Ellipsis)
		if i > 0 && used+cells.Width(text)+2 > w {
			break
		}
		style := f.styles.Muted
		if i == 0 {
			style = f.styles.Selection
		}
		b.WriteString(style.Render(text) + "  ")
		used += cells.Width(text) + 2
	}
	return b.String()
}

// Cursor returns the position of the cursor in the box.
func (f *Form) Cursor() *tea.Cursor {
	label, row := f.labelWidth(), len(f.question())
	if f.narrow() {
		label = 0
	} else {
		first, _ := f.seen()
		row += f.focus.At - first
	}
	f.focused().SetWidth(max(0, f.w-4-label))
	c := f.focused().Cursor()
	if c != nil {
		c.X += 2 + label
		c.Y += 1 + row
	}
	return c
}
