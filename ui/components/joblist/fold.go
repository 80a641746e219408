package joblist

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// Rows can be folded behind another row in the default order without a filter:
//
//   - old finished jobs behind a row such as "62 older",
//   - earlier runs of a restarted job behind its newest run,
//   - the jobs of a group behind a row with its name (see group.go).
//
// A job that needs input, runs, or has failed unseen is folded only if the user folds its group. The
// selected job is never folded, nor are marked old jobs and marked earlier runs.

const (
	recentEnds = 10 // ended jobs that are never folded
	leastFold  = 3  // fewer old jobs are not folded
)

// foldID stands for the row of the folded jobs; no job has it.
const foldID engine.ID = "/"

// stands reports whether a row is not for a job, but for the rows folded behind it.
func (r *row) stands() bool { return strings.HasPrefix(string(r.Job.ID), string(foldID)) }

// size is the number of jobs in a row and behind it.
func (r *row) size() int {
	n := 1
	if r.stands() {
		n = 0
	}
	for _, b := range r.behind {
		n += b.size()
	}
	return n
}

// folded returns the visible rows among those that match the filter.
func (m *Model) folded(rows []*row) []*row {
	for _, r := range rows {
		r.behind, r.in, r.depth = nil, "", 0
	}
	if m.fold == nil || m.filter.text != "" || m.sort != byNeed || m.reversed {
		return rows
	}
	rows = m.grouped(m.chained(rows))
	recent, old := m.split(rows)
	m.fold.behind = old
	if m.fold.size() < leastFold {
		recent, m.fold.behind = rows, nil
	}
	shown := make([]*row, 0, len(rows)+1)
	for _, r := range recent {
		shown = m.withBehind(shown, r, 0)
	}
	if len(m.fold.behind) > 0 {
		shown = m.withBehind(shown, m.fold, 0)
	}
	return shown
}

// withBehind adds a row, and those behind it if they are unfolded.
func (m *Model) withBehind(shown []*row, r *row, depth int) []*row {
	r.depth = depth
	shown = append(shown, r)
	if r != m.fold {
		depth++
	}
	r.open = m.unfolded(r)
	for _, b := range r.behind {
		if b.in = r.Job.ID; r.open {
			shown = m.withBehind(shown, b, depth)
		}
	}
	return shown
}

// unfolded reports whether the rows behind a row are to be shown.
func (m *Model) unfolded(r *row) bool {
	open, chosen := m.open[r.Job.ID]
	if r.group == "" {
		return open
	}
	return open || r.holds(m.selected) || !chosen && slices.ContainsFunc(r.behind, func(b *row) bool { return !m.mayFold(b) })
}

// holds reports whether the row of a job is behind a row.
func (r *row) holds(id engine.ID) bool {
	return slices.ContainsFunc(r.behind, func(b *row) bool { return b.Job.ID == id || b.holds(id) })
}

// chained moves the earlier runs of restarted jobs behind the newest, and returns the others.
func (m *Model) chained(rows []*row) []*row {
	next := map[engine.ID]*row{} // the newest restart of a job
	for _, r := range rows {
		from := r.Job.RestartedFrom
		if from != "" && (next[from] == nil || next[from].Job.CreatedAt.Before(r.Job.CreatedAt)) {
			next[from] = r
		}
	}
	if len(next) == 0 {
		return rows
	}
	kept := make([]*row, 0, len(rows))
	for _, r := range rows {
		newest := r
		for range len(rows) { // records that refer to each other end it, too
			n := next[newest.Job.ID]
			if n == nil {
				break
			}
			newest = n
		}
		if newest == r || next[newest.Job.ID] != nil || !m.mayFold(r) {
			kept = append(kept, r)
			continue
		}
		newest.behind = append(newest.behind, r)
	}
	return kept
}

// split divides rows into those that are always shown and the old ones.
func (m *Model) split(rows []*row) (recent, old []*row) {
	ended := 0
	for _, r := range rows {
		if r.need == statusbadge.Ended {
			ended++
		}
		if ended <= recentEnds || !m.mayFold(r) && !m.open[foldID] {
			recent = append(recent, r)
		} else {
			old = append(old, r)
		}
	}
	return recent, old
}

// mayFold reports whether a row may be folded although the user has not asked for it.
func (m *Model) mayFold(r *row) bool {
	if r.need != statusbadge.Ended || r.marked || r.Job.ID == m.selected {
		return false
	}
	return r.group == "" || !slices.ContainsFunc(r.behind, func(b *row) bool { return !m.mayFold(b) })
}

// OnFold reports whether the selected row is not that of a job but stands for others, and whether they
// are shown.
func (m *Model) OnFold() (on, unfolded bool) {
	r := m.selectedRow()
	on = r != nil && r.stands()
	return on, on && r.open
}

// Folded returns the jobs that the selected row stands for, and their group; none if it is a job. The
// earlier runs of the jobs of a group are not among them, as they are not counted in its row.
func (m *Model) Folded() (group string, jobs []engine.Job) {
	if on, _ := m.OnFold(); !on {
		return "", nil
	}
	var add func(rows []*row)
	add = func(rows []*row) {
		for _, r := range rows {
			if !r.stands() {
				jobs = append(jobs, r.Job)
			}
			if group == "" {
				add(r.behind)
			}
		}
	}
	r := m.selectedRow()
	group = r.group
	add(r.behind)
	return group, jobs
}

// ToggleFold folds or unfolds the jobs that the selected row stands for; false if it is a job.
func (m *Model) ToggleFold() bool {
	on, unfolded := m.OnFold()
	if on {
		m.setFold(!unfolded)
	}
	return on
}

// setFold folds or unfolds what is behind the selected row or, if that is behind another one, folds
// that and selects it.
func (m *Model) setFold(unfold bool) {
	r := m.selectedRow()
	switch {
	case r == nil:
		return
	case len(r.behind) > 0 && r.open != unfold:
		m.open[r.Job.ID] = unfold
	case r.in != "" && !unfold:
		m.open[r.in], m.selected = false, r.in
	default:
		return
	}
	m.stale = true
}

// foldMark is the sign before what is folded or unfolded.
func (m *Model) foldMark(unfolded bool) string {
	if unfolded {
		return m.glyphs.Unfolded
	}
	return m.glyphs.Folded
}

// foldRow draws a row that stands for others: how many or what they do, and when the newest of them ended.
func (m *Model) foldRow(r *row, c columns, selected bool) string {
	bar := cell{text: " ", paint: m.paints.text}
	if selected {
		bar = cell{text: m.glyphs.Cursor, paint: m.paints.accent}
	}
	row := []cell{bar, {text: m.foldMark(r.open), paint: m.paints.muted}}
	if r == m.fold {
		row = append(row, cell{text: " " + strconv.Itoa(r.size()) + " older", paint: m.paints.muted})
	} else {
		row = append(row, m.groupCells(r)...)
	}
	used := 0
	for _, c := range row {
		used += cells.Width(c.text)
	}
	end := c.time + 1 + c.end // what is right of the column
	ago := m.endedAgo(r.behind[0].newest(), c)
	if room := m.w - used - end; ago != "" && r.need == statusbadge.Ended && cells.Width(ago) < room {
		row = append(row, cell{text: cells.FitLeft(ago, room), paint: m.paints.muted})
	}
	return m.join(row, m.styles.Muted, selected)
}

// newest returns the first job of a row.
func (r *row) newest() engine.Job {
	for r.stands() {
		r = r.behind[0]
	}
	return r.Job
}

// In the usual order, and where all rows have room with that, a blank line separates what needs
// input, what runs, the failures to be looked at and what has ended.

// begins reports whether row i is the first of such a section below another one.
func (m *Model) begins(i int) bool {
	if i == 0 || m.shown[i].depth > 0 {
		return false
	}
	before := i - 1
	for before > 0 && m.shown[before].depth > 0 { // it is in the section of the row that it is behind
		before--
	}
	return m.shown[i].need != m.shown[before].need
}

// space decides whether the sections are separated.
func (m *Model) space() {
	m.spaced = false
	if m.HeaderRows() == 0 || m.sort != byNeed || m.reversed || len(m.shown) > m.box.Rows {
		return
	}
	lines := len(m.shown)
	for i := range m.shown {
		if m.begins(i) {
			lines++
		}
	}
	m.spaced = lines <= m.box.Rows
}

// lines returns which row is in each line below the header; -1 is a blank line.
func (m *Model) lines() []int {
	first, end := m.box.Window()
	lines := make([]int, 0, max(0, m.box.Rows))
	for i := first; i < end; i++ {
		if m.spaced && m.begins(i) {
			lines = append(lines, -1)
		}
		lines = append(lines, i)
	}
	return lines
}
