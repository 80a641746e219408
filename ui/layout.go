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
	shapeStack                 // the list above the log, or the log alone
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
	narrowList            = 30 // width of the list beside a pane that has the room
	leastPreview          = 5  // minimum height of the frame of a log below the list
	leastFrame            = 11 // minimum height of a frame with detail and log; the border of a lower one has the facts
	mostReason            = 2  // rows for the reason above a log that has the room
	usualHeight           = 24 // minimum height for the header above a box
)

// arrangement is the input of the layout besides the size.
type arrangement struct {
	header  bool
	focus   area // the pane that has the room: it gets most of the body
	zoom    bool
	alone   bool            // only the list has something to show
	detail  func(w int) int // preferred number of lines of the detail in w columns; nil: none
	listW   int             // size that the list needs, with its border; 0: as much as possible
	listH   int
	notices int // number of rows for messages above the last line
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
	log        rect
	divider    int // row of the line between detail and log; 0: none
}

// listOnly reports whether there is no room for anything beside the list.
func (l *layout) listOnly() bool { return l.shape <= shapeBare }

// like reports whether another layout has everything in the same place.
func (l layout) like(other layout) bool {
	l.shape = other.shape
	return l == other
}

// arrange computes the layout. It is a pure function.
func arrange(w, h int, a arrangement) layout {
	rows := 1 + a.notices
	switch {
	case w < minWidth, h < minHeight:
		return layout{shape: shapeTooSmall}
	case w < bareWidth, h < bareHeight:
		return layout{shape: shapeBare, footer: rect{0, h - rows, w, rows}, list: rect{0, 0, w, h - rows}}
	}
	l := layout{shape: shapeWide, alone: a.alone, footer: rect{0, h - rows, w, rows}}
	body := rect{0, 0, w, h - rows}
	if a.header {
		l.header = rect{0, 0, w, 1}
		body.y, body.h = 1, body.h-1
	}
	switch {
	case a.zoom, a.alone, w < stackWidth:
		l.shape = shapeOne
	case w < wideWidth:
		l.shape = shapeStack
	}
	l.divide(body, a)
	return l
}

// divide places the panes in the body. The one that has the room gets most of it:
//
//	shape   list                     detail                     log
//	one     list                     detail                     log
//	stack   list above log           detail above log           log
//	wide    list | detail above log  narrow | detail above log  narrow | reason above log
func (l *layout) divide(body rect, a arrangement) {
	onList := a.focus == areaList || a.focus == areaNone
	switch {
	case l.shape == shapeWide && onList:
		l.listFrame, l.rightFrame = body.splitAt(atMost(a.listW, wideList(body.w)))
	case l.shape == shapeWide:
		l.listFrame, l.rightFrame = body.splitAt(narrowList)
	case l.shape == shapeStack && onList:
		l.listFrame, l.rightFrame = body.cutAt(listHeight(body.h, a.listH))
	case onList:
		l.listFrame = body
	default:
		l.rightFrame = body
	}
	l.list = l.listFrame.inside()
	in, detail := l.rightFrame.inside(), 0
	switch {
	case l.rightFrame.empty():
		l.rightFrame = rect{}
		return
	case a.focus == areaDetail && (l.shape == shapeOne || l.rightFrame.h < leastFrame):
		detail = in.h
	case l.shape == shapeWide, a.focus == areaDetail:
		detail = a.detailIn(in)
	}
	l.detailAboveLog(in, detail)
}

// detailIn returns the number of rows of a detail above the log, in a rectangle for both. It is the preferred number,
// but at most two fifths of the rows; two thirds if the detail has the room; mostReason if the log has it.
func (a *arrangement) detailIn(in rect) int {
	if a.detail == nil || in.h+2 < leastFrame {
		return 0
	}
	most := in.h * 2 / 5
	switch a.focus {
	case areaDetail:
		most = in.h * 2 / 3
	case areaLog:
		most = mostReason
	case areaList, areaNone:
	}
	return min(a.detail(in.text().w), most)
}

// detailAboveLog gives the first rows of a rectangle to the detail and the others to the log.
func (l *layout) detailAboveLog(in rect, detail int) {
	switch {
	case detail <= 0:
		l.log = in.lines()
	case detail >= in.h:
		l.detail = in.text()
	default:
		l.detail = rect{in.x, in.y, in.w, detail}.text()
		l.divider = in.y + detail
		l.log = rect{in.x, in.y + detail + 1, in.w, in.h - detail - 1}.lines()
	}
}

// wideList returns the width of the list that has the room, beside the log: wide enough for what each job is
// doing, or what remains beside a log that has room for a screen.
func wideList(w int) int {
	left := min(w*62/100, 99)
	if spare := w - wideScreen; spare >= enoughList {
		left = min(left, spare)
	}
	return left
}

// listHeight returns the height of a list that has the room, above the log: two thirds of h, or what the list needs if
// that is known and less, or all of h if too few rows would remain for the log.
func listHeight(h, needed int) int {
	top := atMost(needed, (2*h+1)/3)
	if h-top < leastPreview {
		return h
	}
	return top
}

// atMost returns there, or what is needed if that is known (not 0) and less.
func atMost(needed, there int) int {
	if needed == 0 {
		return there
	}
	return min(needed, there)
}

// splitAt divides r at a column.
func (r rect) splitAt(w int) (left, right rect) {
	return rect{r.x, r.y, w, r.h}, rect{r.x + w, r.y, r.w - w, r.h}
}

// cutAt divides r at a row.
func (r rect) cutAt(h int) (top, bottom rect) {
	return rect{r.x, r.y, r.w, h}, rect{r.x, r.y + h, r.w, r.h - h}
}

// inside returns r without its border. The inside of an empty r is empty.
func (r rect) inside() rect {
	if r.empty() {
		return rect{}
	}
	return rect{r.x + 1, r.y + 1, max(0, r.w-2), max(0, r.h-2)}
}

// text returns r without a blank column on each side.
func (r rect) text() rect { return rect{r.x + 1, r.y, max(0, r.w-2), r.h} }

// lines returns r without a blank column on the left. On the right the log has its track.
func (r rect) lines() rect { return rect{r.x + 1, r.y, max(0, r.w-1), r.h} }

// at returns the pane at a position.
func (l layout) at(x, y int) area {
	switch {
	case l.list.has(x, y), l.listFrame.has(x, y):
		return areaList
	case l.detail.has(x, y):
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
