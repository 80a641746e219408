package detail

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// The clients of hob that a person uses, as records name them. Other names are those of
// programs.
const clientCLI, clientUI, clientUp = "cli", "ui", "up"

// labelWidth is the column of the names of facts.
const labelWidth = 10

// withID adds the ID on the right of a line of w columns if there is room for it.
func (m *Model) withID(line, id string, w int) string {
	if gap := w - cells.Width(line) - cells.Width(id); gap >= 2 {
		return line + cells.Blank(gap) + m.styles.Muted.Render(id)
	}
	return line
}

// status is the badge and how long the job has had that status.
func (m *Model) status() string {
	return statusbadge.View(m.styles, m.job) + m.styles.Muted.Render(m.since())
}

// since is how long the job has had its status.
func (m *Model) since() string {
	j := m.job
	up := m.duration(j.Uptime(m.now))
	dot := " " + m.glyphs.Dot + " "
	if statusbadge.StateOf(j) == statusbadge.Stale {
		if j.StaleSince.IsZero() {
			return ""
		}
		return " for " + m.duration(max(0, m.now.Sub(j.StaleSince)))
	}
	switch j.Status {
	case engine.Running:
		if j.NeedsInput() || j.Paused {
			// Its uptime is only known until it was last seen; when it began is known.
			return dot + "started " + m.duration(m.now.Sub(j.StartedAt)) + " ago"
		}
		return " for " + up
	case engine.Stopping: // rounded down, as in the list
		purpose := ""
		if m.restarting {
			purpose = " to restart"
		}
		if left := j.StopDeadline().Sub(m.now); !j.StopDeadline().IsZero() && left > 0 && !m.opts.Minutes {
			return purpose + dot + "SIGKILL in " + units.FormatDuration(left)
		}
		return purpose
	case engine.Exited, engine.Killed:
		if j.StartedAt.IsZero() && j.Exit.Code == nil && j.Exit.Signal == "" {
			return " before it started"
		}
		return " after " + units.FormatDuration(j.Uptime(m.now))
	case engine.Queued:
		if j.Pending != nil {
			return dot + j.WaitReason(m.now)
		}
	case engine.Starting, engine.Failed, engine.Lost:
	}
	return ""
}

func (m *Model) duration(d time.Duration) string {
	if !m.opts.Minutes {
		return units.FormatDuration(d)
	}
	if d < time.Minute {
		return "less than a minute"
	}
	return units.FormatMinutes(d)
}

// commandLines is the command, a script line by line.
func (m *Model) commandLines() []string {
	if m.job.Script == "" {
		return []string{cells.Clean(m.job.CommandLine())}
	}
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(m.job.Script, "\n"), "\n") {
		lines = append(lines, cells.Clean(line))
	}
	return lines
}

// facts lays out the command and every fact that applies. The ID is one of them unless
// it has been shown.
func (m *Model) facts(w int, idShown bool) []string {
	j := m.job
	var lines []string
	for _, command := range m.commandLines() {
		for _, line := range cells.Wrap(command, w) {
			lines = append(lines, m.styles.Strong.Render(line))
		}
	}
	add := func(label, value string) { lines = append(lines, m.fact(label, value, w, m.styles.Text.Render)...) }
	warn := func(label, value string) {
		lines = append(lines, m.fact(label, value, w, m.styles.Warning.Render)...)
	}

	if !idShown {
		add("id", string(j.ID))
	}
	add("result", cells.Clean(cmp.Or(m.why, j.Ending())))
	switch j.Link {
	case engine.LinkUnreachable:
		warn("host", m.unreachable())
	case engine.LinkElsewhere:
		warn("host", "another machine or container: "+cells.Clean(j.Machine))
	case engine.LinkNone, engine.LinkOK:
		add("host", cells.Clean(j.Host))
	}
	if j.Waiting {
		warn("input", cmp.Or(m.opts.Input, "needed"))
	}
	for i, line := range m.reports() {
		label := ""
		if i == 0 {
			label = "reports"
		}
		add(label, line)
	}
	add("queue", m.queue())
	add("cluster", m.cluster())
	add("dir", m.dir())
	add("process", m.process())
	if j.StartedAt.IsZero() {
		add("requested", m.at(j.CreatedAt))
	} else {
		now := ""
		if !m.graphed(w) {
			now = m.uses()
		}
		add("started", m.join(m.at(j.StartedAt), now))
	}
	switch {
	case j.Status == engine.Lost: // when it ended is not recorded
		add("last seen", m.at(j.Exit.At))
	case j.Status.Finished():
		add("ended", m.join(m.at(j.Exit.At), m.used()))
	}
	if m.graphed(w) {
		lines = append(lines, m.graphs(w)...)
	}
	add("ports", m.ports())
	add("title", cells.Clean(j.Title))
	size := m.size()
	add("log", m.join(size, m.shortPath(j.OutputPath, w-labelWidth-cells.Width(size)-3)))
	for _, o := range []struct{ label, path string }{{"stdout", j.StdoutPath}, {"stderr", j.StderrPath}} {
		add(o.label, m.shortPath(o.path, w-labelWidth))
	}
	add("timeout", m.timeout())
	add("health", m.health())
	add("stop", m.stop())
	add("runs", m.runs())
	for i, p := range j.Exit.Survivors {
		label := ""
		if i == 0 {
			label = "left over"
		}
		warn(label, fmt.Sprintf("%d %s", p.PID, cells.Clean(p.Command)))
	}
	if f := j.NotifyFailed; f != nil {
		warn("notify", cells.Clean(m.join(f.Event+": "+f.Error, f.Output)))
	}
	if j.RestartedFrom != "" {
		add("restart", "of "+string(j.RestartedFrom))
	}
	if j.Revive {
		add("revive", "after a reboot")
	}
	if by := j.CreatedBy; by != clientCLI && by != clientUI && by != clientUp {
		add("by", cells.Clean(by))
	}
	add("env", strings.Join(j.EnvNames, " "))
	add("labels", labels(j.Labels))
	return lines
}

// fact is a named fact, wrapped; nothing if there is no value.
func (m *Model) fact(label, value string, w int, render func(...string) string) []string {
	if value == "" {
		return nil
	}
	room := w - labelWidth
	if room < 8 {
		return []string{render(cells.Truncate(value, w, m.glyphs.Ellipsis))}
	}
	var lines []string
	for _, line := range m.wrap(value, room) {
		lines = append(lines, m.styles.Muted.Render(cells.Fit(label, labelWidth))+render(line))
		label = ""
	}
	return lines
}

// wrap breaks facts that are joined between them where it can.
func (m *Model) wrap(value string, room int) []string {
	dot := " " + m.glyphs.Dot + " "
	var lines []string
	for part := range strings.SplitSeq(value, dot) {
		if n := len(lines); n > 0 && cells.Width(lines[n-1])+cells.Width(dot)+cells.Width(part) <= room {
			lines[n-1] += dot + part
			continue
		}
		lines = append(lines, strings.Split(ansi.Wrap(part, room, "/-,"), "\n")...)
	}
	return lines
}

// reports returns what the programs in the terminal report, a line for each report. The parts of a task are indented
// below it.
func (m *Model) reports() []string {
	var reports []engine.ProgramReport
	if p := m.job.Program; p != nil {
		reports = p.Reports
	}
	var lines []string
	for _, r := range reports {
		name := r.ID[strings.LastIndexByte(r.ID, '/')+1:]
		indent := ""
		if r.ID == "" {
			name = r.App
		} else {
			indent = strings.Repeat("  ", 1+strings.Count(r.ID, "/"))
		}
		state := string(r.State)
		if r.Kind != "" {
			state += " (" + string(r.Kind) + ")"
		}
		if r.Percent != nil {
			state += fmt.Sprintf(" %d%%", *r.Percent)
		}
		lines = append(lines, indent+cells.Clean(m.join(name, state, r.Title, r.Message)))
	}
	if last := m.job.LastCommand; last != nil {
		lines = append(lines, fmt.Sprintf("the last command exited %d", last.Code))
	}
	return lines
}

// join puts facts on one line; those without a value leave no trace.
func (m *Model) join(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, " "+m.glyphs.Dot+" ")
}

// Tilde abbreviates the home directory, if it is known.
func Tilde(path, home string) string {
	if home == "" {
		return path
	}
	rest, ok := strings.CutPrefix(path, home)
	endsName := rest == "" || rest[0] == '/'
	if ok && endsName {
		return "~" + rest
	}
	return path
}

func (m *Model) path(p string) string { return cells.Clean(Tilde(p, m.opts.Home)) }

// shortPath shortens a path to w columns by leaving out directories in its middle, as in
// "~/.local/…/output.log". A key copies the whole path.
func (m *Model) shortPath(p string, w int) string {
	mark := m.glyphs.Ellipsis
	if mark == "~" { // which is a home directory in a path
		mark = m.glyphs.MoreLeft
	}
	p = m.path(p)
	if cells.Width(p) <= w {
		return p
	}
	const kept = 2 // the first directory, after the root or home
	names := strings.Split(p, "/")
	for i := kept + 1; i < len(names); i++ {
		short := strings.Join(names[:kept], "/") + "/" + mark + "/" + strings.Join(names[i:], "/")
		if cells.Width(short) <= w {
			return short
		}
	}
	return cells.TruncateStart(p, max(0, w), mark)
}

func (m *Model) at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return m.clock(t) + t.In(m.now.Location()).Format(" MST")
}

// clock is a time of today, or with its date.
func (m *Model) clock(t time.Time) string {
	t = t.In(m.now.Location())
	if t.Format(time.DateOnly) == m.now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}
