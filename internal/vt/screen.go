package vt

// blank returns an erased cell, with the background of the pen (BCE).
func (t *Terminal) blank() Cell { return Cell{bg: t.cur.pen.bg} }

func fillCells(c []Cell, b Cell) {
	if b == (Cell{}) {
		clear(c)
		return
	}
	for i := range c {
		c[i] = b
	}
}

// blank erases the row.
func (r *row) blank(b Cell) {
	fillCells(r.cells, b)
	r.wrap, r.size = false, singleWidth
}

// split blanks a wide character that spans columns x-1 and x.
func split(c []Cell, x int) {
	if x <= 0 || x >= len(c) || c[x].attr&widthMask != wideTail {
		return
	}
	c[x-1], c[x] = Cell{}, Cell{}
}

// erase blanks columns a to b-1 of row y.
func (t *Terminal) erase(y, a, b int) {
	if a >= b {
		return
	}
	r := t.scr.rows[y]
	split(r.cells, a)
	split(r.cells, b)
	fillCells(r.cells[a:b], t.blank())
	if b == len(r.cells) {
		r.wrap = false
		if a == 0 {
			t.unwrapBefore(y)
		}
	}
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
	c := t.scr.rows[y].cells
	blank := t.blank()
	for x := a; x < b; x++ {
		if c[x].attr&protectedBit != 0 {
			continue
		}
		split(c, x)
		split(c, x+1)
		c[x] = blank
	}
}

// scrollUp moves the rows from top to bot up by n within the horizontal margins. If
// keep is set, rows that leave the main screen at its top are added to the scrollback.
func (t *Terminal) scrollUp(top, bot, n int, keep bool) {
	n = min(n, bot-top+1)
	if n <= 0 {
		return
	}
	if t.left > 0 || t.rgt < t.cols-1 {
		t.scrollPart(top, bot, n)
		return
	}
	rows := t.scr.rows
	keep = keep && top == 0 && !t.onAlt() && t.history.limit > 0
	for range n {
		r := rows[top]
		if keep {
			t.history.push(t, r)
		}
		copy(rows[top:bot], rows[top+1:bot+1])
		rows[bot] = r
		r.blank(t.blank())
	}
	if top > 0 || !keep {
		t.unwrapBefore(top)
	}
}

// scrollDown moves the rows from top to bot down by n.
func (t *Terminal) scrollDown(top, bot, n int) {
	n = min(n, bot-top+1)
	if n <= 0 {
		return
	}
	if t.left > 0 || t.rgt < t.cols-1 {
		t.scrollPart(top, bot, -n)
		return
	}
	rows := t.scr.rows
	for range n {
		r := rows[bot]
		copy(rows[top+1:bot+1], rows[top:bot])
		rows[top] = r
		r.blank(t.blank())
	}
	t.unwrapBefore(top)
	rows[bot].wrap = false
}

// scrollPart moves the cells between the margins, up by n or down by -n.
func (t *Terminal) scrollPart(top, bot, n int) {
	a, b := t.left, t.rgt+1
	rows := t.scr.rows
	for y := top; y <= bot; y++ {
		split(rows[y].cells, a)
		split(rows[y].cells, b)
	}
	if n > 0 {
		for y := top; y+n <= bot; y++ {
			copy(rows[y].cells[a:b], rows[y+n].cells[a:b])
		}
		top = bot - n + 1
	} else {
		for y := bot; y+n >= top; y-- {
			copy(rows[y].cells[a:b], rows[y+n].cells[a:b])
		}
		bot = top - n - 1
	}
	for y := top; y <= bot; y++ {
		fillCells(rows[y].cells[a:b], t.blank())
	}
}

// insertCells shifts row y right from column x up to the right margin.
func (t *Terminal) insertCells(y, x, n int) {
	end := t.rgt + 1
	n = min(n, end-x)
	r := t.scr.rows[y]
	c := r.cells
	split(c, x)
	split(c, end)
	split(c, end-n)
	copy(c[x+n:end], c[x:])
	fillCells(c[x:x+n], t.blank())
	if end == len(c) {
		r.wrap = false
	}
}

// deleteCells shifts row y left to column x from up to the right margin.
func (t *Terminal) deleteCells(y, x, n int) {
	end := t.rgt + 1
	n = min(n, end-x)
	r := t.scr.rows[y]
	c := r.cells
	split(c, x)
	split(c, x+n)
	split(c, end)
	copy(c[x:end-n], c[x+n:end])
	fillCells(c[end-n:end], t.blank())
	if end == len(c) {
		r.wrap = false
	}
}

// shiftColumns is DECIC, DECDC, SL and SR: every row between the margins.
func (t *Terminal) shiftColumns(x, n int, insert bool) {
	for y := t.top; y <= t.bot; y++ {
		if insert {
			t.insertCells(y, x, n)
		} else {
			t.deleteCells(y, x, n)
		}
	}
}

// inMargins reports whether the cursor is within all four margins.
func (t *Terminal) inMargins() bool {
	return t.cur.y >= t.top && t.cur.y <= t.bot && t.cur.x >= t.left && t.cur.x <= t.rgt
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
	case c.x >= t.left && c.x <= t.rgt:
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
	case c.x >= t.left && c.x <= t.rgt:
		t.scrollDown(t.top, t.bot, 1)
	}
}

func (t *Terminal) resetTabs() {
	for x := len(t.tabs); x < t.cols; x++ {
		t.tabs = append(t.tabs, x%8 == 0 && x > 0)
	}
}

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
			t.scr.rows = newRows(t.cols, t.rows)
		}
	}
}

func (t *Terminal) eraseScreen() {
	for y := range t.rows {
		t.erase(y, 0, t.cols)
		t.scr.rows[y].size = singleWidth
	}
}

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
	c.pending = c.pending && x == c.x && y == c.y && (x == t.cols-1 || x == t.rgt)
	c.x, c.y = min(x, t.cols-1), min(y, t.rows-1)
	t.updatePlain()
}
