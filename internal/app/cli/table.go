package cli

import (
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

// lines renders the table at most limit columns wide (0: no limit). If it does not fit, the
// column flex is shortened first, then the columns in drop are left out one by one.
func (t *table) lines(limit, flex int, drop []int, colored bool) []string {
	widths := t.widths()
	gone := map[int]bool{}
	if limit > 0 {
		const least = 8
		over := total(widths, gone) - limit
		if over > 0 {
			cut := min(over, max(widths[flex]-least, 0))
			widths[flex] -= cut
			over -= cut
		}
		for _, c := range drop {
			if over <= 0 {
				break
			}
			gone[c] = true
			over = total(widths, gone) - limit
		}
	}
	lines := make([]string, 0, len(t.rows))
	for _, row := range t.rows {
		var b strings.Builder
		for i, c := range row {
			if gone[i] {
				continue
			}
			if b.Len() > 0 {
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
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], cells.Width(c.text))
		}
	}
	return widths
}

func total(widths []int, gone map[int]bool) int {
	sum := -2
	for i, w := range widths {
		if !gone[i] {
			sum += w + 2
		}
	}
	return sum
}
