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
	byStart
	byName
	byHost
	byCPU
	byMemory
	byEnd  // what ended last first, then what runs
	byTime // what runs or ran longest first
	sorts
)

// orders are the names of the orders; reverses are those of the reversed orders.
var (
	orders   = [sorts]string{"by need", "newest first", "by name", "by host", "by CPU", "by memory", "by end", "by run time"}
	reverses = [sorts]string{byStart: "oldest first"}
)

// Order describes the order: "by name", "by name, reversed".
func (m *Model) Order() string {
	name := orders[m.sort]
	if m.reversed {
		name = cmp.Or(reverses[m.sort], name+", reversed")
	}
	return name
}

// SortNote names the sort order if it is not the default and no header row shows it.
func (m *Model) SortNote() string {
	m.settle()
	if m.sort == byNeed && !m.reversed || m.sortedInHeader() {
		return ""
	}
	return m.Order()
}

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
	largest := m.sort == byCPU || m.sort == byMemory || m.sort == byTime
	return largest != m.reversed
}

// moves reports whether a change of a job can change its place or whether the
// filter shows it. Most changes do not, and with many jobs there are many a second.
func (m *Model) moves(old, now engine.Job) bool {
	if statusbadge.StateOf(old) != statusbadge.StateOf(now) || old.Status != now.Status {
		return true
	}
	if m.sort == byCPU && cpu(old) != cpu(now) || m.sort == byMemory && old.RSS != now.RSS {
		return true
	}
	return place(old) != place(now) || old.Runs.Between() != now.Runs.Between() || !old.Exit.At.Equal(now.Exit.At) || old.Name != now.Name || old.Host != now.Host || old.Script != now.Script || !old.CreatedAt.Equal(now.CreatedAt)
}

// settle brings order, filter and selection up to date.
func (m *Model) settle() {
	if !m.stale {
		return
	}
	m.stale = false
	m.order = m.order[:0]
	for _, r := range m.rows {
		r.began, r.need = m.began(r.Job), statusbadge.NeedOf(r.Job)
		m.order = append(m.order, r)
	}
	slices.SortFunc(m.order, m.compare)

	m.passed = m.filter.apply(m.order)
	m.shown = m.folded(m.passed)

	m.fit()
	// The selection stays on its job; if that is gone, on its place.
	at := m.find(m.selected)
	if m.seeking {
		m.seeking = false
		if at = m.best(); at < 0 {
			at = max(0, m.find(m.selected))
		}
	}
	if at < 0 {
		at = m.box.At
	}
	if m.selected == "" { // of a new list, the first job
		at = max(0, slices.IndexFunc(m.shown, func(r *row) bool { return !r.stands() }))
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
	c := m.compareBy(a, b)
	return cmp.Or(c, b.began.Compare(a.began), b.Job.CreatedAt.Compare(a.Job.CreatedAt), strings.Compare(string(a.Job.ID), string(b.Job.ID)))
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
		c = cmp.Compare(a.need, b.need)
		if c == 0 && a.need == statusbadge.Waits {
			c = cmp.Or(cmp.Compare(place(a.Job), place(b.Job)), a.Job.CreatedAt.Compare(b.Job.CreatedAt))
		}
		if c == 0 {
			c = endedAt(b.Job).Compare(endedAt(a.Job))
		}
	case byName:
		c = natural(a.Job.Name, b.Job.Name)
	case byHost:
		c = strings.Compare(a.Job.Host, b.Job.Host)
	case byCPU:
		c = cmp.Compare(cpu(b.Job), cpu(a.Job))
	case byMemory:
		c = cmp.Compare(b.Job.RSS, a.Job.RSS)
	case byEnd:
		c = endedAt(b.Job).Compare(endedAt(a.Job))
	case byTime:
		c = cmp.Compare(b.Job.Uptime(m.now), a.Job.Uptime(m.now))
	case byStart:
		c = b.began.Compare(a.began)
	case sorts:
	}
	if m.reversed {
		c = -c
	}
	return c
}

// hasValue reports whether a job has what the list is sorted by.
func (m *Model) hasValue(j engine.Job) bool {
	switch m.sort {
	case byCPU:
		return !j.Status.Finished() && j.CPU != nil
	case byMemory:
		return !j.Status.Finished() && j.RSS > 0
	case byEnd:
		return j.Status.Finished()
	case byNeed, byStart, byName, byHost, byTime, sorts:
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
