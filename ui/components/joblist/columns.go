package joblist

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

const (
	// briefTime is room for the largest unit of a time alone: "59m".
	briefTime  = 4
	briefTrace = 4 // shows that something happens
	agoWidth   = 7 // "59m ago"
	// What a job uses is aligned on both numbers: " 12% 98M".
	cpuWidth, memoryWidth = 4, 5
	usageWidth            = cpuWidth + 1 + memoryWidth
	hostWidth             = 10
)

// The minimum numbers of rows for a header row. It is lower in a list with columns for usage,
// because their numbers need headings.
const (
	headerWidth, headerHeight = 34, 10
	usageFrom                 = 56
	wideHeaderHeight          = 6
)

// columns are the widths of what a row shows, from the left; 0 leaves it out.
type columns struct {
	badge, name, host, usage, doing, time, end int
	hostNamed                                  bool // there is no column for hosts: they are beside the name
}

// columns returns the widths for the current size. They depend only on the size and on whether there
// are jobs on hosts, so that columns do not move when jobs start and end.
func (m *Model) columns() columns {
	c := columns{badge: statusbadge.Width, time: 6}
	switch {
	case m.w < 12:
		c.badge, c.time = 1, 0
	case m.w < 26:
		c.badge, c.time = 1, briefTime
	case m.w < 34:
		c.time = briefTime
	}
	switch {
	case m.w >= 42:
		c.doing = agoWidth
	case m.w >= 36: // the name matters more
		c.doing = briefTrace
	}
	if m.w >= usageFrom {
		c.usage = usageWidth
	}
	if m.w >= 70 && m.hosts > 0 {
		c.host = hostWidth
	}
	c.hostNamed = c.usage > 0 && c.host == 0
	c.name = m.w - 1 // the bar
	if m.w >= 26 {
		c.end = 1
		c.name--
	}
	for _, w := range []int{c.badge, c.host, c.usage, c.doing, c.time} {
		if w > 0 {
			c.name -= w + 1
		}
	}
	c.name = max(0, c.name)
	return c
}

// beside reports whether the column of activity is next to the name, which may then use it.
func (c columns) beside() bool { return c.doing > 0 && c.host+c.usage == 0 }

// showsHost reports whether a row names the host that its job is on; there is none to name for a job
// on this machine.
func (c columns) showsHost(j engine.Job) bool { return c.host > 0 || c.hostNamed || j.Host == "" }

// heading is a column in the header row: the order that a click selects, and its place.
type heading struct {
	by    sorting
	label string
	right bool // aligned to the right
	x, w  int
}

func (c columns) headings() []heading {
	all := []heading{
		{by: byNeed, label: "Status", w: c.badge},
		{by: byName, label: "Name", w: c.name},
		{by: byHost, label: "Host", w: c.host},
		{by: byCPU, label: "CPU", w: min(c.usage, cpuWidth), right: true},
		{by: byMemory, label: "Mem", w: min(c.usage, memoryWidth), right: true},
		{by: byEnd, label: "Recent", w: c.doing, right: true}, // its output now, or when it ended
		{by: byTime, label: "Time", w: c.time, right: true},
	}
	shown := all[:0]
	x := 1
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
	least := headerHeight
	if m.w >= usageFrom {
		least = wideHeaderHeight
	}
	hasRoom := m.h >= least && m.w >= headerWidth
	if !hasRoom || len(m.shown) == 0 {
		return 0
	}
	return 1
}

// header draws the names of the columns. A sign marks the one that the list is sorted by.
func (m *Model) header() string {
	var b strings.Builder
	x := 0
	for _, h := range m.columns().headings() {
		label, paint := h.label, m.paints.muted
		if h.by == m.sort && cells.Width(label) < h.w {
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
		if cells.Width(label) > h.w {
			label = ""
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
	for _, h := range m.columns().headings() {
		if h.by == m.sort {
			return len(h.label) < h.w
		}
	}
	return false
}

// sortAt sorts by the column at x of the header row; the second time the other way around.
func (m *Model) sortAt(x int) {
	for _, h := range m.columns().headings() {
		if x < h.x || x > h.x+h.w {
			continue
		}
		m.reversed = h.by == m.sort && !m.reversed
		m.sort = h.by
		m.stale = true
		return
	}
}

// A name in less room keeps its beginning, else both its ends.
const shortName = 16

// name is the job's name, unread mark and other marks, and what is shown beside them, in exactly w columns.
func (m *Model) name(r *row, w int, beside string, pick func(cells.Paint) cells.Paint) []cell {
	style := pick(m.paints.text)
	news := ""
	if r.Unread > 0 || r.Job.FailedUnseen() {
		style = m.paints.text
		news = " " + m.glyphs.Unread
		if r.Unread > 1 {
			news += strconv.Itoa(min(r.Unread, 99))
		}
	}
	marks := ""
	if len(r.Job.Exit.Survivors) > 0 && r.Job.Status.Finished() {
		marks += " " + m.glyphs.Survivors
	}
	if r.Job.Link == engine.LinkUnreachable {
		marks += " " + m.glyphs.Unreachable
	}
	indent, runs := cells.Blank(2*r.depth), ""
	if n := len(r.behind); n > 0 {
		runs = " " + m.foldMark(r.open) + strconv.Itoa(n)
	}
	name := cells.Clean(r.Job.Name)
	if name == "" {
		name = string(r.Job.ID)
	}
	room := max(0, w-cells.Width(indent+runs+news+marks+beside))
	cut := cells.Name(name, room, m.glyphs.Ellipsis)
	if room < shortName && cells.Width(name) > room {
		cut = cells.Truncate(name, room, m.glyphs.Ellipsis)
	}
	var row []cell
	if cut == r.Job.Name && len(r.matched) > 0 {
		row = m.matched(name, r.matched, style)
	} else {
		row = []cell{{text: cut, paint: style}}
	}
	if indent != "" {
		row = slices.Insert(row, 0, cell{text: indent, paint: style})
	}
	ports := listening(r.Job, room-cells.Width(cut))
	return append(row,
		cell{text: runs, paint: m.paints.muted},
		cell{text: news, paint: m.paints.accent},
		cell{text: marks, paint: m.paints.warning},
		cell{text: beside, paint: m.paints.muted},
		cell{text: ports, paint: m.paints.muted},
		cell{text: cells.Blank(room - cells.Width(cut) - cells.Width(ports)), paint: m.paints.text},
	)
}

// listening is the ports at which a job can be reached, as many as fit.
func listening(j engine.Job, room int) string {
	if j.Status.Finished() {
		return ""
	}
	text := ""
	for _, port := range j.KnownPorts() {
		next := " :" + strconv.Itoa(port)
		if len(text)+len(next) > room {
			break
		}
		text += next
	}
	return text
}

// matched splits a name where the filter matched.
func (m *Model) matched(name string, places []int, style cells.Paint) []cell {
	hit := make(map[int]bool, len(places))
	for _, p := range places {
		hit[p] = true
	}
	var row []cell
	for i, r := range name {
		c := cell{text: string(r), paint: style}
		if hit[i] {
			c.paint, c.found = m.paints.match, true
		}
		row = append(row, c)
	}
	return row
}
