package joblist

import (
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// cell is one column of a row: text and its style.
type cell struct {
	text  string
	paint cells.Paint
	found bool // by the filter
}

// paints are the styles of rows, ready to draw.
type paints struct{ text, muted, accent, match, failed, warning, selected, blurred cells.Paint }

// Restyled must be called after a change of the styles.
func (m *Model) Restyled() {
	s, paint := m.styles, cells.NewPaint
	m.paints = paints{
		text:     paint(s.Text),
		muted:    paint(s.Muted),
		accent:   paint(s.Accent),
		match:    paint(s.Match),
		failed:   paint(s.Failed),
		warning:  paint(s.Warning),
		selected: paint(s.Selection),
		blurred:  paint(s.SelectionBlurred),
	}
}

func (m *Model) row(r *row, c columns, selected bool) string {
	if r.stands() {
		return m.foldRow(r, c, selected)
	}
	j := r.Job
	done := j.Status.Finished()
	pick := func(p cells.Paint) cells.Paint {
		if done {
			return m.paints.muted
		}
		return p
	}

	row := make([]cell, 0, 12)
	showsMark := r.marked && (!selected || m.focused) // the selected row of a focused list is painted: it needs no bar
	switch {
	case selected && !showsMark:
		row = append(row, cell{text: m.glyphs.Cursor, paint: m.paints.accent})
	case r.marked:
		row = append(row, cell{text: m.glyphs.Marked, paint: m.paints.accent})
	default:
		row = append(row, cell{text: " ", paint: m.paints.text})
	}
	badge := m.badgeStyle(j)
	if c.badge == statusbadge.Width {
		row = append(row, cell{text: statusbadge.Column(m.styles, j, c.badge), paint: cells.NewPaint(badge)})
	} else {
		row = append(row, cell{text: statusbadge.Glyph(m.styles, j), paint: cells.NewPaint(badge)})
	}
	row = append(row, cell{text: " ", paint: m.paints.text})

	host := ""
	if c.hostNamed && j.Host != "" {
		host = " " + m.glyphs.Dot + " " + m.host(j, c.usage)
	}
	c = m.share(r, c)
	row = append(row, m.name(r, c.name, host, pick)...)
	if c.host > 0 {
		row = append(row, cell{text: " " + cells.Fit(m.host(j, c.host), c.host), paint: pick(m.paints.muted)})
	}
	if c.usage > 0 {
		row = append(row, m.usage(j))
	}
	if c.doing > 0 {
		doing := m.doing(r, c)
		row = append(row, cell{text: " " + cells.FitLeft(doing.text, c.doing), paint: doing.paint})
	}
	if c.time > 0 {
		row = append(row, cell{text: " " + cells.FitLeft(m.time(j, c), c.time) + cells.Blank(c.end), paint: pick(m.paints.text)})
	}
	return m.join(row, badge, selected)
}

// badgeStyle is the style of a job's badge. A failure that the user has seen is muted like the
// rest of its row.
func (m *Model) badgeStyle(j engine.Job) lipgloss.Style {
	if j.Seen {
		return m.styles.Muted
	}
	return statusbadge.Style(m.styles, j)
}

// share extends the column of the name into empty columns beside it: usage, of a job that has ended
// or is on a host, and activity. A long name of a running job takes a part of the activity column
// permanently, so that it does not change its width.
func (m *Model) share(r *row, c columns) columns {
	j := r.Job
	done := j.Status.Finished()
	hasUsage := !done && j.Host == ""
	if c.hostNamed && !hasUsage {
		c.name += c.usage + 1
		c.usage = 0
	}
	if !c.beside() {
		return c
	}
	// A job that has ended or waits for input does not fill an empty column of activity later.
	if settled := done || j.Waiting; settled && m.doing(r, c).text == "" {
		return c.withoutDoing()
	}
	lacks := cells.Width(cells.Clean(j.Name)) - c.name
	if lacks <= 0 || !idle(j) {
		return c
	}
	if c.doing <= briefTrace {
		return c.withoutDoing()
	}
	taken := min(lacks, c.doing-briefTrace)
	c.name += taken
	c.doing -= taken
	return c
}

// withoutDoing gives the column of activity to the name.
func (c columns) withoutDoing() columns {
	c.name += c.doing + 1
	c.doing = 0
	return c
}

// idle reports whether the column of activity shows at most that a job prints something.
func idle(j engine.Job) bool {
	switch {
	case j.Status.Finished(), j.Status == engine.Stopping, j.Host != "", j.Progress != nil:
		return false
	}
	return true
}

// join draws the cells of a row; those of the selected one on its background,
// the badge in its own color.
func (m *Model) join(row []cell, badge lipgloss.Style, selected bool) string {
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
			b.WriteString(themes.OnSelection(badge, style).Render(c.text))
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

// doing is what happens: the countdown of a stop or progress; else where it runs or ran, if that
// has no column of its own; else when it ended, its activity or what it uses.
func (m *Model) doing(r *row, c columns) cell {
	j := r.Job
	switch {
	case c.doing == 0:
		return cell{}
	case m.countsDown(j):
		return m.countdown(j, c.doing)
	case j.Status == engine.Queued:
		return cell{text: m.queued(j, c.doing), paint: m.paints.muted}
	case hasPercentage(j):
		return m.progress(j.Progress, c.doing)
	case !c.showsHost(j):
		return cell{text: m.host(j, c.doing), paint: m.paints.muted}
	case j.Status.Finished():
		return cell{text: m.endedAgo(j, c), paint: m.paints.muted}
	case r.isActive() && !m.coarse:
		return m.trace(r, c.doing)
	case c.usage == 0:
		return m.briefUsage(j, c.doing)
	}
	return cell{}
}

// countsDown reports whether the time until a job is killed is shown.
func (m *Model) countsDown(j engine.Job) bool {
	if m.coarse || j.Status != engine.Stopping {
		return false
	}
	return !j.StopDeadline().IsZero()
}

// countdown is how long a job that is being stopped has until it is killed. It is rounded down: the
// clock of the list is up to a tick late, and the countdown must not begin above the grace time.
func (m *Model) countdown(j engine.Job, w int) cell {
	left := units.FormatDuration(j.StopDeadline().Sub(m.now))
	text := "kill " + left
	if cells.Width(text) > w {
		text = left
	}
	return cell{text: text, paint: cells.NewPaint(statusbadge.Style(m.styles, j))}
}

// hasPercentage reports whether a running job has reported how far it is.
func hasPercentage(j engine.Job) bool {
	if j.Progress == nil || j.Status.Finished() {
		return false
	}
	switch j.Progress.State {
	case "", "indeterminate":
		return false
	}
	return true
}

func (m *Model) progress(p *engine.Progress, w int) cell {
	paint := m.paints.accent
	if p.State == "error" {
		paint = m.paints.failed
	}
	return cell{text: m.bar(p.Percent, w), paint: paint}
}

// isActive reports whether the job has printed something recently.
func (r *row) isActive() bool { return r.Trace != [TraceLength]uint8{} }

// trace draws the recent activity of a job.
func (m *Model) trace(r *row, w int) cell {
	var b strings.Builder
	for _, v := range r.Trace[max(0, TraceLength-w):] {
		b.WriteString(m.glyphs.Spark[min(int(v), len(m.glyphs.Spark)-1)])
	}
	return cell{text: b.String(), paint: m.paints.accent}
}

// briefUsage is the CPU usage of a running job, and its memory if there is room.
func (m *Model) briefUsage(j engine.Job, w int) cell {
	cpu, memory := usage(j)
	if cpu == "" {
		return cell{}
	}
	text := strings.TrimSpace(cpu + " " + memory)
	if cells.Width(text) > w {
		text = cpu
	}
	return cell{text: text, paint: m.paints.muted}
}

// queued is when a job is expected to begin, or its place in its queue.
func (m *Model) queued(j engine.Job, w int) string {
	text := ""
	switch {
	case j.Runs.Between() && !m.coarse:
		text = "in " + units.FormatDuration(max(0, j.Runs.NextAt.Sub(m.now)).Round(time.Second))
	case j.Pending != nil:
		text = m.pending(j.Pending, w)
	}
	if cells.Width(text) > w {
		return ""
	}
	return text
}

func (m *Model) pending(p *engine.Pending, w int) string {
	if left := p.StartsAt.Sub(m.now); left >= time.Minute { // by a cluster's scheduler
		return "in " + startsIn(left, w-len("in "))
	}
	switch {
	case p.Position == 0:
		return ""
	case p.Position > 1:
		return "place " + strconv.Itoa(p.Position)
	case p.Paused:
		return "paused"
	}
	return "next"
}

// startsIn is a time of at least a minute in at most w cells. Hours are rounded: a scheduler only estimates.
func startsIn(left time.Duration, w int) string {
	if text := units.FormatMinutes(left); cells.Width(text) <= w {
		return text
	}
	if left > time.Hour {
		left = left.Round(time.Hour)
	}
	return units.FormatBrief(left)
}

func (m *Model) bar(percent, w int) string {
	percent = max(0, min(percent, 100))
	if w < 7 {
		return strconv.Itoa(percent) + "%"
	}
	label := cells.FitLeft(strconv.Itoa(percent)+"%", 4)
	room := max(0, w-4)
	full := (percent*room + 50) / 100
	return strings.Repeat(m.glyphs.ProgressDone, full) + strings.Repeat(m.glyphs.ProgressLeft, room-full) + label
}

func (m *Model) host(j engine.Job, w int) string {
	return cells.Truncate(cells.Clean(j.Host), w, m.glyphs.Ellipsis)
}

// usage shows CPU and memory; of a job on a host, for which neither is known, the host.
func (m *Model) usage(j engine.Job) cell {
	cpu, memory := usage(j)
	return cell{text: " " + cells.FitLeft(cpu, cpuWidth) + " " + cells.FitLeft(memory, memoryWidth), paint: m.paints.muted}
}

// usage is the CPU and memory usage of a running job; values close to 0 are omitted.
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

// endedAgo is how long ago a job ended, "3m ago", if the column has room for that.
func (m *Model) endedAgo(j engine.Job, c columns) string {
	at := endedAt(j)
	known := !at.IsZero() && !m.now.IsZero()
	if c.doing < agoWidth || !known {
		return ""
	}
	return units.FormatAgo(m.now.Sub(at))
}

// time is how long the job runs or ran; of a lost one, whose end was not seen, how long ago that
// was, unless another column shows it.
func (m *Model) time(j engine.Job, c columns) string {
	if ranUnknown := j.Status == engine.Lost || j.StartedAt.IsZero(); ranUnknown {
		return m.timeSinceEnd(j, c)
	}
	up := j.Uptime(m.now)
	if m.coarse && !j.Status.Finished() {
		if up < time.Minute {
			return "<1m"
		}
		return units.FormatMinutes(up)
	}
	if text := units.FormatDuration(up); len(text) <= c.time {
		return text
	}
	return units.FormatBrief(up)
}

// timeSinceEnd is how long ago a job ended, unless the column of activity shows that.
func (m *Model) timeSinceEnd(j engine.Job, c columns) string {
	at := endedAt(j)
	if at.IsZero() || m.now.IsZero() {
		return ""
	}
	if c.showsHost(j) && m.endedAgo(j, c) != "" {
		return ""
	}
	return units.FormatBrief(m.now.Sub(at))
}
