package vt

// row is one row of a screen. A sequence of a few bytes can erase a whole screen, so the cells
// that a row has in common with an erased one are not stored: only the first used cells
// are, and each of the others is the fill.
type row struct {
	cols   int
	stored []Cell // of all columns; nil until the first is used
	used   int
	fill   Cell // not a half of a wide character
	wrap   bool // the text continues in the next row
	size   lineSize
}

func newRows(cols, n int) []*row {
	list := make([]row, n)
	rows := make([]*row, n)
	for y := range rows {
		list[y].cols = cols
		rows[y] = &list[y]
	}
	return rows
}

// store stores at least the first n cells.
func (r *row) store(n int) {
	if n <= r.used {
		return
	}
	if r.stored == nil {
		r.stored = make([]Cell, r.cols)
	}
	fillCells(r.stored[r.used:n], r.fill)
	r.used = n
}

// upTo returns the stored cells, at least the first n of the row, to read or to change them.
func (r *row) upTo(n int) []Cell {
	r.store(n)
	return r.stored[:r.used]
}

// all returns all cells, to read or to change them.
func (r *row) all() []Cell {
	r.store(r.cols)
	return r.stored
}

// at returns the cell in column x.
func (r *row) at(x int) Cell {
	if x < r.used {
		return r.stored[x]
	}
	return r.fill
}

// trimmed returns the cells up to the last one that is written.
func (r *row) trimmed() []Cell {
	if r.fill.isWritten() {
		return trimBlank(r.all())
	}
	return trimBlank(r.stored[:r.used])
}

// become makes all cells the same.
func (r *row) become(c Cell) { r.used, r.fill = 0, c }

// becomeFrom makes all cells from column x on the same.
func (r *row) becomeFrom(x int, c Cell) {
	if r.fill == c {
		r.used = min(r.used, x)
		return
	}
	r.store(x)
	r.fill, r.used = c, x
}

// forget drops stored cells at the end that are like the fill. All cells from the last
// stored one on must be.
func (r *row) forget() {
	for r.used > 0 && r.stored[r.used-1] == r.fill {
		r.used--
	}
}

// blank erases the row.
func (r *row) blank(b Cell) {
	r.become(b)
	r.wrap, r.size = false, singleWidth
}

// wraps reports whether the text continues in the next row, and its end was not erased.
func (r *row) wraps() bool {
	if !r.wrap {
		return false
	}
	last := r.at(r.cols - 1)
	return last.ch != 0 || last.attr&widthMask >= wideTail
}

// settle resets wrap if the end of the row was erased, so that text written there does
// not join the next row again.
func (r *row) settle() { r.wrap = r.wraps() }

// hasSpacer reports whether the row ends with a blank because a wide character did not
// fit and moved to the next row.
func (r *row) hasSpacer() bool { return r.at(r.cols-1).attr&widthMask == edgeSpacer }

// text returns the cells of the row that belong to its logical line. next is the
// following row, if any.
func (r *row) text(next *row) (cells []Cell, wraps bool) {
	switch {
	case !r.wraps():
		return r.trimmed(), false
	case r.hasSpacer() && next != nil && next.at(0).isHead():
		return r.all()[:r.cols-1], true
	}
	return r.all(), true
}

func trimBlank(c []Cell) []Cell {
	n := len(c)
	for n > 0 && !c[n-1].isWritten() {
		n--
	}
	return c[:n]
}

func fillCells(c []Cell, b Cell) {
	if b == (Cell{}) {
		clear(c)
		return
	}
	for i := range c {
		c[i] = b
	}
}

// split blanks a wide character that spans columns x-1 and x.
func (r *row) split(x int) {
	if x < r.used {
		split(r.stored, x)
	}
}

// split blanks a wide character that spans columns x-1 and x.
func split(c []Cell, x int) {
	if within(x, 1, len(c)-1) && c[x].isTail() {
		c[x-1], c[x] = Cell{}, Cell{}
	}
}

// insert shifts the cells from column x on right by n, up to column end.
func (r *row) insert(x, end, n int, blank Cell) {
	n = min(n, end-x)
	r.split(x)
	r.split(end)
	r.split(end - n)
	if end == r.cols {
		r.wrap = false
		if r.fill == blank {
			if x < r.used {
				r.store(min(r.used+n, end))
				copy(r.stored[x+n:r.used], r.stored[x:])
				fillCells(r.stored[x:min(x+n, r.used)], blank)
				r.forget()
			}
			return
		}
	}
	c := r.all()
	copy(c[x+n:end], c[x:])
	fillCells(c[x:x+n], blank)
}

// remove shifts the cells from column x+n on left by n, up to column end.
func (r *row) remove(x, end, n int, blank Cell) {
	n = min(n, end-x)
	r.split(x)
	r.split(x + n)
	r.split(end)
	if end == r.cols {
		r.wrap = false
		if r.fill == blank {
			if x < r.used {
				moved := copy(r.stored[x:r.used], r.stored[min(x+n, r.used):r.used])
				r.used = x + moved
			}
			return
		}
	}
	c := r.all()
	copy(c[x:end-n], c[x+n:end])
	fillCells(c[end-n:end], blank)
}
