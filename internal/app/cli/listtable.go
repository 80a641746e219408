package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/detail"
	"github.com/hobjobs/hob/ui/components/joblist"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// The list on a terminal is for people. As in the UI, the jobs that need the user come first, and each has a
// sentence about what it is doing. The letters at the end of an ID are enough to distinguish jobs.

const (
	// badgeWidth is the least width of the column STATUS.
	badgeWidth = 10
	// readableWidth is the width of the table up to which it grows with the terminal. Beyond that only
	// columns that are cut off get more.
	readableWidth = 112
	// leastRoom is how much NAME and WHAT need together; a narrower terminal shows fewer columns.
	leastRoom = 24
	// leastEnded is how many ended jobs the list shows at least, even on a terminal with few lines.
	leastEnded = 5
)

// listRows returns the jobs of the table in its order, those first that need the user. Without all it
// leaves out earlier runs of restarted jobs, and jobs that ended long ago if they don't fit on the screen.
func listRows(jobs []engine.Job, all bool, lines int) []engine.Job {
	restarted := map[engine.ID]bool{}
	for _, j := range jobs {
		restarted[j.RestartedFrom] = true
	}
	shown := slices.SortedStableFunc(slices.Values(jobs), func(x, y engine.Job) int {
		return cmp.Compare(statusbadge.NeedOf(x), statusbadge.NeedOf(y))
	})
	if all {
		return shown
	}
	shown = slices.DeleteFunc(shown, func(j engine.Job) bool {
		return restarted[j.ID] && j.LeftNothing()
	})
	const others = 3 // the heading, the footer and the shell's prompt
	ended := 0
	for len(shown)-ended > 0 && shown[len(shown)-ended-1].Status.Finished() {
		ended++
	}
	running := len(shown) - ended
	room := max(lines-others-running, leastEnded)
	if lines == 0 { // not known
		room = ended
	}
	return shown[:running+min(ended, room)]
}

// listTable prints the list on a terminal.
func (a *app) listTable(jobs []engine.Job, all bool, now time.Time) error {
	size := terminalSize(a.stdout)
	shown := listRows(jobs, all, size.Rows)
	t := newTable("STATUS", "NAME", "WHAT", ">TIME", ">ENDED", "ID")
	t.ellipsis = a.glyphs().Ellipsis
	badges := a.badges(now)
	for _, j := range a.eng.MeasureAll(shown) {
		what := escape(badges.styles.Glyphs.Summary(whatOf(j, now)))
		_, ports := joblist.SplitPorts(what, badges.styles.Glyphs.Dot, j)
		t.add(
			cell{text: strings.TrimRight(statusbadge.Column(badges.styles, j, statusbadge.Width), " "), style: styleOf(j)},
			cell{text: escape(nameInList(j))},
			cell{text: what, cutEnd: true, kept: ports},
			cell{text: timeOf(j, now), right: true},
			cell{text: endedOf(j, now), right: true},
			cell{text: detail.Letters(j.ID), style: styleDim},
		)
	}
	err := printLines(a, t.render(listWidths(t, size.Cols), a.colored(a.stdout)))
	if len(shown) < len(jobs) && err == nil {
		a.reportf("%s, %d shown %s all: hob list -a", units.Count(len(jobs), "job"), len(shown), badges.styles.Glyphs.Dot)
	}
	return err
}

// nameInList returns the name of a job, with that of its group.
func nameInList(j engine.Job) string {
	if group := j.Labels["group"]; group != "" {
		return group + "/" + cmp.Or(j.Labels["process"], j.Name)
	}
	return j.Name
}

// whatOf returns what a job is doing or how it ended, and where.
func whatOf(j engine.Job, now time.Time) string {
	var parts []string
	if j.Host != "" {
		parts = append(parts, "on "+j.Host)
	}
	if left := len(j.Exit.Survivors); left > 0 {
		parts = append(parts, units.Count(left, "survivor"))
	}
	if summary := j.Summary(now); summary != "" {
		parts = append(parts, summary)
	}
	return strings.Join(parts, ", ")
}

// timeOf returns how long a job has run, in at most five columns.
func timeOf(j engine.Job, now time.Time) string {
	if j.Status == engine.Queued {
		return ""
	}
	up := j.Uptime(now)
	if text := units.FormatDuration(up); len(text) <= len("7m34s") {
		return text
	}
	return units.FormatBrief(up)
}

// endedOf returns how long ago a job ended, "" for one that has not.
func endedOf(j engine.Job, now time.Time) string {
	if exit, ended := j.Ended(); ended && !exit.At.IsZero() {
		return units.FormatAgo(j.EndedAgo(now))
	}
	return ""
}

// listWidths hides the columns that are empty or for which a terminal of cols columns has no room, and
// returns the widths of the others. NAME and STATUS always stay.
func listWidths(t *table, cols int) []int {
	for _, name := range []string{"WHAT", "TIME", "ENDED"} {
		if t.isEmpty(name) {
			t.hide(name)
		}
	}
	if cols == 0 {
		return t.widths()
	}
	for _, name := range []string{"ENDED", "TIME", "WHAT", "ID"} {
		if _, room := listRoom(t, cols); room >= leastRoom || t.column("WHAT") < 0 && room >= leastRoom/3 {
			break
		}
		t.hide(name)
	}
	widths, room := listRoom(t, cols)
	name, what := &widths[t.column("NAME")], t.column("WHAT")
	if what < 0 {
		*name = max(min(*name, room), 1)
		return widths
	}
	longName, longWhat := *name, widths[what]
	spare := max(cols-readableWidth, 0)
	base := room - spare
	*name = base * 4 / 9
	widths[what] = base - *name
	more := min(spare, max(longWhat-widths[what], 0))
	widths[what] += more
	*name += min(spare-more, max(longName-*name, 0))
	return widths
}

// listRoom returns the widths that the columns would like to have, and how much is left for NAME and WHAT
// together.
func listRoom(t *table, cols int) (widths []int, room int) {
	widths = t.widths()
	least := map[string]int{"STATUS": badgeWidth, "TIME": len("7m34s"), "ENDED": len("32m ago"), "ID": 5}
	room = cols - 2*(len(widths)-1)
	for i, heading := range t.rows[0] {
		widths[i] = max(widths[i], least[heading.text])
		if heading.text != "NAME" && heading.text != "WHAT" {
			room -= widths[i]
		}
	}
	return widths, room
}
