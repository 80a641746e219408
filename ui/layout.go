package ui

// Area is one of the panes.
type area int

const (
	areaNone area = iota
	areaList
	areaDetail
	areaLog
)

// rect is a rectangle of cells.
type rect struct{ x, y, w, h int }

func (r rect) empty() bool { return r.w <= 0 || r.h <= 0 }

func (r rect) has(x, y int) bool { return within(x-r.x, r.w) && within(y-r.y, r.h) }

// within reports whether position i is one of n, counted from 0.
func within(i, n int) bool { return i >= 0 && i < n }

// shape is the arrangement of the panes, from the one with the least room.
type shape int

const (
	shapeTooSmall shape = iota // only a message
	shapeBare                  // only the list, without borders
	shapeOne                   // one pane at a time
	shapeStack                 // the list above the log, which begins with a short detail
	shapeWide                  // the list on the left, detail above log on the right
)

// Sizes at which the shape changes.
const (
	minWidth, minHeight   = 20, 5
	bareWidth, bareHeight = 40, 10
	stackWidth            = 60
	wideWidth             = 100
	stackHeight           = 16  // minimum height for three rows of messages
	wideScreen            = 124 // the log has room for a screen of 120 columns
	enoughList            = 74
	tallHeight            = 30 // minimum height for generous spacing
	usualHeight           = 24 // minimum height for the header above a box
)

// arrangement is the input of the layout besides the size.
type arrangement struct {
	header  bool
	focus   area
	zoom    bool
	alone   bool // only the list has something to show
	detail  int  // preferred number of lines of the detail
	notices int  // number of rows for messages above the last line
}

// layout has the positions of all parts. Hidden panes are empty. The rectangles of panes are
// those inside their borders.
type layout struct {
	shape  shape
	alone  bool // as in arrangement
	header rect
	footer rect

	listFrame  rect
	rightFrame rect // detail above log, or the visible one of them
	list       rect
	detail     rect
	head       rect // two lines of detail above the log
	log        rect
	divider    int // row of the line between detail and log; 0: none
}

// listOnly reports whether there is no room for anything beside the list.
func (l *layout) listOnly() bool { return l.shape <= shapeBare }

// arrange computes the layout. It is a pure function.
func arrange(w, h int, a arrangement) layout {
	rows := 1 + a.notices
	switch {
	case w < minWidth, h < minHeight:
		return layout{shape: shapeTooSmall}
	case w < bareWidth, h < bareHeight:
		return layout{shape: shapeBare, footer: rect{0, h - rows, w, rows}, list: rect{0, 0, w, h - rows}}
	}
	l := layout{alone: a.alone, footer: rect{0, h - rows, w, rows}}
	body := rect{0, 0, w, h - rows}
	if a.header {
		l.header = rect{0, 0, w, 1}
		body.y, body.h = 1, body.h-1
	}
	switch {
	case a.zoom, a.alone, w < stackWidth:
		l.shape = shapeOne
		l.one(body, a)
	case w < wideWidth:
		l.shape = shapeStack
		l.stack(body, a)
	default:
		l.shape = shapeWide
		l.wide(body, a)
	}
	return l
}

// inside returns r without its border.
func (r rect) inside() rect { return rect{r.x + 1, r.y + 1, max(0, r.w-2), max(0, r.h-2)} }

// text returns r without a blank column on each side.
func (r rect) text() rect { return rect{r.x + 1, r.y, max(0, r.w-2), r.h} }

// lines returns r without a blank column on the left. On the right the log has its track.
func (r rect) lines() rect { return rect{r.x + 1, r.y, max(0, r.w-1), r.h} }

func (l *layout) one(body rect, a arrangement) {
	switch a.focus {
	case areaDetail:
		l.rightFrame, l.detail = body, body.inside().text()
	case areaLog:
		l.rightFrame, l.log = body, body.inside().lines()
	case areaList, areaNone:
		l.listFrame, l.list = body, body.inside()
	}
}

func (l *layout) stack(body rect, a arrangement) {
	top := max(5, body.h/3)
	if a.focus == areaList || a.focus == areaNone {
		top = max(5, (2*body.h+1)/3)
	}
	l.listFrame = rect{body.x, body.y, body.w, top}
	l.list = l.listFrame.inside()
	l.rightFrame = rect{body.x, body.y + top, body.w, body.h - top}
	in := l.rightFrame.inside()
	if a.focus == areaDetail {
		l.detail = in.text()
		return
	}
	const head = 2
	if in.h < head+5 {
		l.log = in.lines()
		return
	}
	l.head = rect{in.x, in.y, in.w, head}.text()
	l.divider = in.y + head
	l.log = rect{in.x, in.y + head + 1, in.w, in.h - head - 1}.lines()
}

func (l *layout) wide(body rect, a arrangement) {
	left := min(body.w*62/100, 99) // wide enough for what each job is doing
	switch spare := body.w - wideScreen; {
	case a.focus != areaList:
		left = min(max(46, body.w*2/5), 72)
	case spare >= enoughList:
		left = min(left, spare)
	}
	l.listFrame = rect{body.x, body.y, left, body.h}
	l.list = l.listFrame.inside()
	l.rightFrame = rect{body.x + left, body.y, body.w - left, body.h}
	in := l.rightFrame.inside()
	// The detail gets the height it prefers, up to two fifths, or more if it is focused.
	most := in.h * 2 / 5
	if a.focus == areaDetail {
		most = in.h * 2 / 3
	}
	detail := min(max(3, a.detail), max(3, most))
	if in.h < detail+4 {
		detail = max(0, in.h-4)
	}
	l.detail = rect{in.x, in.y, in.w, detail}.text()
	l.divider = in.y + detail
	l.log = rect{in.x, in.y + detail + 1, in.w, in.h - detail - 1}.lines()
}

// at returns the pane at a position.
func (l layout) at(x, y int) area {
	switch {
	case l.list.has(x, y), l.listFrame.has(x, y):
		return areaList
	case l.detail.has(x, y), l.head.has(x, y):
		return areaDetail
	case l.log.has(x, y):
		return areaLog
	case l.rightFrame.has(x, y):
		if y < l.divider || l.log.empty() {
			return areaDetail
		}
		return areaLog
	}
	return areaNone
}

// boxRoom returns the area for a box in a pane of h rows: above the footer, which shows its keys, and
// below the header if the pane is high enough. An attached job has no header.
func (l *layout) boxRoom(w, h int) rect {
	foot := max(1, l.footer.h)
	if h < usualHeight {
		return rect{0, 0, w, max(0, h-foot)}
	}
	return rect{0, l.header.h, w, max(0, h-l.header.h-foot)}
}

// wholeRoom returns the area for a box over the whole pane, except for the rows of messages, which move
// to the end.
func (l *layout) wholeRoom(w, h int) rect {
	return rect{0, 0, w, max(0, h-max(1, l.footer.h)+1)}
}
