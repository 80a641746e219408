package joblist

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
)

// Len returns the number of jobs, and of those that match the filter. With a project, it counts only jobs of that
// project.
func (m *Model) Len() (all, shown int) {
	m.settle()
	return len(m.order), len(m.passed)
}

// Passed returns the jobs that match the filter, in order, including folded ones.
func (m *Model) Passed() []engine.Job {
	m.settle()
	jobs := make([]engine.Job, 0, len(m.passed))
	for _, r := range m.passed {
		jobs = append(jobs, r.Job)
	}
	return jobs
}

// Measured returns the jobs whose usage matters for what the list shows: those in visible rows, or all that match
// the filter while they are sorted by usage.
func (m *Model) Measured() []engine.ID {
	m.settle()
	rows := m.passed
	if m.sort != byCPU && m.sort != byMemory {
		first, end := m.box.Window()
		rows = m.shown[first:end]
	}
	ids := make([]engine.ID, 0, len(rows))
	for _, r := range rows {
		if !r.stands() {
			ids = append(ids, r.Job.ID)
		}
	}
	return ids
}

// Window returns the index of the first visible row, and the number of all rows.
func (m *Model) Window() (top, rows int) {
	m.settle()
	return m.box.Top, m.box.Len
}

// Position returns the place of the selected job among all that match the filter, counted from 1 in the
// order shown, and their number. Jobs that are folded behind a row above count, too. The place is 0 if no
// job is selected.
func (m *Model) Position() (at, all int) {
	r := m.selectedRow()
	if r == nil || r.stands() {
		return 0, len(m.passed)
	}
	for _, above := range m.shown[:m.box.At] {
		switch {
		case !above.open:
			at += above.size()
		case !above.stands():
			at++
		}
	}
	return at + 1, len(m.passed)
}

// StepJob selects the next job if n is 1, the previous one if n is -1. It skips rows that stand for several jobs.
// It reports whether there is such a job.
func (m *Model) StepJob(n int) bool {
	m.settle()
	for i := m.box.At + n; i >= 0 && i < len(m.shown); i += n {
		if !m.shown[i].stands() {
			m.move(i)
			return true
		}
	}
	return false
}

// selectedRow returns the selected row, or nil if there is none.
func (m *Model) selectedRow() *row {
	m.settle()
	if len(m.shown) == 0 {
		return nil
	}
	return m.shown[m.box.At]
}

// Selected returns the job of the selected row, if it is one.
func (m *Model) Selected() (engine.Job, bool) {
	r := m.selectedRow()
	if r == nil || r.stands() {
		return engine.Job{}, false
	}
	return r.Job, true
}

// Select moves the selection to a job, unfolding its row; false if it is not in the list or the
// filter hides it.
func (m *Model) Select(id engine.ID) bool {
	m.settle()
	if m.rows[id] == nil {
		return false
	}
	before := m.selected
	if at := m.find(id); at >= 0 {
		m.move(at)
		if from := m.rows[id].Job.RestartedFrom; from != "" && from == before {
			m.stale = true // it was not folded while it was selected
		}
		return true
	}
	m.selected, m.stale = id, true // the selected row is never folded
	if m.settle(); m.selected == id {
		return true
	}
	m.selected, m.stale = before, true
	return false
}

// find returns the place of a job among the rows shown, or -1.
func (m *Model) find(id engine.ID) int {
	return slices.IndexFunc(m.shown, func(r *row) bool { return r.Job.ID == id })
}

// Click takes a click at column x of line y and reports whether it selected a job. On a heading it
// sorts. On the row of folded jobs it unfolds them or folds them again; on that of a group, only at its mark.
func (m *Model) Click(x, y int) (job bool) {
	m.settle()
	head := m.HeaderRows()
	if y == 0 && head > 0 {
		m.sortAt(x)
		return false
	}
	lines := m.lines()
	if y < head || y-head >= len(lines) {
		return false
	}
	at := lines[y-head]
	if at < 0 { // a blank line
		return false
	}
	m.move(at)
	if m.shown[at].group != "" && x > 2 {
		return false
	}
	return !m.ToggleFold()
}

// ToggleMark marks or unmarks the selected row and moves to the next one. On the row of a group it marks
// all jobs of the group, or none if all are marked, and unfolds them.
func (m *Model) ToggleMark() {
	r := m.selectedRow()
	switch {
	case r == nil:
		return
	case r.stands():
		m.toggleGroup(r)
		return
	}
	r.marked = !r.marked
	m.move(m.box.At + 1)
}

func (m *Model) toggleGroup(r *row) {
	if r.group == "" {
		return
	}
	mark := slices.ContainsFunc(r.behind, func(b *row) bool { return !b.stands() && !b.marked })
	for _, b := range r.behind {
		b.marked = mark && !b.stands()
	}
	if mark && !r.open {
		m.setFold(true)
	}
}

// Unmark removes all marks; it reports whether there were any.
func (m *Model) Unmark() bool {
	any := false
	for _, r := range m.rows {
		if r.marked {
			any, r.marked = true, false
		}
	}
	return any
}

// Marked returns the marked jobs in the order shown. Marks of rows that the
// filter hides are ignored, so that no action affects invisible jobs.
func (m *Model) Marked() []engine.Job {
	m.settle()
	var jobs []engine.Job
	for _, r := range m.shown {
		if r.marked {
			jobs = append(jobs, r.Job)
		}
	}
	return jobs
}

// Scroll moves the window by n rows, for the mouse wheel. The selection stays in the window.
func (m *Model) Scroll(n int) {
	m.settle()
	m.box.Pan(n)
	m.moved()
}

// Update moves the selection, folds and unfolds.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	m.settle()
	rows, ok := m.keys.Rows(press, m.box.Rows)
	switch {
	case ok:
		m.move(m.box.At + rows)
	case keymap.Match(press, m.keys.Unfold):
		m.setFold(true)
	case keymap.Match(press, m.keys.Fold):
		m.setFold(false)
	}
	return nil
}

// move puts the selection on row i, or the nearest one.
func (m *Model) move(i int) {
	m.box.Step(i - m.box.At)
	m.moved()
}

// moved follows a change of the selected row.
func (m *Model) moved() {
	m.selected = ""
	if len(m.shown) > 0 {
		m.selected = m.shown[m.box.At].Job.ID
	}
}

// fit fits the window to the rows and to the size.
func (m *Model) fit() {
	m.box.Len, m.box.Rows = len(m.shown), m.h-m.HeaderRows()
	m.box.Step(0)
	m.space()
}

// Cursor returns a cursor on the selected row, so that screen readers and magnifiers follow it;
// nil without rows.
func (m *Model) Cursor() *tea.Cursor {
	m.settle()
	y := slices.Index(m.lines(), m.box.At)
	if m.w == 0 || y < 0 {
		return nil
	}
	return tea.NewCursor(0, m.HeaderRows()+y)
}
