package vt

import "slices"

// span is a range of rows from from to to-1.
type span struct{ from, to int }

// add extends the span to the rows from a to b-1.
func (s *span) add(a, b int) {
	if s.from == s.to {
		s.from, s.to = a, b
		return
	}
	s.from, s.to = min(s.from, a), max(s.to, b)
}

// remove takes the rows from a to b-1 from the span, unless they are within it.
func (s *span) remove(a, b int) {
	switch {
	case a <= s.from:
		s.from = clamp(b, s.from, s.to)
	case b >= s.to:
		s.to = clamp(a, s.from, s.to)
	}
}

// row returns row y, to change it.
func (s *screen) row(y int) *row {
	if y < s.dirty.from || y >= s.dirty.to {
		s.dirty.add(y, y+1)
	}
	return s.rows[y]
}

// erase makes all cells of the rows from a to b-1 the same, and resets their sizes. Programs
// erase the screen again and again: rows that are like that already cost nothing.
func (s *screen) erase(a, b int, c Cell) {
	if s.fill != c {
		s.fill, s.dirty = c, span{0, len(s.rows)}
	}
	for y := max(a, s.dirty.from); y < min(b, s.dirty.to); y++ {
		s.rows[y].blank(c)
	}
	s.dirty.remove(a, b)
}

// stale returns how many of the rows from a to b-1 erase has to change.
func (s *screen) stale(a, b int, c Cell) int {
	if s.fill != c {
		return b - a
	}
	return max(0, min(b, s.dirty.to)-max(a, s.dirty.from))
}

// affordErase reports whether the output pays for erasing the rows from a to b-1.
func (t *Terminal) affordErase(a, b int, c Cell) bool {
	return t.afford(t.scr.stale(a, b, c) / rowsPerCell)
}

// affordKeep reports whether the output pays for adding rows to the scrollback. Cells that were written
// one by one are paid for.
func (t *Terminal) affordKeep(rows []*row) bool {
	if !t.afford(keptRowPrice * len(rows)) {
		return false
	}
	filled := 0
	for _, r := range rows {
		if r.fill.isWritten() {
			filled += r.cols
		}
	}
	return t.afford(filled / keptPerCell)
}

// blank returns an erased cell, with the background of the pen (BCE).
func (t *Terminal) blank() Cell { return Cell{bg: t.cur.pen.bg} }

// erase blanks columns a to b-1 of row y.
func (t *Terminal) erase(y, a, b int) {
	if a >= b {
		return
	}
	r := t.scr.row(y)
	r.split(a)
	r.split(b)
	if b < r.cols {
		r.store(b)
		fillCells(r.stored[a:b], t.blank())
		return
	}
	r.becomeFrom(a, t.blank())
	r.wrap = false
	if a == 0 {
		t.unwrapBefore(y)
	}
}

// eraseRows blanks the rows from a to b-1, and their sizes.
func (t *Terminal) eraseRows(a, b int) {
	blank := t.blank()
	if a >= b || !t.affordErase(a, b, blank) {
		return
	}
	t.scr.erase(a, b, blank)
	t.unwrapBefore(a)
}

// unwrapBefore ends the line before row y, which no longer continues it.
func (t *Terminal) unwrapBefore(y int) {
	switch {
	case y > 0:
		t.scr.rows[y-1].wrap = false
	case !t.onAlt():
		t.history.open = false
	}
}

// eraseUnprotected blanks cells that are not protected by DECSCA or SPA.
func (t *Terminal) eraseUnprotected(y, a, b int) {
	r := t.scr.row(y)
	blank := t.blank()
	switch {
	case r.fill != blank:
		r.store(b)
	case a >= r.used:
		return
	}
	if !t.afford(min(b, r.used) - a) {
		return
	}
	for x := a; x < min(b, r.used); x++ {
		if r.stored[x].attr&protectedBit != 0 {
			continue
		}
		r.split(x)
		r.split(x + 1)
		r.stored[x] = blank
	}
	if b == r.cols {
		if r.used == r.cols {
			r.fill = blank
		}
		r.forget()
	}
}

// scrollUp moves the rows from top to bot up by n within the horizontal margins. If
// keep is set, rows that leave the main screen at its top are added to the scrollback.
func (t *Terminal) scrollUp(top, bot, n int, keep bool) {
	n = min(n, bot-top+1)
	if n <= 0 {
		return
	}
	if t.hasSideMargins() {
		t.scrollPart(top, bot, n)
		return
	}
	blank := t.blank()
	keep = keep && top == 0 && t.keepsHistory()
	if !t.affordErase(top, top+n, blank) || keep && !t.affordKeep(t.scr.rows[:n]) {
		return
	}
	if keep {
		for _, r := range t.scr.rows[:n] {
			t.history.push(t, r)
		}
	}
	t.scr.erase(top, top+n, blank)
	t.rotate(top, bot, n)
	if top > 0 || !keep {
		t.unwrapBefore(top)
	}
}

// keepsHistory reports whether rows that scroll out of the screen are stored.
func (t *Terminal) keepsHistory() bool { return !t.onAlt() && t.history.limit > 0 }

// scrollDown moves the rows from top to bot down by n.
func (t *Terminal) scrollDown(top, bot, n int) {
	n = min(n, bot-top+1)
	if n <= 0 {
		return
	}
	if t.hasSideMargins() {
		t.scrollPart(top, bot, -n)
		return
	}
	blank := t.blank()
	if !t.affordErase(bot+1-n, bot+1, blank) {
		return
	}
	t.scr.erase(bot+1-n, bot+1, blank)
	t.rotate(top, bot, -n)
	t.unwrapBefore(top)
	t.scr.rows[bot].wrap = false
}

// rotate moves the rows from top to bot up by n, or down by -n. The rows that leave the area are
// blank. They come back at its other end.
func (t *Terminal) rotate(top, bot, n int) {
	s := t.scr
	switch d := &s.dirty; {
	case max(top, d.from) >= min(bot+1, d.to):
		return // all rows of the area are blank
	case d.from >= top && d.to <= bot+1:
		d.from, d.to = d.from-n, d.to-n
	default:
		d.add(top, bot+1)
	}
	rows := s.rows[top : bot+1]
	if n == 1 { // a line feed
		first := rows[0]
		copy(rows, rows[1:])
		rows[len(rows)-1] = first
		return
	}
	if n > 0 {
		t.moved = append(t.moved[:0], rows[:n]...)
		copy(rows, rows[n:])
		copy(rows[len(rows)-n:], t.moved)
		return
	}
	t.moved = append(t.moved[:0], rows[len(rows)+n:]...)
	copy(rows[-n:], rows)
	copy(rows, t.moved)
}

// scrollPart moves the cells between the margins, up by n or down by -n.
func (t *Terminal) scrollPart(top, bot, n int) {
	a, b := t.left, t.rgt+1
	if !t.afford((bot - top + 1) * (b - a) / scrolledPerCell) {
		return
	}
	rows := t.scr.rows
	t.scr.dirty.add(top, bot+1)
	for y := top; y <= bot; y++ {
		rows[y].split(a)
		rows[y].split(b)
	}
	if n > 0 {
		for y := top; y+n <= bot; y++ {
			copy(rows[y].all()[a:b], rows[y+n].all()[a:b])
		}
		top = bot - n + 1
	} else {
		for y := bot; y+n >= top; y-- {
			copy(rows[y].all()[a:b], rows[y+n].all()[a:b])
		}
		bot = top - n - 1
	}
	for y := top; y <= bot; y++ {
		fillCells(rows[y].all()[a:b], t.blank())
	}
}

// insertCells shifts row y right from column x up to the right margin.
func (t *Terminal) insertCells(y, x, n int) {
	if t.afford((t.cols - x) / movedPerCell) {
		t.scr.row(y).insert(x, t.rgt+1, n, t.blank())
	}
}

// deleteCells shifts row y left to column x from up to the right margin.
func (t *Terminal) deleteCells(y, x, n int) {
	if t.afford((t.cols - x) / movedPerCell) {
		t.scr.row(y).remove(x, t.rgt+1, n, t.blank())
	}
}

// shiftColumns is DECIC, DECDC, SL and SR: every row between the margins.
func (t *Terminal) shiftColumns(x, n int, insert bool) {
	if !t.afford((t.bot - t.top + 1) * t.cols) {
		return
	}
	shift := (*row).remove
	if insert {
		shift = (*row).insert
	}
	blank := t.blank()
	for y := t.top; y <= t.bot; y++ {
		shift(t.scr.row(y), x, t.rgt+1, n, blank)
	}
}

// inMargins reports whether the cursor is within all four margins.
func (t *Terminal) inMargins() bool {
	return area{t.top, t.left, t.bot, t.rgt}.contains(t.cur.x, t.cur.y)
}

func (t *Terminal) resetMargins() {
	t.top, t.bot, t.left, t.rgt = 0, t.rows-1, 0, t.cols-1
}

// moveTo moves the cursor. In origin mode, the position is relative to the margins and
// limited to them.
func (t *Terminal) moveTo(x, y int) {
	t.moveColumn(x)
	t.moveRow(y)
}

func (t *Terminal) up(n int) {
	limit := 0
	if t.cur.y >= t.top {
		limit = t.top
	}
	t.cur.y, t.cur.pending = max(t.cur.y-n, limit), false
}

func (t *Terminal) down(n int) {
	limit := t.rows - 1
	if t.cur.y <= t.bot {
		limit = t.bot
	}
	t.cur.y, t.cur.pending = min(t.cur.y+n, limit), false
}

func (t *Terminal) forward(n int) {
	t.cur.x, t.cur.pending = min(t.cur.x+n, t.rightLimit()), false
}

func (t *Terminal) backward(n int) {
	limit := 0
	if t.cur.x >= t.left {
		limit = t.left
	}
	t.cur.x, t.cur.pending = max(t.cur.x-n, limit), false
}

// carriageReturn moves the cursor to the left margin, or to the edge if it is left of
// the margin.
func (t *Terminal) carriageReturn() {
	c := &t.cur
	c.pending = false
	if c.x >= t.left || c.origin {
		c.x = t.left
		return
	}
	c.x = 0
}

// lineFeed moves the cursor down and scrolls at the bottom margin.
func (t *Terminal) lineFeed() {
	c := &t.cur
	c.pending = false
	switch {
	case c.y != t.bot:
		c.y = min(c.y+1, t.rows-1)
	case t.inSideMargins():
		t.scrollUp(t.top, t.bot, 1, true)
	}
}

// reverseLineFeed moves the cursor up and scrolls at the top margin.
func (t *Terminal) reverseLineFeed() {
	c := &t.cur
	c.pending = false
	switch {
	case c.y != t.top:
		c.y = max(c.y-1, 0)
	case t.inSideMargins():
		t.scrollDown(t.top, t.bot, 1)
	}
}

// defaultTabs sets a tab stop every eight columns.
func (t *Terminal) defaultTabs() {
	if t.tabsSet {
		t.tabs, t.tabsSet = t.tabs[:0], false
	}
	t.resetTabs()
}

func (t *Terminal) resetTabs() {
	from := len(t.tabs)
	t.tabs = slices.Grow(t.tabs, t.cols-from)[:t.cols]
	clear(t.tabs[from:])
	for x := max(8, (from+7)/8*8); x < t.cols; x += 8 {
		t.tabs[x] = true
	}
}

// isDefaultTab reports whether column x has a tab stop unless the application changes it.
func isDefaultTab(x int) bool { return x > 0 && x%8 == 0 }

func (t *Terminal) tabForward(n int) {
	x, limit := t.cur.x, t.rightLimit()
	for ; n > 0 && x < limit; n-- {
		for x++; x < limit && !t.tabs[x]; x++ {
		}
	}
	t.cur.x = x
}

func (t *Terminal) tabBackward(n int) {
	x := t.cur.x
	limit := 0
	if t.cur.origin {
		limit = t.left
	}
	for ; n > 0 && x > limit; n-- {
		for x--; x > limit && !t.tabs[x]; x-- {
		}
	}
	t.cur.x, t.cur.pending = x, false
}

// switchScreen shows the alternate or the main screen. The cursor is shared.
func (t *Terminal) switchScreen(alt bool) {
	if alt == t.onAlt() {
		return
	}
	t.scr = &t.screens[0]
	if alt {
		t.scr = &t.screens[1]
		if t.scr.rows == nil {
			t.scr.rows, t.spare = t.spare, nil
			if t.scr.rows == nil {
				t.scr.rows = newRows(t.cols, t.rows)
			}
			t.scr.dirty, t.scr.fill = span{}, Cell{}
		}
	}
}

// discardAlternate erases the alternate screen. Its rows are kept for the next one, without
// the memory of their cells.
func (t *Terminal) discardAlternate() {
	alt := &t.screens[1]
	if alt.rows == nil {
		return
	}
	for _, r := range alt.rows {
		r.blank(Cell{})
		r.stored = nil
	}
	alt.rows, t.spare = nil, alt.rows
}

func (t *Terminal) eraseScreen() { t.eraseRows(0, t.rows) }

func (t *Terminal) saveCursor() {
	t.scr.saved = t.cur
	t.scr.saved.single = 0
}

func (t *Terminal) restoreCursor() {
	c := &t.cur
	*c = t.scr.saved
	x, y := c.x, c.y
	if c.origin {
		x, y = clamp(x, t.left, t.rgt), clamp(y, t.top, t.bot)
	}
	stays := x == c.x && y == c.y
	atEdge := x == t.cols-1 || x == t.rgt
	c.pending = c.pending && stays && atEdge
	c.x, c.y = min(x, t.cols-1), min(y, t.rows-1)
	t.updatePlain()
}
