package joblist

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// Sort is an order of the list.
type Sort int

// The orders.
const (
	ByNeed Sort = iota // waiting for input, running, failed, done; newest first within
	ByStart
	ByName
	ByHost
	ByCPU
	ByMemory
	sorts
)

// String names the order for people.
func (s Sort) String() string {
	return [sorts]string{"by need", "newest first", "by name", "by host", "by cpu", "by memory"}[s]
}

// Sort returns the order.
func (m *Model) Sort() Sort { return m.sort }

// NextSort changes to the next order.
func (m *Model) NextSort() Sort {
	m.sort = (m.sort + 1) % sorts
	m.stale, m.drawn = true, false
	return m.sort
}

// moves reports whether a change of a job can change its place or whether the
// filter shows it. Most changes do not, and with many jobs there are many a second.
func (m *Model) moves(old, now engine.Job) bool {
	if statusbadge.StateOf(old) != statusbadge.StateOf(now) || old.Status != now.Status {
		return true
	}
	if m.sort == ByCPU && cpu(old) != cpu(now) || m.sort == ByMemory && old.RSS != now.RSS {
		return true
	}
	return old.Name != now.Name || old.Host != now.Host || old.Script != now.Script || !old.CreatedAt.Equal(now.CreatedAt)
}

// settle brings order, filter and selection up to date.
func (m *Model) settle() {
	if !m.stale {
		return
	}
	m.stale, m.drawn = false, false
	m.order = m.order[:0]
	for _, r := range m.rows {
		m.order = append(m.order, r)
	}
	slices.SortFunc(m.order, m.compare)

	m.shown = m.filter.apply(m.order)

	// The selection stays on its job; if that is gone, on its place.
	for i, r := range m.shown {
		if r.Job.ID == m.selected {
			m.at = i
			m.scroll()
			return
		}
	}
	m.move(m.at)
}

func (m *Model) compare(a, b *row) int {
	c := 0
	switch m.sort {
	case ByNeed:
		c = cmp.Compare(statusbadge.StateOf(a.Job).Need(), statusbadge.StateOf(b.Job).Need())
	case ByName:
		c = natural(a.Job.Name, b.Job.Name)
	case ByHost:
		c = strings.Compare(a.Job.Host, b.Job.Host)
	case ByCPU:
		c = cmp.Compare(cpu(b.Job), cpu(a.Job))
	case ByMemory:
		c = cmp.Compare(memory(b.Job), memory(a.Job))
	case ByStart, sorts:
	}
	return cmp.Or(c, b.Job.CreatedAt.Compare(a.Job.CreatedAt), strings.Compare(string(a.Job.ID), string(b.Job.ID)))
}

// natural compares names as people do: numbers in them by their value.
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

// cpu and memory are what a job uses; one that has ended comes last.
func cpu(j engine.Job) float64 {
	if j.Status.Finished() || j.CPU == nil {
		return -1
	}
	return *j.CPU
}

func memory(j engine.Job) int64 {
	if j.Status.Finished() {
		return -1
	}
	return j.RSS
}
