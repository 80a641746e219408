// Package listbox is the arithmetic of a list in a box: which entry is marked,
// which entries are seen, where they are drawn and how many lie below.
//
// What an entry is and how it looks is up to the component that has the list.
package listbox

import "strconv"

// List is a window of Rows rows over Len entries, the marked one always among
// those that are seen. The zero List is empty. It belongs to one goroutine.
type List struct {
	Len  int
	Rows int
	At   int // the marked entry
	Top  int // where the window is to begin, as far as the mark and the ends allow
}

// Window returns the entries that are seen: first, and the one behind the last.
func (l *List) Window() (first, end int) {
	rows := max(0, l.Rows)
	first = max(min(l.Top, l.At), l.At-rows+1)
	first = max(0, min(first, l.Len-rows))
	return first, min(first+rows, l.Len)
}

// Cycle moves the mark by n entries, around the ends.
func (l *List) Cycle(n int) {
	if l.Len > 0 {
		l.mark(((l.At+n)%l.Len + l.Len) % l.Len)
	}
}

// Step moves the mark by n entries, up to the ends. Step(0) fits mark and window
// to a Len or Rows that changed.
func (l *List) Step(n int) { l.mark(max(0, min(l.At+n, l.Len-1))) }

func (l *List) mark(i int) {
	l.At = i
	l.Top, _ = l.Window()
}

// Pan moves the window by n rows, up to the ends; the mark stays inside it.
func (l *List) Pan(n int) {
	l.Top = max(0, min(l.Top+n, l.Len-l.Rows))
	l.mark(max(0, min(max(l.At, l.Top), l.Top+l.Rows-1, l.Len-1)))
}

// Page is how many rows a page key moves: one stays in view.
func (l *List) Page() int { return max(1, l.Rows-1) }

// Hit returns the entry that is drawn in row y of the window.
func (l *List) Hit(y int) (i int, ok bool) {
	first, end := l.Window()
	return first + y, y >= 0 && first+y < end
}

// Draw returns the lines of the window: what row makes of each entry in it.
func (l *List) Draw(row func(i int, marked bool) string) []string {
	first, end := l.Window()
	lines := make([]string, 0, max(0, end-first))
	for i := first; i < end; i++ {
		lines = append(lines, row(i, i == l.At))
	}
	return lines
}

// More counts the entries below the window, for the lower edge of a box: "↓ 3
// more", where sign is the arrow; empty if there are none.
func (l *List) More(sign string) string {
	_, end := l.Window()
	if end >= l.Len {
		return ""
	}
	return sign + " " + strconv.Itoa(l.Len-end) + " more"
}
