package cli

import (
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/cells"
)

// A table has rows of text in aligned columns, two spaces apart.
type table struct {
	rows     [][]cell
	ellipsis string // in place of what is cut off
}

// cell is one field. Its text has been escaped.
type cell struct {
	text   string
	style  style
	right  bool   // aligned to the right
	cutEnd bool   // shortened at its end, else like a name: see [cells.Name]
	kept   string // the end of text that is not cut off with it, unless it takes more than half of the column
}

// newTable returns a table with a heading. Names that begin with > are those of columns that are
// aligned to the right.
func newTable(names ...string) *table {
	var heading []cell
	for _, name := range names {
		text, right := strings.CutPrefix(name, ">")
		heading = append(heading, cell{text: text, style: styleDim, right: right})
	}
	return &table{rows: [][]cell{heading}, ellipsis: "…"}
}

func (t *table) add(row ...cell) { t.rows = append(t.rows, row) }

// column returns the index of a column, -1 if there is none of that name.
func (t *table) column(name string) int {
	return slices.IndexFunc(t.rows[0], func(c cell) bool { return c.text == name })
}

// hide removes a column, if it is there.
func (t *table) hide(name string) {
	at := t.column(name)
	if at < 0 {
		return
	}
	for i, row := range t.rows {
		t.rows[i] = slices.Delete(row, at, at+1)
	}
}

// isEmpty reports whether a column has nothing but its heading.
func (t *table) isEmpty(name string) bool {
	at := t.column(name)
	return !slices.ContainsFunc(t.rows[1:], func(row []cell) bool { return row[at].text != "" })
}

// lines renders the table at most limit columns wide (0: no limit), if necessary with a shorter last
// column.
func (t *table) lines(limit int, colored bool) []string {
	heading := t.rows[0]
	return t.render(t.within(limit, heading[len(heading)-1].text), colored)
}

// within returns widths for at most limit columns (0: no limit), if necessary with the columns of these names
// shortened, the first one first.
func (t *table) within(limit int, names ...string) []int {
	const least = 8
	widths := t.widths()
	for _, name := range names {
		at := t.column(name)
		if over := total(widths) - limit; limit > 0 && at >= 0 && over > 0 {
			widths[at] -= min(over, max(widths[at]-least, 0))
		}
	}
	return widths
}

// render renders the columns with these widths.
func (t *table) render(widths []int, colored bool) []string {
	lines := make([]string, 0, len(t.rows))
	for _, row := range t.rows {
		var b strings.Builder
		for i, c := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			text := c.shortened(widths[i], t.ellipsis)
			pad := strings.Repeat(" ", max(widths[i]-cells.Width(text), 0))
			if c.right {
				b.WriteString(pad)
				pad = ""
			}
			b.WriteString(paint(colored, text, c.style))
			b.WriteString(pad)
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// shortened returns the text in at most w columns.
func (c cell) shortened(w int, ellipsis string) string {
	if !c.cutEnd {
		return cells.Name(c.text, w, ellipsis)
	}
	kept := cells.Width(c.kept)
	if cells.Width(c.text) <= w || kept > w/2 {
		return cells.Truncate(c.text, w, ellipsis)
	}
	return cells.Truncate(strings.TrimSuffix(c.text, c.kept), w-kept, ellipsis) + c.kept
}

func (t *table) widths() []int {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], cells.Width(c.text))
		}
	}
	return widths
}

func total(widths []int) int {
	sum := 2 * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}
