package detail

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// labelWidth is the column of the names of facts.
const labelWidth = 10

// head is what matters most, in two lines: how it stands and what it is.
func (m *Model) head(w int) []string {
	j := m.job
	left := m.badge.View(j) + m.styles.Muted.Render(m.since())
	id := string(j.ID)
	if gap := w - cells.Width(left) - cells.Width(id); gap >= 2 {
		left += cells.Blank(gap) + m.styles.Muted.Render(id)
	}
	command := cells.End(m.command(), w, m.glyphs.Ellipsis)
	return []string{left, m.styles.Command.Render(command)}
}

// since says for how long the job has been as it is.
func (m *Model) since() string {
	j := m.job
	up := m.duration(j.Uptime(m.now))
	switch j.Status {
	case engine.Running:
		if j.Waiting || j.Paused {
			// Its uptime is only known until it was last seen; when it began is known.
			return ", started " + m.duration(m.now.Sub(j.StartedAt)) + " ago"
		}
		return " for " + up
	case engine.Stopping:
		if left := j.StopDeadline().Sub(m.now); !j.StopDeadline().IsZero() && left > 0 && !m.coarse {
			return ", SIGKILL in " + units.FormatDuration((left + time.Second - 1).Truncate(time.Second))
		}
		return ""
	case engine.Exited, engine.Killed:
		return " after " + units.FormatDuration(j.Uptime(m.now))
	case engine.Starting, engine.Failed, engine.Lost:
	}
	return ""
}

func (m *Model) duration(d time.Duration) string {
	if !m.coarse {
		return units.FormatDuration(d)
	}
	if d < time.Minute {
		return "less than a minute"
	}
	return strings.TrimSuffix(units.FormatDuration(d.Truncate(time.Minute)), "00s")
}

func (m *Model) command() string {
	if m.job.Script != "" {
		return cells.Clean(m.job.Script)
	}
	return cells.Clean(CommandLine(m.job.Command))
}

// commandLines is the command as it is read: a script line by line.
func (m *Model) commandLines() []string {
	if m.job.Script == "" {
		return []string{m.command()}
	}
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(m.job.Script, "\n"), "\n") {
		lines = append(lines, cells.Clean(line))
	}
	return lines
}

// all lays every fact that applies.
func (m *Model) all(w int) []string {
	j := m.job
	lines := m.head(w)[:1]
	for _, command := range m.commandLines() {
		for line := range strings.SplitSeq(ansi.Wrap(command, max(1, w), ""), "\n") {
			lines = append(lines, m.styles.Command.Render(line))
		}
	}
	add := func(label, value string) { lines = append(lines, m.fact(label, value, w)...) }
	warn := func(label, value string) {
		lines = append(lines, m.styled(label, value, w, m.styles.Warning.Render)...)
	}

	if !strings.Contains(lines[0], string(j.ID)) {
		add("id", string(j.ID))
	}
	if text := cells.Clean(j.Ending()); text != "" {
		add("end", text)
	}
	if j.Link == engine.LinkUnreachable {
		warn("link", m.unreachable())
	}
	if j.Link == engine.LinkElsewhere {
		warn("link", "recorded on another machine or in another container: "+j.Machine)
	}
	if j.Waiting {
		warn("waits", m.waits)
	}
	add("in", m.join(append([]string{m.place()}, m.process()...)))
	if j.StartedAt.IsZero() {
		add("asked for", m.at(j.CreatedAt))
	} else {
		add("started", m.join(append([]string{m.at(j.StartedAt)}, m.usage()...)))
	}
	switch {
	case j.Status == engine.Lost: // when it ended nobody saw
		add("last seen", m.at(j.Exit.At))
	case j.Status.Finished():
		add("ended", m.at(j.Exit.At))
	}
	add("ports", m.ports())
	add("title", cells.Clean(j.Title))
	lines = append(lines, m.outputs(w)...)
	add("limits", m.limits())
	for i, p := range j.Exit.Survivors {
		label := ""
		if i == 0 {
			label = "left over"
		}
		warn(label, fmt.Sprintf("%d %s", p.PID, cells.Clean(p.Command)))
	}
	add("by", m.origin())
	if len(j.EnvNames) > 0 {
		add("env", strings.Join(j.EnvNames, " "))
	}
	add("labels", labels(j.Labels))
	return lines
}

// fact is a named fact, wrapped; nothing if there is no value.
func (m *Model) fact(label, value string, w int) []string {
	return m.styled(label, value, w, m.styles.Value.Render)
}

func (m *Model) styled(label, value string, w int, render func(...string) string) []string {
	if value == "" {
		return nil
	}
	room := w - labelWidth
	if room < 8 {
		return []string{render(cells.End(value, w, m.glyphs.Ellipsis))}
	}
	var lines []string
	for _, line := range m.wrap(value, room) {
		lines = append(lines, m.styles.Label.Render(cells.Fit(label, labelWidth))+render(line))
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

func (m *Model) place() string {
	j := m.job
	place := m.path(j.Dir)
	if j.Cwd != "" && j.Cwd != j.Dir {
		place += ", now in " + m.path(j.Cwd)
	}
	if j.Host != "" {
		place += " on " + cells.Clean(j.Host)
	}
	return strings.TrimLeft(place, ", ") // of a host the directory may not be known
}

func (m *Model) process() []string {
	j := m.job
	var parts []string
	if j.Leader.PID != 0 {
		parts = append(parts, "pid "+strconv.Itoa(j.Leader.PID))
	}
	kind := string(j.Kind)
	if j.HasTerminal() && j.Size.Cols > 0 {
		kind = fmt.Sprintf("%s %dx%d", kind, j.Size.Cols, j.Size.Rows)
	}
	if j.Kind == engine.KindFile {
		kind = "file, no terminal"
	}
	if kind != "" {
		parts = append(parts, kind)
	}
	if !j.Stdin.Writable() && !j.Status.Finished() {
		parts = append(parts, "takes no input")
	}
	if j.Paused {
		parts = append(parts, "paused")
	}
	if !j.Backgrounded && !j.Status.Finished() {
		parts = append(parts, "in the foreground")
	}
	return parts
}

func (m *Model) usage() []string {
	j := m.job
	var parts []string
	if j.Status.Finished() {
		if u := j.Exit.Usage; u.User.Duration()+u.System.Duration() > 0 || u.MaxRSS > 0 {
			parts = append(parts, "cpu "+(u.User.Duration()+u.System.Duration()).Round(10*time.Millisecond).String())
			if u.MaxRSS > 0 {
				parts = append(parts, "at most "+units.FormatBytes(u.MaxRSS))
			}
		}
		return parts
	}
	if j.CPU != nil {
		parts = append(parts, fmt.Sprintf("cpu %.0f %%", *j.CPU))
	}
	if j.RSS > 0 {
		parts = append(parts, units.FormatBytes(j.RSS))
	}
	return parts
}

// ports are links where they can be followed: on this machine.
func (m *Model) ports() string {
	var parts []string
	for _, port := range m.job.Ports {
		text := ":" + strconv.Itoa(port)
		if m.job.Host == "" {
			url := "http://localhost" + text + "/"
			text = ansi.SetHyperlink(url) + m.styles.Link.Render(text) + ansi.ResetHyperlink()
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "  ")
}

func (m *Model) outputs(w int) []string {
	j := m.job
	var lines []string
	for _, o := range []struct{ label, path string }{{"output", j.OutputPath}, {"stdout", j.StdoutPath}, {"stderr", j.StderrPath}} {
		lines = append(lines, m.fact(o.label, m.pathEnd(o.path, w-labelWidth), w)...)
	}
	size := units.FormatBytes(j.Output)
	switch {
	case j.Dropped > 0:
		size += " written, " + units.FormatBytes(j.Dropped) + " of it dropped, at most " + units.FormatBytes(j.LogCap()) + " kept"
	case j.LogCap() > 0:
		size += " of at most " + units.FormatBytes(j.LogCap())
	default:
		size += ", without a limit"
	}
	return append(lines, m.fact("size", size, w)...)
}

// limits says for how long the job may run, and how long it may take to end; of a
// finished one only what was asked for.
func (m *Model) limits() string {
	j := m.job
	var parts []string
	switch {
	case j.Timeout == 0 && j.Status.Finished():
	case j.Timeout == 0:
		parts = append(parts, "no time limit")
	case j.Deadline.IsZero() || j.Status.Finished():
		parts = append(parts, "ends after "+units.DurationText(j.Timeout.Duration()))
	default:
		parts = append(parts, "ends after "+units.DurationText(j.Timeout.Duration())+" (at "+m.clock(j.Deadline)+")")
	}
	if j.Grace > 0 && !j.Status.Finished() {
		parts = append(parts, "SIGKILL "+units.DurationText(j.Grace.Duration())+" after a stop")
	}
	return m.join(parts)
}

// origin says who started the job, unless a person did with hob, and of which one
// it is a restart.
func (m *Model) origin() string {
	var parts []string
	if by := m.job.CreatedBy; by != "" && by != clientCLI && by != clientUI {
		parts = append(parts, cells.Clean(by))
	}
	if m.job.RestartedFrom != "" {
		parts = append(parts, "again from "+string(m.job.RestartedFrom))
	}
	return m.join(parts)
}

func (m *Model) unreachable() string {
	text := "unreachable"
	if !m.job.StaleSince.IsZero() {
		text += " for " + m.duration(m.now.Sub(m.job.StaleSince)) + "; this is what was known then"
	}
	if m.job.LinkError != "" {
		text += ": " + cells.Clean(m.job.LinkError)
	}
	return text
}

func labels(set map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		parts = append(parts, cells.Clean(name+"="+set[name]))
	}
	return strings.Join(parts, " ")
}

// join puts facts on one line; those without a value leave no trace.
func (m *Model) join(parts []string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, " "+m.glyphs.Dot+" ")
}

// path abbreviates the home directory.
func (m *Model) path(p string) string {
	if rest, ok := strings.CutPrefix(p, m.home); ok && m.home != "" && (rest == "" || rest[0] == '/') {
		p = "~" + rest
	}
	return cells.Clean(p)
}

// pathEnd is a path in w columns: its end says more than its start, and a key
// copies all of it.
func (m *Model) pathEnd(p string, w int) string {
	mark := m.glyphs.Ellipsis
	if mark == "~" { // which is a home directory in a path
		mark = m.glyphs.MoreLeft
	}
	p = m.path(p)
	cut := cells.Start(p, w, mark)
	if cut == p {
		return p
	}
	rest := strings.TrimPrefix(cut, mark)
	if i := strings.IndexByte(rest, '/'); i >= 0 && i < len(rest)/2 { // no halves of names
		rest = rest[i:]
	}
	return mark + rest
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
