package joblist

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

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
	if !m.groups {
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
		if id == "" || sizes[id] < leastGroup {
			kept = append(kept, r)
			continue
		}
		head := heads[id]
		if head == nil {
			head = &row{Row: Row{Job: engine.Job{Request: engine.Request{ID: id}}}, group: r.Job.Labels[groupLabel], need: r.need}
			heads[id] = head
			kept = append(kept, head)
		}
		head.behind = append(head.behind, r)
	}
	for _, head := range heads {
		slices.SortStableFunc(head.behind, compareInGroup)
	}
	return kept
}

// compareInGroup puts jobs that run in the order in which they were started, which is that of the
// project's file.
func compareInGroup(a, b *row) int {
	if a.need != b.need || a.need != statusbadge.NeedsInput && a.need != statusbadge.Runs {
		return cmp.Compare(a.need, b.need)
	}
	return cmp.Or(a.began.Compare(b.began), a.Job.CreatedAt.Compare(b.Job.CreatedAt))
}

// groupCells are the name of a group and what its jobs do: "3 running, 1 failed", or "●3 ✗1" in less room.
func (m *Model) groupCells(r *row) []cell {
	var c statusbadge.Counts
	for _, b := range r.behind {
		c.Add(b.Job)
	}
	name := cell{text: " " + cells.Clean(r.group), paint: m.paints.text}
	quiet := m.paints.muted
	if r.need == statusbadge.Ended {
		name.paint = quiet
	}
	failed := quiet
	if c.Failed > 0 {
		failed = m.paints.failed
	}
	needs := " need input"
	if c.Waiting == 1 {
		needs = " needs input"
	}
	var words, glyphs []cell
	for _, count := range []struct {
		n           int
		word, glyph string
		paint       cells.Paint
	}{
		{c.Waiting, needs, m.glyphs.Waiting, cells.NewPaint(m.styles.Waiting)},
		{c.Running - c.Waiting, " running", m.glyphs.Running, quiet},
		{c.Queued, " queued", m.glyphs.Queued, quiet},
		{c.Failed + c.Seen, " failed", m.glyphs.Failed, failed},
		{c.Done, " done", m.glyphs.Done, quiet},
		{c.Stopped, " stopped", m.glyphs.Stopped, quiet},
	} {
		if count.n == 0 {
			continue
		}
		n, before := strconv.Itoa(count.n), ", "
		if len(words) == 0 {
			before = "  "
		}
		words = append(words, cell{text: before, paint: quiet}, cell{text: n + count.word, paint: count.paint})
		glyphs = append(glyphs, cell{text: " " + count.glyph + n, paint: count.paint})
	}
	room := m.w - 2 // the bar and the sign
	counts := words
	if width(name)+width(counts...) > room {
		counts = glyphs
	}
	name.text = cells.Truncate(name.text, max(leastName, room-width(counts...)), m.glyphs.Ellipsis)
	for len(counts) > 0 && width(name)+width(counts...) > room {
		counts = counts[:len(counts)-1]
	}
	return append([]cell{name}, counts...)
}

// leastName is how much of the name of a group is shown before all its counts.
const leastName = 8

func width(all ...cell) int {
	var b strings.Builder
	for _, c := range all {
		b.WriteString(c.text)
	}
	return cells.Width(b.String())
}
