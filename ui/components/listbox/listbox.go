// Package listbox computes what a list in a box shows: which entry is marked, which entries are
// visible, where they are drawn, and how many are below.
//
// The component with the list decides what an entry is and how it looks.
package listbox

import "strconv"

// List is a window of Rows rows over Len entries. The marked entry is always visible. The zero
// List is empty. It belongs to one goroutine.
type List struct {
	Len  int
	Rows int
	At   int // index of the marked entry
	Top  int // preferred first entry of the window
}

// Window returns the range [first, end) of visible entries.
func (l *List) Window() (first, end int) {
	rows := max(0, l.Rows)
	first = max(min(l.Top, l.At), l.At-rows+1)
	first = max(0, min(first, l.Len-rows))
	return first, min(first+rows, l.Len)
}

// Cycle moves the mark by n entries and wraps around.
func (l *List) Cycle(n int) {
	if l.Len > 0 {
		l.mark(((l.At+n)%l.Len + l.Len) % l.Len)
	}
}

// Step moves the mark by n entries, limited to the list. Step(0) adjusts mark and window after
// Len or Rows changed.
func (l *List) Step(n int) { l.mark(max(0, min(l.At+n, l.Len-1))) }

func (l *List) mark(i int) {
	l.At = i
	l.Top, _ = l.Window()
}

// Pan moves the window by n rows, limited to the list. The mark moves with it only as far as
// needed.
func (l *List) Pan(n int) {
	l.Top = max(0, min(l.Top+n, l.Len-l.Rows))
	l.mark(max(0, min(max(l.At, l.Top), l.Top+l.Rows-1, l.Len-1)))
}

// Page returns the number of rows that a page key moves: one row stays in view.
func (l *List) Page() int { return max(1, l.Rows-1) }

// Hit returns the entry drawn in row y of the window.
func (l *List) Hit(y int) (i int, ok bool) {
	first, end := l.Window()
	return first + y, y >= 0 && first+y < end
}

// Draw returns the lines of the window, drawn by row.
func (l *List) Draw(row func(i int, marked bool) string) []string {
	first, end := l.Window()
	lines := make([]string, 0, max(0, end-first))
	for i := first; i < end; i++ {
		lines = append(lines, row(i, i == l.At))
	}
	return lines
}

// More returns the text for the lower edge of a box if there are entries below the window: "↓ 3
// more", where sign is the arrow.
func (l *List) More(sign string) string {
	_, end := l.Window()
	if end >= l.Len {
		return ""
	}
	return sign + " " + strconv.Itoa(l.Len-end) + " more"
}
