package joblist

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/border"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// cell is one column of a row: text and its style.
type cell struct {
	text  string
	paint border.Paint
	found bool // by the filter
	kept  bool // what is before it is cut rather
}

// paints are the styles of rows, ready to draw.
type paints struct {
	text, muted, accent, match, failed, warning, selected, blurred border.Paint

	badges map[*lipgloss.Style]border.Paint // of the styles of badges that were needed
}

// Restyled must be called after a change of the styles.
func (m *Model) Restyled() {
	s, paint := m.styles, border.NewPaint
	m.paints = paints{
		text:     paint(s.Text),
		muted:    paint(s.Muted),
		accent:   paint(s.Accent),
		match:    paint(s.Match),
		failed:   paint(s.Failed),
		warning:  paint(s.Warning),
		selected: paint(s.Selection),
		blurred:  paint(s.SelectionBlurred),
		badges:   map[*lipgloss.Style]border.Paint{},
	}
}

// badgePaint returns the paint of a style that [Model.badgeStyle] has returned.
func (m *Model) badgePaint(style *lipgloss.Style) border.Paint {
	paint, known := m.paints.badges[style]
	if !known {
		paint = border.NewPaint(*style)
		m.paints.badges[style] = paint
	}
	return paint
}

func (m *Model) row(r *row, c columns, selected bool) string {
	if r.stands() {
		return m.foldRow(r, c, selected)
	}
	j := r.Job
	done := j.Status.Finished()
	pick := func(p border.Paint) border.Paint {
		if done {
			return m.paints.muted
		}
		return p
	}

	blank := cell{text: " ", paint: m.paints.text}
	row := make([]cell, 0, 16)
	showsMark := r.marked && (!selected || m.focused) // the selected row of a focused list is painted: it needs no bar
	switch {
	case selected && !showsMark:
		row = append(row, cell{text: m.glyphs.Cursor, paint: m.paints.accent})
	case r.marked:
		row = append(row, cell{text: m.glyphs.Marked, paint: m.paints.accent})
	default:
		row = append(row, blank)
	}
	badge := m.badgeStyle(j)
	text := statusbadge.Glyph(m.styles, j) + " "
	if c.badge == statusbadge.Width {
		text = statusbadge.Column(m.styles, j, c.badge)
	}
	row = append(row, cell{text: text, paint: m.badgePaint(badge)})
	if m.inProject() {
		row = append(row, m.name(r, max(0, c.name-1), pick)...)
		row = append(row, blank)
		if c.usage > 0 {
			row = append(row, cell{text: cells.FitLeft(m.usage(j), c.usage) + " ", paint: m.paints.muted})
		}
		return m.join(append(row, m.processCells(r, c, pick)...), badge, selected)
	}
	age := m.time(r, c)
	if c.narrow {
		c.name, c.age = c.name+c.age-cells.Width(age), cells.Width(age)
	}
	row = append(row, m.name(r, c.name, pick)...)
	if c.what > 0 {
		row = append(row, blank)
		row = append(row, m.fitted(m.what(r), c.what)...)
	}
	if c.usage > 0 {
		row = append(row, cell{text: " " + cells.FitLeft(m.usage(j), c.usage), paint: m.paints.muted})
	}
	if c.age > 0 {
		row = append(row, cell{text: " " + cells.FitLeft(age, c.age) + cells.Blank(c.end), paint: pick(m.paints.text)})
	}
	return m.join(row, badge, selected)
}

// badgeStyle is the style of a job's badge. A failure that the user has seen is muted like the
// rest of its row.
func (m *Model) badgeStyle(j engine.Job) *lipgloss.Style {
	if j.Seen {
		return &m.styles.Muted
	}
	return statusbadge.Style(m.styles, j)
}

// join draws the cells of a row; those of the selected one on its background,
// the badge in its own color.
func (m *Model) join(row []cell, badge *lipgloss.Style, selected bool) string {
	var b strings.Builder
	if !selected {
		for _, c := range row {
			c.paint.Add(&b, c.text)
		}
		return b.String()
	}
	style, paint := m.styles.SelectionBlurred, m.paints.blurred
	if m.focused {
		style, paint = m.styles.Selection, m.paints.selected
	}
	used := 0
	for i, c := range row {
		switch {
		case i == 1: // the badge
			b.WriteString(themes.OnSelection(*badge, style).Render(c.text))
		case i == 0 && !m.focused: // only the bar distinguishes it where nothing is painted
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

// usage is the CPU or memory usage of a running job, by which the list is sorted; values close to 0 are
// omitted.
func (m *Model) usage(j engine.Job) string {
	switch {
	case j.Status.Finished():
	case m.sort == byMemory && j.RSS > 0:
		text, _, _ := strings.Cut(strings.Replace(units.FormatBytes(j.RSS), " ", "", 1), "i")
		return text
	case m.sort == byCPU && j.CPU != nil && *j.CPU >= 0.5:
		return strconv.Itoa(int(*j.CPU+0.5)) + "%"
	}
	return ""
}

// endedAt is when a job ended, or the best estimate; zero while it runs.
func endedAt(j engine.Job) time.Time {
	switch {
	case !j.Status.Finished():
		return time.Time{}
	case !j.Exit.At.IsZero():
		return j.Exit.At
	case !j.StartedAt.IsZero():
		return j.StartedAt
	}
	return j.CreatedAt
}

// time is the age of a job. In a list without a column What, the progress or the time left replaces it if
// there is one.
func (m *Model) time(r *row, c columns) string {
	j := &r.Job
	if c.what > 0 {
		return m.age(*j, c.age)
	}
	text, age := "", c.age
	if c.narrow {
		age = briefAge
	}
	switch {
	case m.countsDown(j):
		text = m.countdown(j).text
	case hasPercentage(j):
		text = strconv.Itoa(max(0, min(j.Progress.Percent, 100))) + "%"
	case j.Runs.Between() && !m.coarse:
		text = "in " + units.FormatDuration(max(0, j.Runs.NextAt.Sub(m.now)).Round(time.Second))
	case j.Pending != nil:
		text = m.pending(j.Pending, c.age)
	}
	if text == "" || cells.Width(text) > c.age {
		return m.age(*j, age)
	}
	return text
}

// pending is when a queued job is expected to begin, or its place in its queue.
func (m *Model) pending(p *engine.Pending, w int) string {
	switch left := p.StartsAt.Sub(m.now); {
	case left >= time.Minute: // by a cluster's scheduler
		return "in " + m.duration(left, w-len("in "))
	case p.Position == 0:
		return ""
	case p.Position > 1:
		return "place " + strconv.Itoa(p.Position)
	case p.Paused:
		return "paused"
	}
	return "next"
}

// age is how long a job has run or waited, or how long ago it ended.
func (m *Model) age(j engine.Job, w int) string {
	if m.now.IsZero() {
		return ""
	}
	if j.Status.Finished() {
		at := endedAt(j)
		if at.IsZero() {
			return ""
		}
		return ago(m.now.Sub(at), w)
	}
	since := j.Uptime(m.now)
	begins := j.StartedAt.IsZero() || j.Status == engine.Queued
	if begins || statusbadge.NeedOf(j) == statusbadge.Restarts { // a loop is as old between two runs as in a run
		since = max(0, m.now.Sub(j.CreatedAt))
	}
	return m.duration(since, w)
}

func ago(d time.Duration, w int) string {
	if text := units.FormatAgo(d); len(text) <= w {
		return text
	}
	return units.FormatBrief(d)
}

// duration is a time that still grows, without seconds from the first minute on.
func (m *Model) duration(d time.Duration, w int) string {
	switch {
	case d < time.Minute && m.coarse:
		return "<1m"
	case d < time.Minute:
		return units.FormatDuration(d)
	}
	if text := units.FormatMinutes(d); len(text) <= w {
		return text
	}
	return units.FormatBrief(d)
}

// name is what identifies a job, in exactly w columns: its name with the host that it runs on and the
// agent that started it, the unread mark and other marks.
func (m *Model) name(r *row, w int, pick func(border.Paint) border.Paint) []cell {
	style := pick(m.paints.text)
	n := m.named(r)
	if n.news != "" {
		style = m.paints.text
	}
	name, labels := n.name, n.host+n.agent
	room := max(0, w-cells.Width(n.indent+n.runs+n.news+n.marks))
	if least := room - cells.Width(n.host); n.host != "" && least >= leastBeside && cells.Width(name) > least {
		name = cells.Truncate(name, least, m.glyphs.Ellipsis) // where it runs matters more than a long name
	}
	found := []cell{{text: name, paint: style}}
	if len(r.matched) > 0 && name == r.Job.Name && cells.Width(name) < room {
		found = m.matched(name, r.matched, style)
	}
	row := []cell{{text: n.indent, paint: style}}
	if cells.Width(name+labels) > room {
		row = append(row, cell{text: cells.Truncate(name+labels, room, m.glyphs.Ellipsis), paint: style})
		found, labels = nil, ""
	}
	row = append(append(row, found...), cell{text: labels, paint: m.paints.muted})
	row = append(row,
		cell{text: n.news, paint: m.paints.accent},
		cell{text: n.marks, paint: m.paints.warning},
		cell{text: n.runs, paint: m.paints.muted},
	)
	return append(row, cell{text: cells.Blank(w - width(row...)), paint: m.paints.text})
}

// named is what stands in the column of the name, from the left.
type named struct{ indent, name, host, agent, news, marks, runs string }

// width returns the width of all of it, at most maxName.
func (n named) width() int {
	return min(maxName, cells.Width(n.indent+n.name+n.host+n.agent+n.news+n.marks+n.runs))
}

func (m *Model) named(r *row) named {
	n := named{
		indent: cells.Blank(2 * r.depth),
		name:   cmp.Or(cells.WithMark(cells.Clean(r.Job.Name), m.glyphs.Ellipsis), string(r.Job.ID)),
		host:   m.label(r.Job.Host),
		agent:  m.label(agentOf(&r.Job)),
	}
	if r.Unread > 0 || r.Job.FailedUnseen() {
		n.news = " " + m.glyphs.Unread
	}
	if r.Unread > 1 {
		n.news += strconv.Itoa(min(r.Unread, 99))
	}
	if len(r.Job.Exit.Survivors) > 0 && r.Job.Status.Finished() {
		n.marks = " " + m.glyphs.Survivors
	}
	switch behind := len(r.behind); {
	case behind == 0:
	case r.alike && !r.open:
		n.runs = "  " + m.glyphs.Times + strconv.Itoa(behind+1)
	default:
		n.runs = " " + m.foldMark(r.open) + strconv.Itoa(behind)
	}
	return n
}

// leastBeside is how much of a name is shown before its host.
const leastBeside = 10

// label is what stands after a name, as " · gpu2".
func (m *Model) label(text string) string {
	if text == "" {
		return ""
	}
	return " " + m.glyphs.Dot + " " + cells.Clean(text)
}

// agentOf is the short name of the agent that started a job; "" if a person or a file of a project did.
func agentOf(j *engine.Job) string {
	switch j.CreatedBy {
	case "cli", "ui", "up":
		return ""
	}
	name, _, _ := strings.Cut(j.CreatedBy, "-")
	return name
}

// matched splits a name where the filter matched.
func (m *Model) matched(name string, places []int, style border.Paint) []cell {
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
