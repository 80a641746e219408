package detail

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// This file draws the forms Brief and Reason, and the line for a border.

// Letters returns the letters after the last hyphen of an ID. Every command accepts them instead of the ID.
func Letters(id engine.ID) string {
	return string(id[strings.LastIndexByte(string(id), '-')+1:])
}

// brief returns the job in three lines, and the reason.
func (m *Model) brief(w int) []string {
	state, since := statusbadge.View(m.styles, m.job), m.since()
	if m.job.Status == engine.Queued { // the reason says what it waits for
		since = ""
	}
	state = m.withID(state+m.styles.Muted.Render(since), Letters(m.job.ID), w)
	command := cells.Truncate(cells.Clean(m.job.CommandLine()), w, m.glyphs.Ellipsis)
	return append([]string{state, m.styles.Strong.Render(command), m.place(w)}, m.reason(w)...)
}

// place returns the line about where the job runs and what it uses: directory, ports, process and usage. If it is
// too long, the process is left out first.
func (m *Model) place(w int) string {
	j := &m.job
	host, dir, process, usage := "", "", "", m.used()
	if j.Host != "" {
		host = "on " + cells.Clean(j.Host)
	}
	if !j.Status.Finished() {
		usage = m.usesBrief()
		if j.Leader.PID != 0 {
			process = "pid " + strconv.Itoa(j.Leader.PID)
		}
	}
	if at := cmp.Or(j.Cwd, j.Dir); at != "" {
		dir = "in " + m.path(at)
	}
	where := strings.TrimSpace(host + " " + dir)
	for _, parts := range [][]string{{where, m.links(), process, usage}, {where, m.links(), usage}, {where, m.links()}} {
		if line := m.join(parts...); cells.Width(line) <= w {
			return m.styles.Text.Render(line)
		}
	}
	if dir != "" {
		dir = "in " + m.shortPath(cmp.Or(j.Cwd, j.Dir), w-cells.Width(host)-len(" in "))
	}
	return m.styles.Text.Render(cells.Truncate(strings.TrimSpace(host+" "+dir), w, m.glyphs.Ellipsis))
}

// usesBrief returns the current CPU and memory usage of a running job.
func (m *Model) usesBrief() string {
	cpu, memory := "", ""
	if m.job.CPU != nil {
		cpu = percent(*m.job.CPU)
	}
	if m.job.RSS > 0 {
		memory = units.FormatBytes(m.job.RSS)
	}
	return m.join(cpu, memory)
}

// mostReasons is the maximum number of lines of a reason.
const mostReasons = 3

// reason returns why the job failed or waits for its next run, why its last known state may be old, and which
// processes it has left. Most jobs have no reason.
func (m *Model) reason(w int) []string {
	var lines []string
	j := &m.job
	add := func(text string, render func(...string) string) {
		if text == "" || w <= 0 {
			return
		}
		for _, line := range cells.WrapTo(text, w, mostReasons, m.glyphs.Ellipsis) {
			lines = append(lines, render(line))
		}
	}
	switch j.Link {
	case engine.LinkUnreachable:
		add(m.unreachable(), m.styles.Warning.Render)
	case engine.LinkElsewhere:
		add("on another machine or in a container: "+cells.Clean(j.Machine), m.styles.Warning.Render)
	default:
		add(m.cause(), m.styles.Text.Render)
	}
	if left := j.Exit.Survivors; len(left) > 0 && j.Status.Finished() {
		add("left over: "+strconv.Itoa(left[0].PID)+" "+cells.Clean(left[0].Command)+more(len(left)-1), m.styles.Warning.Render)
	}
	return lines
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return " and " + strconv.Itoa(n) + " more"
}

// cause returns why a job failed, without the outcome, which its state shows; what it waits for; or, while it runs,
// what its program reports that it needs, or why its health check fails.
func (m *Model) cause() string {
	j := &m.job
	switch {
	case j.Status == engine.Queued, !j.Status.Finished() && asksForALook(j):
		return m.glyphs.Summary(cells.Clean(j.Summary(m.now)))
	case !j.Unsuccessful():
		return ""
	}
	if outcome, why, ok := strings.Cut(m.why, ": "); ok && strings.HasPrefix(outcome, "Exited ") {
		return cells.Clean(why)
	}
	if m.why != "" {
		return cells.Clean(m.why)
	}
	summary := m.glyphs.Summary(cells.Clean(j.Summary(m.now)))
	if strings.HasPrefix(summary, "after ") { // the state shows that, too
		return ""
	}
	return summary
}

// asksForALook reports whether there is something about a running job that its log may not show.
func asksForALook(j *engine.Job) bool {
	switch {
	case j.Program.Says(engine.ProgramBlocked), j.Program.Says(engine.ProgramError):
		return true
	}
	return j.Health.Is(engine.Unhealthy)
}

// Line returns the state of the job in a few words, for a border: "● running 12m", "✗ exit 1 after 2s". It is
// empty without a job.
func (m *Model) Line() string {
	if !m.shown {
		return ""
	}
	j := &m.job
	since := m.since()
	switch {
	case statusbadge.StateOf(*j) == statusbadge.Stale:
	case j.Status == engine.Running:
		since = " " + m.duration(j.Uptime(m.now))
	case j.Status == engine.Queued:
		since = ""
	}
	return statusbadge.Text(m.styles, *j) + since
}
