package joblist

import (
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

const (
	ageWidth = 7 // "59m ago"
	// briefAge is room for the largest unit of a time alone: "59m".
	briefAge = 4
	// A list of at least leastNarrow and less than leastBadges columns shows states as signs without words, and has
	// no column What.
	leastNarrow, leastBadges = 26, 34
	cpuWidth, memoryWidth    = 4, 5
	// A long name has leastName columns, and What at least leastWhat. Above enoughWhat the name gets a third of
	// what is left. What no name needs is for What.
	shortName, leastName, leastWhat, enoughWhat = 12, 22, 11, 44
)

// The least size of a list with a header row, and the least width of one that has a column for the value by which it
// is sorted. A list that becomes narrow because another pane has the room keeps its header, so that no row moves.
const headerWidth, headerHeight, usageWidth = leastNarrow, 16, 46

// columns are the widths of what a row shows, from the left; 0 leaves it out.
type columns struct {
	bar   int
	badge int // with the blank that follows it
	name  int
	state int // only in a project, where there is no age
	what  int
	usage int // of what the list is sorted by
	age   int
	end   int // blank
	// narrow means that a name extends into the columns that the time of its row does not need.
	narrow bool
}

// columns returns the widths for the current size. There is no column for what no visible row has.
func (m *Model) columns() columns {
	if m.inProject() {
		return m.projectColumns()
	}
	c := columns{bar: 1, badge: statusbadge.Width, age: ageWidth, end: 1}
	switch {
	case m.w < 12:
		c.badge, c.age, c.end = 2, 0, 0
	case m.w < leastNarrow:
		c.badge, c.age, c.end = 2, briefAge, 0
	case m.w < leastBadges:
		c.badge, c.narrow = 2, true
	case m.w < 42:
		c.age = briefAge
	}
	switch {
	case m.w < usageWidth, !m.anyVisible(func(r *row) bool { return m.hasValue(r.Job) }):
	case m.sort == byCPU:
		c.usage = cpuWidth
	case m.sort == byMemory:
		c.usage = memoryWidth
	}
	c.name = max(0, m.w-c.bar-c.badge-c.end-spaced(c.age)-spaced(c.usage))
	what := c.name - leastName - 1
	if what < leastWhat || !m.hasSummaries() {
		return c
	}
	c.what = what - max(0, what-enoughWhat)/3
	c.name -= spaced(c.what)
	if unused := c.name - max(m.longest+nameGap-1, shortName); unused > 0 {
		c.name, c.what = c.name-unused, c.what+unused
	}
	return c
}

// spaced is a column with the blank before it.
func spaced(w int) int {
	if w == 0 {
		return 0
	}
	return w + 1
}

// hasSummaries reports whether a visible row has something in the column What.
func (m *Model) hasSummaries() bool {
	return m.anyVisible(func(r *row) bool { return r.group != "" || width(m.what(r)...) > 0 })
}

func (m *Model) anyVisible(is func(r *row) bool) bool {
	first, end := m.box.Window()
	return slices.ContainsFunc(m.shown[first:end], is)
}

// heading is a column in the header row: the order that a click selects, and its place.
type heading struct {
	by    sorting
	label string
	right bool // aligned to the right
	x, w  int
}

func (m *Model) headings() []heading {
	c := m.columns()
	usage := heading{by: byCPU, label: "CPU", w: c.usage, right: true}
	if m.sort == byMemory {
		usage.by, usage.label = byMemory, "Mem"
	}
	all := []heading{
		{by: byNeed, label: "Status", w: c.badge - 1},
		{by: byName, label: "Name", w: c.name},
		{by: unsorted, label: "What", w: c.what},
		usage,
		{by: byAge, label: "Age", w: c.age, right: true},
	}
	if c.badge < statusbadge.Width {
		all[0].label = ""
	}
	shown := all[:0]
	x := c.bar
	for _, h := range all {
		if h.w == 0 {
			continue
		}
		h.x = x
		x += h.w + 1
		shown = append(shown, h)
	}
	return shown
}

// HeaderRows returns how many rows the header takes: 1 where there is room for it.
func (m *Model) HeaderRows() int {
	hasRoom := m.h >= headerHeight && m.w >= headerWidth && m.project == nil
	if !hasRoom || len(m.shown) == 0 {
		return 0
	}
	return 1
}

// header draws the names of the columns. A sign marks the one that the user has sorted the list by.
func (m *Model) header() string {
	var b strings.Builder
	x := 0
	for _, h := range m.headings() {
		label, paint := h.label, m.paints.muted
		if h.by == m.sort && !m.inDefaultOrder() {
			paint = m.paints.accent
			sign := m.glyphs.SortUp
			if m.descending() {
				sign = m.glyphs.SortDown
			}
			if h.right {
				label = sign + label
			} else {
				label += sign
			}
		}
		if h.right {
			label = cells.FitLeft(label, h.w)
		}
		b.WriteString(cells.Blank(h.x - x))
		paint.Add(&b, cells.Fit(label, h.w))
		x = h.x + h.w
	}
	return cells.Fit(b.String(), m.w)
}

// sortedInHeader reports whether the header row shows the order.
func (m *Model) sortedInHeader() bool {
	if m.HeaderRows() == 0 {
		return false
	}
	for _, h := range m.headings() {
		if h.by == m.sort {
			return true
		}
	}
	return false
}

// sortAt sorts by the column at x of the header row; the second time the other way around.
func (m *Model) sortAt(x int) {
	for _, h := range m.headings() {
		if x < h.x || x > h.x+h.w || h.by == unsorted {
			continue
		}
		m.reversed = h.by == m.sort && !m.reversed
		m.sort = h.by
		m.stale = true
		return
	}
}
