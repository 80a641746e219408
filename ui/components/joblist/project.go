package joblist

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/border"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// A list may be limited to a project: to the jobs of one group, in the order of the project's file. It is
// narrower than the list of all jobs. The row of a job has how long it has run and its ports, or how long it ran
// and when it ended. The column What, which shows what the job is doing, is added if there is room.

// Project is what a list is limited to.
type Project struct {
	Name   string            // of the group
	Labels map[string]string // of its jobs
	Order  []string          // names of the processes
}

// processLabel is the label with the name of a job's process.
const processLabel = "process"

const (
	stateWidth = 18 // "after 2s · 19m ago"
	ranWidth   = 6  // "19m", before the ports
	leastState = 12 // "19m   :25198"
	stateGap   = 3  // between state and What
	nameGap    = 2  // after the longest name
)

// SetProject limits the list to a project; nil shows all jobs.
func (m *Model) SetProject(p *Project) {
	m.project = p
	m.stale = true
}

// Project returns what the list is limited to, or nil.
func (m *Model) Project() *Project { return m.project }

// has reports whether a job belongs to the project. If p is nil, every job does.
func (p *Project) has(j *engine.Job) bool {
	if p == nil {
		return true
	}
	f := engine.Filter{Labels: p.Labels}
	return f.Selects(j)
}

// place returns the place of a job's process in the file. Others are after all of them.
func (p *Project) place(j *engine.Job) int {
	i := slices.Index(p.Order, cmp.Or(j.Labels[processLabel], j.Name))
	if i < 0 {
		return len(p.Order)
	}
	return i
}

func (p *Project) compare(a, b *row) int {
	return cmp.Or(cmp.Compare(p.place(&a.Job), p.place(&b.Job)), a.began.Compare(b.began), a.Job.CreatedAt.Compare(b.Job.CreatedAt))
}

// inProject reports whether the rows have the columns of a project. A narrow list has its usual columns.
func (m *Model) inProject() bool { return m.project != nil && m.w >= leastBadges }

// Total returns the number of all jobs, whether or not they belong to the project.
func (m *Model) Total() int { return len(m.rows) }

// InFileOrder reports whether the list shows the processes of a project in the order of its file.
func (m *Model) InFileOrder() bool {
	m.settle()
	return m.head() != nil && len(m.project.Order) > 0
}

// Counts counts the jobs of the project; without a project, all jobs.
func (m *Model) Counts() (c statusbadge.Counts) {
	m.settle()
	for _, r := range m.order {
		c.Add(r.Job)
	}
	return c
}

// Narrowed returns the group to which the list is limited, by a project or a filter such as "group:shop", and
// counts its jobs. Like the row of a group, it does not count earlier runs that are folded. It returns "" if the
// list may show other jobs.
func (m *Model) Narrowed() (group string, n int, c statusbadge.Counts) {
	m.settle()
	switch {
	case m.project != nil:
		group = m.project.Name
	case len(m.passed) > 0 && slices.ContainsFunc(m.filter.fields, func(f field) bool { return f.name == "group" }):
		group = m.passed[0].Job.Labels[groupLabel]
	}
	if group == "" {
		return "", 0, c
	}
	rows := m.passed
	if head := m.head(); head != nil {
		rows = head.behind
	}
	for _, r := range rows {
		if r.Job.Labels[groupLabel] != group {
			return "", 0, c
		}
		c.Add(r.Job)
	}
	return group, len(rows), c
}

// head returns the row of the project's group, or nil.
func (m *Model) head() *row {
	switch {
	case m.project == nil, !m.folds(), len(m.shown) == 0:
		return nil
	}
	if first := m.shown[0]; first.group != "" {
		return first
	}
	return nil
}

// projectColumns returns the widths of the columns in a project.
func (m *Model) projectColumns() columns {
	c := columns{bar: 1, badge: statusbadge.Width, state: stateWidth}
	switch m.sort {
	case byCPU:
		c.usage = cpuWidth
	case byMemory:
		c.usage = memoryWidth
	case byNeed, byName, byAge, byHost, byTime, sorts, unsorted:
	}
	room := max(0, m.w-c.bar-c.badge-spaced(c.usage))
	c.name = max(min(m.longest+nameGap, room-leastState), min(room, leastBeside))
	c.state = max(0, min(stateWidth, room-c.name))
	if what := room - c.name - c.state - stateGap; what >= leastWhat {
		c.what = what
	}
	return c
}

// Needs returns the size that the list of a project needs without the column What; 0 if there is no project.
func (m *Model) Needs() (w, h int) {
	if m.settle(); m.project == nil || len(m.shown) == 0 {
		return 0, 0
	}
	return max(leastProject, 1+statusbadge.Width+m.longest+nameGap+stateWidth+1), len(m.shown)
}

// longestName returns the width of the longest name that is shown, with its marks.
func (m *Model) longestName() int {
	longest := 0
	for _, r := range m.shown {
		if !r.stands() {
			longest = max(longest, m.named(r).width())
		}
	}
	return longest
}

// leastProject is the minimum width of the list. It suffices for most names, so that a mark after a name rarely changes
// the width. maxName is wider than any name that is shown.
const leastProject, maxName = 44, 60

// state returns how long a job of a project has run and its ports, or how long it ran and when it ended.
func (m *Model) state(r *row, c columns) string {
	j := &r.Job
	if !j.Status.Finished() {
		text := cells.Fit(m.time(r, columns{age: ranWidth - 1}), ranWidth)
		if words := m.time(r, columns{age: c.state}); cells.Width(words) > ranWidth-1 {
			text = words + " " // such as "kill 3s"
		}
		for _, port := range j.Ports {
			text += ":" + strconv.Itoa(port) + " "
		}
		return cells.Truncate(strings.TrimRight(text, " "), c.state, m.glyphs.Ellipsis)
	}
	ended := m.age(*j, c.state)
	if j.Uptime(m.now) <= 0 {
		return ended
	}
	both := "after " + units.FormatDuration(j.Uptime(m.now)) + " " + m.glyphs.Dot + " " + ended
	if cells.Width(both) <= c.state {
		return both
	}
	return ended
}

// processCells returns the cells after the name of a job in a project.
func (m *Model) processCells(r *row, c columns, pick func(border.Paint) border.Paint) []cell {
	row := []cell{{text: cells.Fit(m.state(r, c), c.state), paint: pick(m.paints.text)}}
	if c.what == 0 {
		return row
	}
	said := m.what(r)
	said = slices.DeleteFunc(said, func(c cell) bool { return c.kept }) // the ports are in the state
	inState := "port "
	if r.Job.Status.Finished() {
		inState = "ran "
	}
	if strings.HasPrefix(said[0].text, inState) {
		return row
	}
	return append(append(row, cell{text: cells.Blank(stateGap), paint: m.paints.text}), m.fitted(said, c.what)...)
}
