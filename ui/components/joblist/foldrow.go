package joblist

import (
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/border"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// foldMark returns the sign before a row whose jobs can be folded.
func (m *Model) foldMark(unfolded bool) string {
	if unfolded {
		return m.glyphs.Unfolded
	}
	return m.glyphs.Folded
}

// foldRow draws a row that stands for others: their number, or the name of their group and their states.
func (m *Model) foldRow(r *row, c columns, selected bool) string {
	bar := cell{text: " ", paint: m.paints.text}
	if selected {
		bar = cell{text: m.glyphs.Cursor, paint: m.paints.accent}
	}
	row := []cell{bar, {text: m.foldMark(r.open), paint: m.paints.muted}}
	switch {
	case r == m.fold:
		row = append(row, cell{text: " " + strconv.Itoa(r.size()) + " older", paint: m.paints.muted})
	case c.narrow:
		row = append(row, m.narrowGroup(r, m.w-width(row...)-c.end)...)
	case m.inProject() && c.state > 0:
		_, words := m.groupCounts(r, m.dot())
		before := min(c.badge+c.name-1, max(leastGroupName, m.w-width(row...)-width(words...)))
		row = append(row, m.groupCells(r, before, false)...)
		row = append(row, m.fitted(words, m.w-width(row...))...)
	case c.what == 0:
		row = append(row, m.groupCells(r, m.w-width(row...), true)...)
	default:
		row = append(row, m.groupCells(r, c.badge+c.name-1, false)...)
		_, words := m.groupCounts(r, m.dot())
		row = append(append(row, cell{text: " ", paint: m.paints.text}), m.fitted(words, c.what)...)
		row = append(row, cell{text: cells.Blank(spaced(c.usage)), paint: m.paints.text})
		row = append(row, cell{text: " " + cells.FitLeft(m.groupAge(r, c.age), c.age), paint: m.groupPaint(r)})
	}
	return m.join(row, &m.styles.Muted, selected)
}

// groupAge returns how long the jobs of a group have run, or how long ago the last of them ended.
func (m *Model) groupAge(r *row, w int) string {
	if r.need == statusbadge.Ended {
		return m.age(r.behind[0].newest(), w)
	}
	oldest := ""
	since := m.now
	for _, b := range r.behind {
		if j := b.Job; !j.Status.Finished() && !j.StartedAt.IsZero() && j.StartedAt.Before(since) {
			oldest, since = m.age(j, w), j.StartedAt
		}
	}
	return oldest
}

func (m *Model) groupPaint(r *row) border.Paint {
	if r.need == statusbadge.Ended {
		return m.paints.muted
	}
	return m.paints.text
}

// groupCells returns the name of a group in at most w columns and, if counted is set, the numbers of its jobs in
// each state: "●3 ✗1".
func (m *Model) groupCells(r *row, w int, counted bool) []cell {
	name := cell{text: " " + cells.Clean(r.group), paint: m.groupPaint(r)}
	var counts []cell
	if counted {
		counts, _ = m.groupCounts(r, "")
	}
	name.text = cells.Truncate(name.text, max(min(w, leastGroupName), w-width(counts...)), m.glyphs.Ellipsis)
	for len(counts) > 0 && width(name)+width(counts...) > w {
		counts = counts[:len(counts)-1]
	}
	row := append([]cell{name}, counts...)
	return append(row, cell{text: cells.Blank(w - width(row...)), paint: m.paints.text})
}

func (m *Model) dot() string { return " " + m.glyphs.Dot + " " }

// narrowGroup returns the name of a group and, aligned to the right, the numbers of its jobs in each state: in words
// if there is room for them.
func (m *Model) narrowGroup(r *row, w int) []cell {
	name := m.groupCells(r, w, false)[:1]
	glyphs, words := m.groupCounts(r, ", ")
	for _, counts := range [][]cell{words, glyphs} {
		if gap := w - width(name...) - width(counts...); gap >= 1 {
			return append(append(name, cell{text: cells.Blank(gap), paint: m.paints.text}), counts...)
		}
	}
	return m.groupCells(r, w, true)
}

// groupCounts returns the numbers of the jobs of a group in each state, with signs and with words:
// "4 up · 1 failed" if between is " · ".
func (m *Model) groupCounts(r *row, between string) (glyphs, words []cell) {
	var c statusbadge.Counts
	for _, b := range r.behind {
		c.Add(b.Job)
	}
	quiet := m.paints.muted
	failed := quiet
	if c.Failed > 0 {
		failed = m.paints.failed
	}
	needs := " need input"
	if c.Waiting == 1 {
		needs = " needs input"
	}
	for _, count := range []struct {
		n           int
		word, glyph string
		paint       border.Paint
	}{
		{c.Waiting, needs, m.glyphs.Waiting, m.badgePaint(&m.styles.Waiting)},
		{c.Restarting, " restarting", m.glyphs.Restarting, m.paints.warning},
		{c.Unhealthy, " unhealthy", m.glyphs.Running, m.paints.failed},
		{c.OnlyRunning(), " up", m.glyphs.Running, quiet},
		{c.Stale, " stale", m.glyphs.Starting, quiet},
		{c.Queued, " queued", m.glyphs.Queued, quiet},
		{c.Failed + c.Seen, " failed", m.glyphs.Failed, failed},
		{c.Done, " done", m.glyphs.Done, quiet},
		{c.Stopped, " stopped", m.glyphs.Stopped, quiet},
	} {
		if count.n == 0 {
			continue
		}
		n := strconv.Itoa(count.n)
		if len(words) > 0 {
			words = append(words, cell{text: between, paint: quiet})
		}
		words = append(words, cell{text: n + count.word, paint: count.paint})
		glyphs = append(glyphs, cell{text: " " + count.glyph + n, paint: count.paint})
	}
	return glyphs, words
}

// leastGroupName is the number of columns that the name of a group keeps before its counts are left out.
const leastGroupName = 8

func width(all ...cell) int {
	var b strings.Builder
	for _, c := range all {
		b.WriteString(c.text)
	}
	return cells.Width(b.String())
}
