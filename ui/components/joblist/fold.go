package joblist

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// Rows can be folded behind another row in the default order without a filter:
//
//   - old finished jobs behind a row such as "62 older",
//   - earlier runs of a restarted job behind its newest run,
//   - jobs that have ended like the one after them behind that, as "lint ×4",
//   - the jobs of a group behind a row with its name.
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

// standing returns a row with this id that stands for others.
func standing(id engine.ID) *row {
	return &row{Row: Row{Job: engine.Job{Request: engine.Request{ID: id}}}}
}

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

// folds reports whether rows are folded now: a filter and an order that the user chose show all rows.
func (m *Model) folds() bool { return m.fold != nil && m.filter.text == "" && m.inDefaultOrder() }

// folded returns the visible rows among those that match the filter.
func (m *Model) folded(rows []*row) []*row {
	for _, r := range rows {
		r.behind, r.in, r.depth, r.alike = nil, "", 0, false
	}
	if !m.folds() {
		return rows
	}
	rows = m.joined(m.grouped(m.chained(rows)))
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
	switch {
	case open, r.group == "":
		return open
	case r.holds(m.selected):
		return true
	}
	return !chosen && (m.project != nil || !m.mayFoldAll(r.behind))
}

// holds reports whether the row of a job is behind a row.
func (r *row) holds(id engine.ID) bool {
	for _, b := range r.behind {
		if b.Job.ID == id || b.holds(id) {
			return true
		}
	}
	return false
}

// chained moves the earlier runs of restarted jobs behind the newest, and returns the others.
func (m *Model) chained(rows []*row) []*row {
	next := map[engine.ID]*row{} // the newest restart of a job
	for _, r := range rows {
		from := r.Job.RestartedFrom
		if from == "" {
			continue
		}
		if known := next[from]; known == nil || known.Job.CreatedAt.Before(r.Job.CreatedAt) {
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
		circular := next[newest.Job.ID] != nil
		switch {
		case newest == r, circular, !m.mayFold(r):
			kept = append(kept, r)
		default:
			newest.behind = append(newest.behind, r)
		}
	}
	return kept
}

// joined moves jobs that have ended in the same way as the one after them, which is the row above,
// behind that.
func (m *Model) joined(rows []*row) []*row {
	kept := make([]*row, 0, len(rows))
	var head *row
	for _, r := range rows {
		switch {
		case head == nil, !head.endedLike(r), !m.mayJoin(r):
			head = r
			kept = append(kept, r)
		default:
			head.behind, head.alike = append(head.behind, r), true
		}
	}
	return kept
}

// endedLike reports whether b looks the same as r in the list, but for when it ended.
func (r *row) endedLike(b *row) bool {
	hasEarlierRuns := len(r.behind) > 0 && !r.alike
	switch {
	case !r.Job.Status.Finished(), r.stands(), b.stands(), hasEarlierRuns, len(b.behind) > 0:
		return false
	}
	return r.looks() == b.looks() && sameReason(&r.Job, &b.Job)
}

// looks has what a list shows of a finished job, except its summary and when it ended.
type looks struct {
	name, host, createdBy string
	need                  statusbadge.Need
	word                  string
}

func (r *row) looks() looks {
	return looks{
		name:      r.Job.Name,
		host:      r.Job.Host,
		createdBy: r.Job.CreatedBy,
		need:      r.need,
		word:      statusbadge.Word(r.Job),
	}
}

// sameReason reports whether two jobs of one name have ended for the same reason; any success is one.
func sameReason(p, q *engine.Job) bool {
	return !p.Unsuccessful() || p.Exit.Summary == q.Exit.Summary
}

// mayJoin reports whether a row may be folded behind one that looks the same.
func (m *Model) mayJoin(r *row) bool {
	switch {
	case r.marked, r.Job.ID == m.selected, len(r.Job.Exit.Survivors) > 0:
		return false
	}
	return true
}

// Alike returns the jobs that are folded behind the selected one because they have ended as it has. A user who has seen
// that one has seen all of them.
func (m *Model) Alike() []engine.ID {
	r := m.selectedRow()
	if r == nil || !r.alike || r.open {
		return nil
	}
	ids := make([]engine.ID, len(r.behind))
	for i, b := range r.behind {
		ids[i] = b.Job.ID
	}
	return ids
}

// split divides rows into those that are always shown and the old ones.
func (m *Model) split(rows []*row) (recent, old []*row) {
	ended := 0
	unfolded := m.open[foldID]
	for _, r := range rows {
		if r.need == statusbadge.Ended {
			ended++
		}
		isOld := ended > recentEnds
		if isOld && (unfolded || m.mayFold(r)) {
			old = append(old, r)
		} else {
			recent = append(recent, r)
		}
	}
	return recent, old
}

// mayFold reports whether a row may be folded although the user has not asked for it.
func (m *Model) mayFold(r *row) bool {
	switch {
	case r.need != statusbadge.Ended, r.marked, r.Job.ID == m.selected:
		return false
	case r.group == "":
		return true
	}
	return m.mayFoldAll(r.behind)
}

func (m *Model) mayFoldAll(rows []*row) bool {
	return !slices.ContainsFunc(rows, func(r *row) bool { return !m.mayFold(r) })
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

// newest returns the first job of a row.
func (r *row) newest() engine.Job {
	for r.stands() {
		r = r.behind[0]
	}
	return r.Job
}

// The jobs of a project that hob up has started are a group: they stand together behind a row with the
// group's name, in the place of the one that needs the user most. They are unfolded until all have ended.

// The labels of the jobs of a group. Projects in different directories may have the same group.
const (
	groupLabel   = "group"
	projectLabel = "project"
)

// leastGroup is the number of rows from which on a group has a row of its own.
const leastGroup = 2

// groupOf returns the id of the row of a job's group; "" if it has none.
func groupOf(j engine.Job) engine.ID {
	if j.Labels[groupLabel] == "" {
		return ""
	}
	return foldID + engine.ID(j.Labels[groupLabel]+"/"+j.Labels[projectLabel])
}

// grouped moves the rows of groups behind those of the groups.
func (m *Model) grouped(rows []*row) []*row {
	least := leastGroup
	switch {
	case m.project != nil:
		least = 1
	case !m.groups:
		return rows
	}
	sizes := map[engine.ID]int{}
	for _, r := range rows {
		sizes[groupOf(r.Job)]++
	}
	heads := map[engine.ID]*row{}
	kept := make([]*row, 0, len(rows))
	for _, r := range rows {
		id := groupOf(r.Job)
		if id == "" || sizes[id] < least {
			kept = append(kept, r)
			continue
		}
		head := heads[id]
		if head == nil {
			head = standing(id)
			head.group, head.need = r.Job.Labels[groupLabel], r.need
			heads[id] = head
			kept = append(kept, head)
		}
		head.behind = append(head.behind, r)
	}
	inOrder := compareInGroup
	if m.project != nil {
		inOrder = m.project.compare
	}
	for _, head := range heads {
		slices.SortStableFunc(head.behind, inOrder)
	}
	return kept
}

// compareInGroup puts jobs that run in the order in which they were started, which is that of the
// project's file.
func compareInGroup(a, b *row) int {
	if a.need != b.need {
		return cmp.Compare(a.need, b.need)
	}
	switch a.need {
	case statusbadge.Waits, statusbadge.NeedsLook, statusbadge.Ended:
		return 0
	case statusbadge.NeedsInput, statusbadge.Restarts, statusbadge.FailsChecks, statusbadge.Runs:
	}
	return cmp.Or(a.began.Compare(b.began), a.Job.CreatedAt.Compare(b.Job.CreatedAt))
}
