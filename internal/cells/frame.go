package cells

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Frame draws a border with words in it.
type Frame struct {
	Border lipgloss.Border
	Line   lipgloss.Style
	Title  lipgloss.Style
	Info   lipgloss.Style
	Mark   string // of a title that is cut
}

// Top is the upper edge, w columns wide, with a title on the left and words on
// the right.
func (f Frame) Top(title, info string, w int) string {
	return f.edge(f.Border.TopLeft, f.Border.Top, f.Border.TopRight, f.titled(title, f.Title), f.titled(info, f.Info), w)
}

// Bottom is the lower edge.
func (f Frame) Bottom(left, right string, w int) string {
	return f.edge(f.Border.BottomLeft, f.Border.Bottom, f.Border.BottomRight, f.titled(left, f.Info), f.titled(right, f.Info), w)
}

// Divide is an edge between two parts of one frame.
func (f Frame) Divide(joinLeft, joinRight, title, info string, w int) string {
	return f.edge(joinLeft, f.Border.Top, joinRight, f.titled(title, f.Title), f.titled(info, f.Info), w)
}

func (f Frame) titled(s string, style lipgloss.Style) string {
	if s == "" {
		return ""
	}
	if style.GetReverse() { // a ground is under the blanks, too
		return style.Render(" " + s + " ")
	}
	return " " + style.Render(s) + " "
}

// edge joins two corners, left and right words and the line between. Words that
// do not fit are cut, those on the right first.
func (f Frame) edge(left, line, right, title, info string, w int) string {
	if w <= 0 {
		return ""
	}
	if w == 1 {
		return f.Line.Render(line)
	}
	room := w - 2
	if Width(title)+Width(info)+1 > room {
		info = ""
	}
	if Width(title) > room {
		title = End(title, room, f.Mark)
	}
	return f.Line.Render(left) + title +
		f.Line.Render(strings.Repeat(line, max(0, room-Width(title)-Width(info)))) +
		info + f.Line.Render(right)
}

// Sides draws lines between the borders, each w columns wide.
func (f Frame) Sides(lines []string, w int) []string {
	if w < 2 {
		return Block(lines, w, len(lines))
	}
	left, right := f.Line.Render(f.Border.Left), f.Line.Render(f.Border.Right)
	drawn := make([]string, len(lines))
	for i, line := range lines {
		drawn[i] = left + Fit(line, w-2) + right
	}
	return drawn
}

// Scrolled is Sides for lines that are a part of more: on the right edge a thumb
// stands for the part that is seen. all is how many there are, top the first of
// them that is among lines.
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
			from = min(from, max(1, n-size-1)) // the ends are for the ends
		}
	}
	from = min(from, n-size)
	for i := from; i < from+size; i++ {
		drawn[i] = f.Line.Render(f.Border.Left) + Fit(lines[i], w-2) + f.Info.Render(thumb)
	}
	return drawn
}

// Box draws lines in a frame of their own, w columns wide and two rows higher
// than they are, with a blank on either side. The lower edge has info on the right.
func (f Frame) Box(title string, lines []string, info string, w int) []string {
	box := make([]string, 0, len(lines)+2)
	box = append(box, f.Top(title, "", w))
	padded := make([]string, len(lines))
	for i, line := range lines {
		padded[i] = " " + Fit(line, w-4) + " "
	}
	return append(append(box, f.Sides(padded, w)...), f.Bottom("", info, w))
}

// Paint is a style boiled down to what stands before and behind a text. It is
// for text that is drawn often and has neither line breaks nor styles of its
// own; it costs a concatenation.
type Paint struct{ before, behind string }

// NewPaint boils a style down.
func NewPaint(s lipgloss.Style) Paint {
	const mark = "x"
	before, behind, _ := strings.Cut(s.Render(mark), mark)
	return Paint{before, behind}
}

// Add draws text into b.
func (p Paint) Add(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	b.WriteString(p.before)
	b.WriteString(text)
	b.WriteString(p.behind)
}
