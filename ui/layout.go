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

func (r rect) has(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// shape is how the panes stand to each other.
type shape int

const (
	shapeTooSmall shape = iota // a word that says so
	shapeBare                  // the list alone, without borders
	shapeOne                   // one pane at a time
	shapeStack                 // the list over the log with a head of detail
	shapeWide                  // the list left, detail over log right
)

// Sizes at which the shape changes.
const (
	minWidth, minHeight   = 20, 5
	bareWidth, bareHeight = 40, 10
	stackWidth            = 60
	wideWidth             = 100
	tallHeight            = 30 // from here on the footer has two rows
)

// arrangement is what the layout depends on besides the size.
type arrangement struct {
	header bool
	focus  area
	zoom   bool
	alone  bool // there is nothing to show but the list
	detail int  // lines that the detail would like
}

// layout says where everything stands. Panes that are not shown are empty; the
// rectangles of panes are those inside their borders.
type layout struct {
	shape  shape
	alone  bool // as it was asked for
	header rect
	footer rect

	listFrame  rect
	rightFrame rect // detail over log, or the one of them that is shown
	list       rect
	detail     rect
	head       rect // detail in two lines above the log
	log        rect
	divider    int // row of the line between detail and log; 0: none
}

// arrange is the whole geometry of the panes: a pure function.
func arrange(w, h int, a arrangement) layout {
	switch {
	case w < minWidth || h < minHeight:
		return layout{shape: shapeTooSmall}
	case w < bareWidth || h < bareHeight:
		l := layout{shape: shapeBare}
		l.footer = rect{0, h - 1, w, 1}
		l.list = rect{0, 0, w, h - 1}
		return l
	}
	rows := 1
	if h >= tallHeight {
		rows = 2
	}
	l := layout{alone: a.alone, footer: rect{0, h - rows, w, rows}}
	body := rect{0, 0, w, h - rows}
	if a.header {
		l.header = rect{0, 0, w, 1}
		body.y, body.h = 1, body.h-1
	}
	switch {
	case a.zoom || a.alone || w < stackWidth:
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

// inside is what a border leaves of r.
func (r rect) inside() rect { return rect{r.x + 1, r.y + 1, max(0, r.w-2), max(0, r.h-2)} }

// text is r with a blank on either side.
func (r rect) text() rect { return rect{r.x + 1, r.y, max(0, r.w-2), r.h} }

// lines is r with a blank on the left; on the right edge a log has its track.
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
	l.listFrame = rect{body.x, body.y, body.w, top}
	l.list = l.listFrame.inside()
	l.rightFrame = rect{body.x, body.y + top, body.w, body.h - top}
	in := l.rightFrame.inside()
	if a.focus == areaDetail {
		l.detail = in.text()
		return
	}
	const head = 2
	if in.h < head+3 {
		l.log = in.lines()
		return
	}
	l.head = rect{in.x, in.y, in.w, head}.text()
	l.divider = in.y + head
	l.log = rect{in.x, in.y + head + 1, in.w, in.h - head - 1}.lines()
}

func (l *layout) wide(body rect, a arrangement) {
	left := min(max(46, body.w*2/5), 72)
	l.listFrame = rect{body.x, body.y, left, body.h}
	l.list = l.listFrame.inside()
	l.rightFrame = rect{body.x + left, body.y, body.w - left, body.h}
	in := l.rightFrame.inside()
	// The detail gets what it asks for up to a good third; focused, up to two.
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

// at returns the pane at a place.
func (l layout) at(x, y int) area {
	switch {
	case l.list.has(x, y) || l.listFrame.has(x, y):
		return areaList
	case l.detail.has(x, y), l.head.has(x, y):
		return areaDetail
	case l.log.has(x, y):
		return areaLog
	case l.rightFrame.has(x, y):
		if l.divider > 0 && y < l.divider || l.log.empty() {
			return areaDetail
		}
		return areaLog
	}
	return areaNone
}
