// Package border draws the borders of panes and boxes, with text in them.
package border

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/hobjobs/hob/internal/cells"
)

// Frame draws borders with text in them.
type Frame struct {
	Border lipgloss.Border
	Line   lipgloss.Style
	Title  lipgloss.Style
	Info   lipgloss.Style
	Mark   string // replaces the end of a title that is cut
}

// Top returns the upper edge, w columns wide, with a title on the left and info on the
// right.
func (f Frame) Top(title, info string, w int) string {
	return f.edge(f.Border.TopLeft, f.Border.Top, f.Border.TopRight, f.titled(title, f.Title), f.titled(info, f.Info), w)
}

// Bottom returns the lower edge.
func (f Frame) Bottom(left, right string, w int) string {
	return f.edge(f.Border.BottomLeft, f.Border.Bottom, f.Border.BottomRight, f.titled(left, f.Info), f.titled(right, f.Info), w)
}

// Divide returns an edge between two parts of one frame.
func (f Frame) Divide(joinLeft, joinRight, title, info string, w int) string {
	return f.edge(joinLeft, f.Border.Top, joinRight, f.titled(title, f.Title), f.titled(info, f.Info), w)
}

func (f Frame) titled(s string, style lipgloss.Style) string {
	if s == "" {
		return ""
	}
	if style.GetReverse() { // the background includes the spaces
		return style.Render(" " + s + " ")
	}
	return " " + style.Render(s) + " "
}

// edge joins two corners, the title, the info and the line between them. If there is not
// enough room, it omits the info, then cuts the title.
func (f Frame) edge(left, line, right, title, info string, w int) string {
	if w <= 0 {
		return ""
	}
	if w == 1 {
		return f.Line.Render(line)
	}
	room := w - 2
	if cells.Width(title)+cells.Width(info)+1 > room {
		info = ""
	}
	if cells.Width(title) > room {
		title = cells.Truncate(title, room, f.Mark)
	}
	paint := NewPaint(f.Line)
	var b strings.Builder
	paint.Add(&b, left)
	b.WriteString(title)
	paint.Add(&b, strings.Repeat(line, max(0, room-cells.Width(title)-cells.Width(info))))
	b.WriteString(info)
	paint.Add(&b, right)
	return b.String()
}

// Sides draws lines between the borders, each w columns wide.
func (f Frame) Sides(lines []string, w int) []string {
	if w < 2 {
		return cells.Block(lines, w, len(lines))
	}
	left, right := f.Line.Render(f.Border.Left), f.Line.Render(f.Border.Right)
	drawn := make([]string, len(lines))
	for i, line := range lines {
		drawn[i] = left + cells.Fit(line, w-2) + right
	}
	return drawn
}

// Scrolled is Sides for the visible part of a longer list. The right border is a scroll
// bar with a thumb. all is the length of the list, top the index of the first visible
// line.
func (f Frame) Scrolled(lines []string, w, top, all int, thumb string) []string {
	drawn := f.Sides(lines, w)
	n := len(lines)
	if all <= n || n == 0 || w < 2 {
		return drawn
	}
	size := max(1, n*n/all)
	from := 0
	if hidden := all - n; top > 0 {
		from = max(1, min(n-size, (top*(n-size)+hidden/2)/hidden))
		if top < hidden {
			from = min(from, max(1, n-size-1)) // at an end only if the lines are
		}
	}
	from = min(from, n-size)
	for i := from; i < from+size; i++ {
		drawn[i] = f.Line.Render(f.Border.Left) + cells.Fit(lines[i], w-2) + f.Info.Render(thumb)
	}
	return drawn
}

// Box draws a complete frame, w columns wide, around lines, with a space on either side
// of them and info on the right of the lower edge.
func (f Frame) Box(title string, lines []string, info string, w int) []string {
	box := make([]string, 0, len(lines)+2)
	box = append(box, f.Top(title, "", w))
	padded := make([]string, len(lines))
	for i, line := range lines {
		padded[i] = " " + cells.Fit(line, w-4) + " "
	}
	return append(append(box, f.Sides(padded, w)...), f.Bottom("", info, w))
}

// Paint is a style reduced to the escape sequences before and after a text, so that
// rendering costs only a concatenation. The text must have neither line breaks nor styles
// of its own.
type Paint struct{ before, after string }

// NewPaint returns the Paint of a style.
func NewPaint(s lipgloss.Style) Paint {
	const mark = "x"
	before, after, _ := strings.Cut(s.Render(mark), mark)
	return Paint{before, after}
}

// Add writes the styled text to b.
func (p Paint) Add(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	b.WriteString(p.before)
	b.WriteString(text)
	b.WriteString(p.after)
}
