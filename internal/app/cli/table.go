package cli

import (
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/cells"
)

// A table has rows of text in aligned columns, two spaces apart.
type table struct {
	rows [][]cell
}

// cell is one field. Its text has been escaped.
type cell struct {
	text  string
	style style
	right bool // aligned to the right
}

// newTable returns a table with a heading. Names that begin with > are those of columns that are
// aligned to the right.
func newTable(names ...string) *table {
	var heading []cell
	for _, name := range names {
		text, right := strings.CutPrefix(name, ">")
		heading = append(heading, cell{text: text, style: styleDim, right: right})
	}
	return &table{rows: [][]cell{heading}}
}

func (t *table) add(row ...cell) { t.rows = append(t.rows, row) }

// hide removes a column and returns its index.
func (t *table) hide(name string) (at int) {
	at = slices.IndexFunc(t.rows[0], func(c cell) bool { return c.text == name })
	for i, row := range t.rows {
		t.rows[i] = slices.Delete(row, at, at+1)
	}
	return at
}

// lines renders the table at most limit columns wide (0: no limit). If it does not fit, the last
// column is shortened first, then those with the names in drop are left out one by one.
func (t *table) lines(limit int, drop []string, colored bool) []string {
	widths := t.widths()
	if over := total(widths) - limit; limit > 0 && over > 0 {
		const least = 8
		last := &widths[len(widths)-1]
		*last -= min(over, max(*last-least, 0))
		for len(drop) > 0 && total(widths) > limit {
			at := t.hide(drop[0])
			widths, drop = slices.Delete(widths, at, at+1), drop[1:]
		}
	}
	lines := make([]string, 0, len(t.rows))
	for _, row := range t.rows {
		var b strings.Builder
		for i, c := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			text := cells.TruncateMiddle(c.text, widths[i], "…")
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
