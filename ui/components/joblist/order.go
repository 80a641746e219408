package joblist

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

type sorting int

// The orders.
const (
	byNeed sorting = iota // needs input, running, failures to be looked at, then what ended last
	byName
	byAge // what has started or ended last first
	byHost
	byCPU
	byMemory
	byTime // what runs or ran longest first
	sorts

	unsorted sorting = -1 // of a column that the list cannot be sorted by
)

var orders = [sorts]string{"by need", "by name", "by age", "by host", "by CPU", "by memory", "by run time"}

// Order describes the order: "by name", "by name, reversed".
func (m *Model) Order() string {
	if m.reversed {
		return orders[m.sort] + ", reversed"
	}
	return orders[m.sort]
}

// SortNote names the sort order if it is not the default and no header row shows it.
func (m *Model) SortNote() string {
	m.settle()
	if m.inDefaultOrder() || m.sortedInHeader() {
		return ""
	}
	return m.Order()
}

// inDefaultOrder reports whether the user has not chosen another order.
func (m *Model) inDefaultOrder() bool { return m.sort == byNeed && !m.reversed }

// NextSort changes to the next order.
func (m *Model) NextSort() {
	m.sort, m.reversed = (m.sort+1)%sorts, false
	if m.sort == byHost && m.hosts == 0 {
		m.sort++
	}
	m.stale = true
}

// ReverseSort turns the order around.
func (m *Model) ReverseSort() {
	m.reversed = !m.reversed
	m.stale = true
}

// descending reports whether the column that the list is sorted by shows the largest value first.
func (m *Model) descending() bool {
	switch m.sort {
	case byCPU, byMemory, byTime:
		return !m.reversed
	case byNeed, byName, byAge, byHost, sorts, unsorted:
	}
	return m.reversed
}

// rank is what a job's place in the list depends on, and whether the filter shows it. Most changes of
// a job do not change its rank, and with many jobs there are many changes a second.
type rank struct {
	state       statusbadge.State
	status      engine.Status
	place       int
	betweenRuns bool
	created     time.Time
	ended       time.Time
	name        string
	host        string
	script      string
	usage       float64 // what the list is sorted by, if that is CPU or memory
}

func (m *Model) rankOf(j engine.Job) rank {
	r := rank{
		state:       statusbadge.StateOf(j),
		status:      j.Status,
		place:       place(j),
		betweenRuns: j.Runs.Between(),
		created:     j.CreatedAt,
		ended:       j.Exit.At,
		name:        j.Name,
		host:        j.Host,
		script:      j.Script,
	}
	switch m.sort {
	case byCPU:
		r.usage = cpu(j)
	case byMemory:
		r.usage = float64(j.RSS)
	case byNeed, byName, byAge, byHost, byTime, sorts, unsorted:
	}
	return r
}

// settle brings order, filter and selection up to date.
func (m *Model) settle() {
	if !m.stale {
		return
	}
	m.stale = false
	m.order = m.order[:0]
	for _, r := range m.rows {
		if !m.project.has(&r.Job) {
			continue
		}
		r.began, r.need = m.began(r.Job), statusbadge.NeedOf(r.Job)
		m.order = append(m.order, r)
	}
	slices.SortFunc(m.order, m.compare)

	m.passed = m.filter.apply(m.order)
	m.shown = m.folded(m.passed)
	m.longest = m.longestName()

	m.fit()
	// The selection stays on its job; if that is gone, on its place.
	at := m.find(m.selected)
	if m.selected == "" && m.project == nil { // of a new list, the first job
		at = max(0, slices.IndexFunc(m.shown, func(r *row) bool { return !r.stands() }))
	}
	if m.seeking {
		m.seeking = false
		if best := m.best(); best >= 0 {
			at = best
		}
		at = max(0, at)
	}
	if at < 0 {
		at = m.box.At
	}
	m.move(at)
}

// place returns the job's place in its queue; a large number if it is not known.
func place(j engine.Job) int {
	if j.Pending == nil || j.Pending.Position == 0 {
		return math.MaxInt
	}
	return j.Pending.Position
}

func (m *Model) compare(a, b *row) int {
	return cmp.Or(m.compareBy(a, b), b.began.Compare(a.began), b.Job.CreatedAt.Compare(a.Job.CreatedAt), strings.Compare(string(a.Job.ID), string(b.Job.ID)))
}

// compareBy compares what the list is sorted by. Jobs without such a value are last, also in the
// reversed order.
func (m *Model) compareBy(a, b *row) (c int) {
	hasA, hasB := m.hasValue(a.Job), m.hasValue(b.Job)
	if hasA != hasB {
		if hasA {
			return -1
		}
		return 1
	}
	switch m.sort {
	case byNeed:
		c = compareByNeed(a, b)
	case byName:
		c = natural(a.Job.Name, b.Job.Name)
	case byHost:
		c = strings.Compare(a.Job.Host, b.Job.Host)
	case byCPU:
		c = cmp.Compare(cpu(b.Job), cpu(a.Job))
	case byMemory:
		c = cmp.Compare(b.Job.RSS, a.Job.RSS)
	case byAge:
		c = b.changed().Compare(a.changed())
	case byTime:
		c = cmp.Compare(b.Job.Uptime(m.now), a.Job.Uptime(m.now))
	case sorts, unsorted:
	}
	if m.reversed {
		c = -c
	}
	return c
}

// compareByNeed puts the jobs of a queue in its order, and of the others what ended last first.
func compareByNeed(a, b *row) int {
	if a.need != b.need {
		return cmp.Compare(a.need, b.need)
	}
	ended := endedAt(b.Job).Compare(endedAt(a.Job))
	if a.need == statusbadge.Waits {
		return cmp.Or(cmp.Compare(place(a.Job), place(b.Job)), a.Job.CreatedAt.Compare(b.Job.CreatedAt), ended)
	}
	return ended
}

// changed is when a job was started or, once it has ended, when it ended.
func (r *row) changed() time.Time {
	if at := endedAt(r.Job); !at.IsZero() {
		return at
	}
	return r.began
}

// hasValue reports whether a job has what the list is sorted by.
func (m *Model) hasValue(j engine.Job) bool {
	finished := j.Status.Finished()
	switch m.sort {
	case byCPU:
		return !finished && j.CPU != nil
	case byMemory:
		return !finished && j.RSS > 0
	case byNeed, byName, byAge, byHost, byTime, sorts, unsorted:
	}
	return true
}

// began is the creation time of the job's first run that is still in the list, so that a
// restarted job takes the row of its earlier run.
func (m *Model) began(j engine.Job) time.Time {
	at := j.CreatedAt
	for range len(m.rows) { // records that refer to each other end it, too
		from, ok := m.rows[j.RestartedFrom]
		if !ok {
			break
		}
		j, at = from.Job, from.Job.CreatedAt
	}
	return at
}

// natural compares names with numbers in them by value: job2 before job10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits is how many digits s begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// cpu is the CPU usage of a job as a sort key.
func cpu(j engine.Job) float64 {
	if j.CPU == nil {
		return 0
	}
	return *j.CPU
}
