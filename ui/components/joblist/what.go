package joblist

import (
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/border"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// The column What shows the summary of a job ([engine.Job.Summary]). In addition, the list draws the
// progress of a job as a bar, counts down a stop, and shows the command where the filter has found it.

// barWidth is the width of the bar of a job's progress.
const barWidth = 8

// what is the column What of a row, of any width.
func (m *Model) what(r *row) []cell {
	j := &r.Job
	switch {
	case r.stands():
		return nil
	case r.found != "":
		return m.foundIn(r)
	case m.countsDown(j):
		return []cell{m.countdown(j)}
	case hasPercentage(j):
		return m.progress(j)
	}
	line, ports := SplitPorts(m.summary(j), m.glyphs.Dot, *j)
	return []cell{{text: line, paint: m.whatPaint(j)}, {text: ports, paint: m.whatPaint(j), kept: true}}
}

// SplitPorts splits the summary of a job, in which dot separates facts, before the ports at its end. A column that is
// too narrow for the summary keeps them: what a server prints changes, but one looks for its port.
func SplitPorts(summary, dot string, j engine.Job) (text, ports string) {
	if len(j.Ports) == 0 {
		return summary, ""
	}
	i := strings.LastIndex(summary, " "+dot+" :"+strconv.Itoa(j.Ports[0]))
	if i < 0 {
		return summary, ""
	}
	return summary[:i], summary[i:]
}

// summary is the sentence about a job. Where the screen avoids motion, the last line of a job that runs
// is left out.
func (m *Model) summary(j *engine.Job) string {
	said := *j
	if m.coarse && statusbadge.NeedOf(*j) == statusbadge.Runs {
		said.Line = ""
	}
	return m.glyphs.Summary(cells.Clean(said.Summary(m.now)))
}

// whatPaint emphasizes what needs the user: the rest is dim.
func (m *Model) whatPaint(j *engine.Job) border.Paint {
	switch statusbadge.NeedOf(*j) {
	case statusbadge.NeedsInput, statusbadge.Restarts, statusbadge.FailsChecks, statusbadge.NeedsLook:
		return m.paints.text
	case statusbadge.Runs, statusbadge.Waits, statusbadge.Ended:
	}
	return m.paints.muted
}

// foundIn is the command line, from shortly before the place that the filter has found in it.
func (m *Model) foundIn(r *row) []cell {
	text := cells.Clean(r.Job.CommandLine())
	lower := strings.ToLower(text)
	at := strings.Index(lower, r.found)
	if at < 0 || len(lower) != len(text) {
		return []cell{{text: text, paint: m.paints.muted}}
	}
	before, after := text[:at], text[at+len(r.found):]
	if cells.Width(text) > leastWhat {
		before = cells.TruncateStart(before, leastWhat-2, m.glyphs.Ellipsis)
	}
	return []cell{
		{text: before, paint: m.paints.muted},
		{text: text[at : at+len(r.found)], paint: m.paints.match, found: true},
		{text: after, paint: m.paints.muted},
	}
}

// countsDown reports whether the time until a job is killed is shown.
func (m *Model) countsDown(j *engine.Job) bool {
	if m.coarse || j.Status != engine.Stopping {
		return false
	}
	return !j.StopDeadline().IsZero()
}

// countdown is how long a job that is being stopped has until it is killed. It is rounded down: the
// clock of the list is up to a tick late, and the countdown must not begin above the grace time.
func (m *Model) countdown(j *engine.Job) cell {
	left := units.FormatDuration(j.StopDeadline().Sub(m.now))
	return cell{text: "kill " + left, paint: m.badgePaint(statusbadge.Style(m.styles, *j))}
}

// hasPercentage reports whether a running job has reported how far it is.
func hasPercentage(j *engine.Job) bool {
	shows := statusbadge.NeedOf(*j) == statusbadge.Runs && j.Link != engine.LinkUnreachable
	if !shows || j.Progress == nil {
		return false
	}
	switch j.Progress.State {
	case "", "indeterminate":
		return false
	}
	return true
}

// progress is a bar with the percentage, and what the program reports or else the last line.
func (m *Model) progress(j *engine.Job) []cell {
	paint := m.paints.accent
	if j.Progress.State == "error" {
		paint = m.paints.failed
	}
	line := ""
	if showsLine := !m.coarse && !j.Alternate; showsLine || j.Program != nil {
		said := *j
		said.Progress, said.Ports = nil, nil
		line = "  " + m.glyphs.Summary(cells.Clean(said.Summary(m.now)))
	}
	return []cell{
		{text: m.bar(j.Progress.Percent), paint: paint},
		{text: line, paint: m.paints.muted},
	}
}

func (m *Model) bar(percent int) string {
	percent = max(0, min(percent, 100))
	full := (percent*barWidth + 50) / 100
	label := cells.FitLeft(strconv.Itoa(percent)+"%", 5)
	return strings.Repeat(m.glyphs.ProgressDone, full) + strings.Repeat(m.glyphs.ProgressLeft, barWidth-full) + label
}

// fitted returns cells in exactly w columns, cut at the end, or before a last cell that is to be kept.
func (m *Model) fitted(all []cell, w int) []cell {
	var row []cell
	if n := len(all) - 1; n > 0 && all[n].kept && width(all[n]) <= w/2 {
		row = append(m.cut(all[:n:n], w-width(all[n])), all[n])
	} else {
		row = m.cut(all, w)
	}
	return append(row, cell{text: cells.Blank(w - width(row...)), paint: m.paints.text})
}

// cut returns cells in at most w columns.
func (m *Model) cut(all []cell, w int) []cell {
	if width(all...) <= w {
		return all
	}
	room := max(0, w-cells.Width(m.glyphs.Ellipsis))
	row := make([]cell, 0, len(all)+1)
	for _, c := range all {
		if cells.Width(c.text) > room {
			c.text = cells.Truncate(c.text, room, "")
		}
		room -= cells.Width(c.text)
		row = append(row, c)
		if room == 0 {
			row[len(row)-1].text += cells.Truncate(m.glyphs.Ellipsis, w, "")
			break
		}
	}
	return row
}
