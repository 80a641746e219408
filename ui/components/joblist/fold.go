package joblist

import (
	"strconv"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// In the usual order, and unless a filter is set, two kinds of ended jobs are folded: all but the
// newest behind a row of their own ("62 older"), and the earlier runs of a restarted job behind its
// newest run. A job that needs input, runs, or failed unseen is never folded, nor is one that is
// marked or selected.

const (
	recentEnds = 10 // ended jobs that are never folded
	leastFold  = 3  // fewer are not worth a fold
)

// foldID stands for the row of the folded jobs; no job has it.
const foldID engine.ID = "/"

// folded returns the rows to be shown of those that the filter leaves.
func (m *Model) folded(rows []*row) []*row {
	for _, r := range rows {
		r.earlier, r.newest, r.old = nil, "", false
	}
	if m.fold == nil || m.filter.text != "" || m.sort != ByNeed || m.reversed {
		return rows
	}
	rows = m.chained(rows)
	recent, old, hidden := m.split(rows)
	if hidden < leastFold {
		recent, old, hidden = rows, nil, 0
	}
	shown := make([]*row, 0, len(rows)+1)
	for _, r := range recent {
		shown = m.withEarlier(shown, r)
	}
	if hidden == 0 {
		return shown
	}
	m.fold.earlier = old
	m.hidden = hidden
	shown = append(shown, m.fold)
	for _, r := range old {
		if r.old = true; m.unfolded {
			shown = m.withEarlier(shown, r)
		}
	}
	return shown
}

// withEarlier adds a row, and its earlier runs if they are unfolded.
func (m *Model) withEarlier(shown []*row, r *row) []*row {
	shown = append(shown, r)
	for _, e := range r.earlier {
		if e.newest = r.Job.ID; m.open[r.Job.ID] {
			shown = append(shown, e)
		}
	}
	return shown
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
		newest.earlier = append(newest.earlier, r)
	}
	return kept
}

// split divides rows into those that are always shown and the old ones, and counts the jobs that
// the latter stand for.
func (m *Model) split(rows []*row) (recent, old []*row, hidden int) {
	ended := 0
	for _, r := range rows {
		if r.need == statusbadge.Ended {
			ended++
		}
		if ended <= recentEnds || !m.mayFold(r) && !m.unfolded {
			recent = append(recent, r)
			continue
		}
		old = append(old, r)
		hidden += 1 + len(r.earlier)
	}
	return recent, old, hidden
}

func (m *Model) mayFold(r *row) bool {
	return r.need == statusbadge.Ended && !r.marked && r.Job.ID != m.selected
}

// OnFold reports whether the selected row stands for folded jobs, and whether they are shown.
func (m *Model) OnFold() (on, unfolded bool) {
	r := m.selectedRow()
	return r != nil && r == m.fold, m.unfolded
}

// Folded returns the jobs that the row of the folded jobs stands for.
func (m *Model) Folded() []engine.Job {
	m.settle()
	if m.fold == nil {
		return nil
	}
	jobs := make([]engine.Job, 0, m.hidden)
	for _, r := range m.fold.earlier {
		jobs = append(jobs, r.Job)
		for _, e := range r.earlier {
			jobs = append(jobs, e.Job)
		}
	}
	return jobs
}

// ToggleFold folds or unfolds the jobs that the selected row stands for; false if it is a job.
func (m *Model) ToggleFold() bool {
	on, unfolded := m.OnFold()
	if on {
		m.setFold(!unfolded)
	}
	return on
}

// setFold folds or unfolds what the selected row stands for or belongs to, and selects the row that
// stays.
func (m *Model) setFold(unfold bool) {
	r := m.selectedRow()
	switch {
	case r == nil:
		return
	case r == m.fold:
		m.unfolded = unfold
	case r.newest != "" && !unfold:
		delete(m.open, r.newest)
		m.selected = r.newest
	case len(r.earlier) > 0 && m.open[r.Job.ID] != unfold:
		m.open[r.Job.ID] = unfold
	case r.old && !unfold:
		m.unfolded, m.selected = false, foldID
	default:
		return
	}
	m.stale, m.drawn = true, false
}

// foldMark is the sign before what is folded or unfolded.
func (m *Model) foldMark(unfolded bool) string {
	if unfolded {
		return m.glyphs.Unfolded
	}
	return m.glyphs.Folded
}

// foldRow draws the row of the folded jobs: how many, and when the newest of them ended.
func (m *Model) foldRow(c columns, selected bool) string {
	bar := cell{text: " ", paint: m.paints.name}
	if selected {
		bar = cell{text: m.glyphs.Cursor, paint: m.paints.cursor}
	}
	text := cell{text: m.foldMark(m.unfolded), paint: m.paints.finished}
	words := cell{text: " " + strconv.Itoa(m.hidden) + " older", paint: m.paints.finished}
	row := []cell{bar, text, words}
	if ago := m.endedAgo(m.fold.earlier[0].Job, c); ago != "" {
		used := cells.Width(bar.text + text.text + words.text)
		end := c.time + 1 + c.end // what is right of the column
		row = append(row, cell{text: cells.FitLeft(ago, m.w-used-end), paint: m.paints.finished})
	}
	return m.join(row, m.styles.Finished, selected)
}

// In the usual order, and where all rows have room with that, a blank line separates what needs
// input, what runs, the failures to be looked at and what has ended.

// begins reports whether row i is the first of a group below another one.
func (m *Model) begins(i int) bool {
	if i == 0 || m.shown[i].newest != "" {
		return false
	}
	before := i - 1
	for before > 0 && m.shown[before].newest != "" { // earlier runs are in the group of the newest
		before--
	}
	return m.shown[i].need != m.shown[before].need
}

// space decides whether the groups are separated.
func (m *Model) space() {
	m.spaced = false
	if m.HeaderRows() == 0 || m.sort != ByNeed || m.reversed || len(m.shown) > m.box.Rows {
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
