package vt

// LineSize is how large the characters of a row are meant to be. It is kept,
// handed over with a snapshot and told to who asks, but the text is not
// stretched: a row has as many columns as the others.
type LineSize uint8

// The sizes: DECSWL, DECDWL, and the two halves of DECDHL.
const (
	SingleWidth LineSize = iota
	DoubleWidth
	DoubleHeightTop
	DoubleHeightBottom
)

// LineSize returns the size of row y of the screen shown.
func (t *Terminal) LineSize(y int) LineSize {
	if y < 0 || y >= t.rows {
		return SingleWidth
	}
	return t.scr.rows[y].size
}

// setLineSize is ESC # 3 to 6.
func (t *Terminal) setLineSize(final byte) {
	t.scr.rows[t.cur.y].size = [4]LineSize{DoubleHeightTop, DoubleHeightBottom, SingleWidth, DoubleWidth}[final-'3']
	t.touch(t.cur.y)
}

// lineSize gives the row that the cursor is in its size.
func (s *snapshot) lineSize(size LineSize) {
	if size != SingleWidth {
		s.putf("\x1b#%d", [4]int{5, 6, 3, 4}[size])
	}
}
