package joblist

import (
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// View draws the list in exactly its size. It is drawn again only after a
// change.
func (m *Model) View() string {
	m.settle()
	if m.drawn {
		return m.view
	}
	var lines []string
	if len(m.shown) == 0 {
		lines = m.empty()
	} else {
		c := m.columns()
		for i := m.top; i < len(m.shown) && i-m.top < m.h; i++ {
			lines = append(lines, m.row(m.shown[i], c, i == m.at))
		}
	}
	m.view = strings.Join(cells.Block(lines, m.w, m.h), "\n")
	m.drawn = true
	return m.view
}

func (m *Model) empty() []string {
	text, code := m.styles.Empty.Render, m.styles.EmptyKey.Render
	room := max(1, m.w-4)
	var lines []string
	add := func(words string) {
		for line := range strings.SplitSeq(ansi.Wrap(words, room, ""), "\n") {
			lines = append(lines, text(line))
		}
	}
	if len(m.rows) > 0 {
		add("nothing matches " + strconv.Quote(m.filter.text) + "; Esc shows all")
		return m.place(lines)
	}
	command := code("hob run npm run dev")
	runs := code(m.start) + text(" runs one")
	long := text("No jobs yet.  ") + runs + text(",  or:  ") + command
	switch {
	case m.start == "":
		lines = append(lines, text("No jobs yet."), command)
	case cells.Width(long) <= room:
		lines = append(lines, long)
	case m.h < 5:
		lines = append(lines, text("No jobs yet."), runs+text("."))
	default:
		lines = append(lines, text("No jobs yet."), "", runs+text(", or:"), command)
	}
	short := lines
	if len(m.hints) > 0 {
		lines = append(lines, "")
	}
	for _, hint := range m.hints {
		add(hint)
	}
	if len(lines) > m.h { // half a sentence helps nobody
		lines = short
	}
	return m.place(lines)
}

// The size from which on words stand in the middle and not in the
// upper left corner.
const spaciousWidth, spaciousHeight = 60, 12

// place puts lines where the eye looks for them.
func (m *Model) place(lines []string) []string {
	left, top := min(2, max(0, m.w-12)), 1
	if m.w >= spaciousWidth && m.h >= spaciousHeight {
		widest := 0
		for _, line := range lines {
			widest = max(widest, cells.Width(line))
		}
		left, top = (m.w-widest)/2, (m.h-len(lines))/3
	}
	if len(lines)+top > m.h {
		top = 0
	}
	placed := make([]string, top, top+len(lines))
	for _, line := range lines {
		placed = append(placed, cells.Blank(left)+line)
	}
	return placed
}

const (
	// briefTime is room for the largest unit of a time alone: "59m".
	briefTime  = 4
	briefTrace = 4 // tells that something happens
	// What a job uses is aligned on both numbers: " 12% 98M".
	cpuWidth, memoryWidth = 4, 5
)

// columns are the widths of what a row shows; 0 leaves it out.
type columns struct {
	badge, name, host, usage, doing, time, end int
}

// columns decides what a row of this width has room for. It depends on width
// and hosts alone, so that nothing jumps while jobs come and go.
func (m *Model) columns() columns {
	c := columns{badge: statusbadge.Width, time: 7}
	switch {
	case m.w < 12:
		c.badge, c.time = 1, 0
	case m.w < 26:
		c.badge, c.time = 1, briefTime
	case m.w < 34:
		c.time = briefTime
	}
	switch {
	case m.w >= 44:
		c.doing = 8
	case m.w >= 36: // the name matters more
		c.doing = 4
	}
	if m.w >= 56 && m.hosts > 0 {
		c.host = 10
	}
	if m.w >= 60 && m.hosts == 0 || m.w >= 76 {
		c.usage = cpuWidth + 1 + memoryWidth
	}
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

// cell is one column of a row: text and its style.
type cell struct {
	text  string
	paint cells.Paint
	found bool // by the filter
}

// paints are the styles of rows, ready to draw.
type paints struct {
	name, unread, finished, host, time, usage, trace, progress, marked, match, cursor, failed, warning cells.Paint
	selected, blurred                                                                                  cells.Paint
}

func (m *Model) mix() {
	s := m.styles
	paint := cells.NewPaint
	m.paints = paints{
		name: paint(s.Name), unread: paint(s.Unread), finished: paint(s.Finished), host: paint(s.Host), time: paint(s.Time),
		usage: paint(s.Usage), trace: paint(s.Trace), progress: paint(s.Progress), marked: paint(s.Marked), match: paint(s.Match),
		cursor: paint(s.Cursor), selected: paint(s.Selected), blurred: paint(s.SelectedBlurred),
		failed:  paint(m.badge.Style(engine.Job{State: engine.State{Status: engine.Failed}})),
		warning: paint(m.badge.Style(engine.Job{State: engine.State{Status: engine.Running, Paused: true}})),
	}
}

func (m *Model) row(r *row, c columns, selected bool) string {
	j := r.Job
	done := j.Status.Finished()
	pick := func(p cells.Paint) cells.Paint {
		if done {
			return m.paints.finished
		}
		return p
	}

	row := make([]cell, 0, 12)
	switch {
	case selected && !(m.focused && r.marked): // a painted row needs no bar
		row = append(row, cell{text: m.glyphs.Cursor, paint: m.paints.cursor})
	case r.marked:
		row = append(row, cell{text: m.glyphs.Marked, paint: m.paints.marked})
	default:
		row = append(row, cell{text: " ", paint: m.paints.name})
	}
	if c.badge == statusbadge.Width {
		row = append(row, cell{text: m.badge.Column(j), paint: cells.NewPaint(m.badge.Style(j))})
	} else {
		row = append(row, cell{text: m.badge.Glyph(j), paint: cells.NewPaint(m.badge.Style(j))})
	}
	row = append(row, cell{text: " ", paint: m.paints.name})

	room := c.name
	c.doing, room = m.share(r, c, room)
	doing := m.doing(r, c)
	aside := c.doing > 0 && (doing.text != "" || !done && !j.Waiting)
	if c.doing > 0 && !aside {
		room += c.doing + 1 // nothing will be there: the name may have it
	}
	if c.usage > 0 && done && c.host == 0 {
		room += c.usage + 1
		c.usage = 0
	}
	row = append(row, m.name(r, room, pick)...)
	if aside {
		row = append(row, cell{text: " " + cells.FitLeft(doing.text, c.doing), paint: doing.paint})
	}
	if c.host > 0 {
		row = append(row, cell{text: " " + cells.Fit(m.host(j, c.host), c.host), paint: pick(m.paints.host)})
	}
	if c.usage > 0 {
		cpu, memory := usage(j)
		row = append(row, cell{text: " " + cells.FitLeft(cpu, cpuWidth) + " " + cells.FitLeft(memory, memoryWidth), paint: pick(m.paints.usage)})
	}
	if c.time > 0 {
		row = append(row, cell{text: " " + cells.FitLeft(m.time(j, c.time), c.time) + cells.Blank(c.end), paint: pick(m.paints.time)})
	}
	return m.join(row, m.badge.Style(j), selected)
}

// share divides the columns of a row's name and of what is going on: a long name
// has some of those where only activity would stand, as long as the row keeps this
// name, so that nothing jumps.
func (m *Model) share(r *row, c columns, room int) (doing, name int) {
	j := r.Job
	if c.host == 0 && j.Host != "" || j.Progress != nil || j.Status == engine.Stopping {
		return c.doing, room
	}
	lacks := cells.Width(cells.Clean(j.Name)) - room
	switch {
	case lacks <= 0 || c.doing == 0:
		return c.doing, room
	case c.doing <= briefTrace:
		return 0, room + c.doing + 1
	}
	taken := min(lacks, c.doing-briefTrace)
	return c.doing - taken, room + taken
}

// join draws the cells of a row; those of the selected one on its background,
// the badge in its own colour.
func (m *Model) join(row []cell, badge lipgloss.Style, selected bool) string {
	var b strings.Builder
	if !selected {
		for _, c := range row {
			c.paint.Add(&b, c.text)
		}
		return b.String()
	}
	style, paint := m.styles.SelectedBlurred, m.paints.blurred
	if m.focused {
		style, paint = m.styles.Selected, m.paints.selected
	}
	used := 0
	for i, c := range row {
		switch {
		case i == 1: // the badge
			b.WriteString(themes.OnSelection(badge, style).Render(c.text))
		case i == 0 && !m.focused: // the bar alone tells it from others where nothing is painted
			c.paint.Add(&b, c.text)
		case c.found:
			b.WriteString(style.Underline(true).Render(c.text))
		default:
			paint.Add(&b, c.text)
		}
		used += cells.Width(c.text)
	}
	paint.Add(&b, cells.Blank(m.w-used))
	return b.String()
}

// doing is what is going on: the countdown of a stop or progress; else where it
// runs, if that has no column of its own; else activity or what it uses.
func (m *Model) doing(r *row, c columns) cell {
	j := r.Job
	if c.doing == 0 {
		return cell{}
	}
	if j.Status == engine.Stopping && !j.StopDeadline().IsZero() && !m.coarse {
		left := (j.StopDeadline().Sub(m.now) + time.Second - 1).Truncate(time.Second)
		text := "kill " + units.FormatDuration(max(0, left))
		if cells.Width(text) > c.doing {
			text = units.FormatDuration(max(0, left))
		}
		return cell{text: text, paint: cells.NewPaint(m.badge.Style(j))}
	}
	if p := j.Progress; p != nil && !j.Status.Finished() && p.State != "" && p.State != "indeterminate" {
		style := m.paints.progress
		if p.State == "error" {
			style = m.paints.failed
		}
		return cell{text: m.bar(p.Percent, c.doing), paint: style}
	}
	if c.host == 0 && j.Host != "" {
		return cell{text: cells.End(cells.Clean(j.Host), c.doing, m.glyphs.Ellipsis), paint: m.paints.host}
	}
	if !m.coarse && !j.Status.Finished() && active(r.Trace) {
		var b strings.Builder
		for _, v := range r.Trace[max(0, len(r.Trace)-c.doing):] {
			b.WriteString(m.glyphs.Spark[min(int(v), len(m.glyphs.Spark)-1)])
		}
		return cell{text: b.String(), paint: m.paints.trace}
	}
	if cpu, memory := usage(j); c.usage == 0 && cpu != "" {
		text := strings.TrimSpace(cpu + " " + memory)
		if cells.Width(text) > c.doing {
			text = cpu
		}
		return cell{text: text, paint: m.paints.usage}
	}
	return cell{}
}

func active(trace []uint8) bool {
	for _, v := range trace {
		if v > 0 {
			return true
		}
	}
	return false
}

func (m *Model) bar(percent, w int) string {
	percent = max(0, min(percent, 100))
	if w < 7 {
		return strconv.Itoa(percent) + "%"
	}
	label := " " + strconv.Itoa(percent) + "%"
	room := max(0, w-5)
	full := (percent*room + 50) / 100
	return strings.Repeat(m.glyphs.ProgressDone, full) + strings.Repeat(m.glyphs.ProgressLeft, room-full) + cells.FitLeft(label, 5)
}

func (m *Model) host(j engine.Job, w int) string {
	return cells.End(cells.Clean(j.Host), w, m.glyphs.Ellipsis)
}

// usage is what the processes of a job use; nothing of what is next to nothing.
func usage(j engine.Job) (cpu, memory string) {
	if j.Status.Finished() {
		return "", ""
	}
	if j.CPU != nil && *j.CPU >= 0.5 {
		cpu = strconv.Itoa(int(*j.CPU+0.5)) + "%"
	}
	if j.RSS > 0 {
		memory, _, _ = strings.Cut(strings.Replace(units.FormatBytes(j.RSS), " ", "", 1), "i")
	}
	return cpu, memory
}

// time is how long the job runs or ran; of a lost one, whose end nobody saw,
// how long ago it was.
func (m *Model) time(j engine.Job, w int) string {
	if j.Status == engine.Lost || j.StartedAt.IsZero() && j.Status.Finished() {
		since := j.Exit.At
		if since.IsZero() {
			since = j.StartedAt
		}
		if since.IsZero() {
			since = j.CreatedAt
		}
		if since.IsZero() || m.now.IsZero() {
			return ""
		}
		ago := largestUnit(m.now.Sub(since))
		if w <= briefTime {
			return ago
		}
		return ago + " ago"
	}
	if j.StartedAt.IsZero() {
		return ""
	}
	up := j.Uptime(m.now)
	if m.coarse && !j.Status.Finished() {
		if up < time.Minute {
			return "<1m"
		}
		return strings.TrimSuffix(units.FormatDuration(up.Truncate(time.Minute)), "00s")
	}
	if w <= briefTime {
		return largestUnit(up)
	}
	return units.FormatDuration(up)
}

// largestUnit is a duration in one unit: "3m".
func largestUnit(d time.Duration) string {
	text := units.FormatDuration(d)
	if i := strings.IndexAny(text, "mhd"); i >= 0 && !strings.HasPrefix(text[i:], "ms") {
		text = text[:i+1]
	}
	return text
}
