package detail

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// runs is how often the command was started, and how the run before ended.
func (m *Model) runs() string {
	j := m.job
	if j.Restart == "" {
		return ""
	}
	before := ""
	if last, ok := j.LastRun(); ok {
		before = "before: " + cells.Clean(last.Ending())
	}
	return m.join("run "+strconv.Itoa(j.Runs.Number()), "restart "+j.Restart, before)
}

// queue is the local queue whose slot the job waits for or uses.
func (m *Model) queue() string {
	j := m.job
	if j.Queue == "" || j.Status.Finished() {
		return ""
	}
	place := ""
	if j.Pending != nil && j.Pending.Position > 0 {
		place = "place " + strconv.Itoa(j.Pending.Position)
	}
	return m.join(cells.Clean(j.Queue), place)
}

// cluster is what the scheduler of a cluster has to be asked for.
func (m *Model) cluster() string {
	var parts []string
	for _, part := range []struct{ name, value string }{{"partition ", m.job.Scheduled.Partition}, {"job ", m.job.Scheduled.ID}, {"node ", m.job.Scheduled.Node}} {
		if part.value != "" {
			parts = append(parts, part.name+cells.Clean(part.value))
		}
	}
	return m.join(parts...)
}

func (m *Model) dir() string {
	j := m.job
	dir := m.path(j.Dir)
	if j.Cwd != "" && j.Cwd != j.Dir {
		return m.join(dir, "now "+m.path(j.Cwd))
	}
	return dir // of a job on a host it may not be known
}

func (m *Model) process() string {
	j := m.job
	parts := make([]string, 0, 5)
	if j.Leader.PID != 0 {
		parts = append(parts, "pid "+strconv.Itoa(j.Leader.PID))
	}
	switch {
	case j.HasTerminal() && j.Size.Cols > 0:
		parts = append(parts, fmt.Sprintf("terminal %d%s%d", j.Size.Cols, m.glyphs.Times, j.Size.Rows))
	case j.HasTerminal():
		parts = append(parts, "terminal")
	case j.Kind != "":
		parts = append(parts, "no terminal")
	}
	if !j.Status.Finished() {
		if !j.Stdin.Writable() {
			parts = append(parts, "no input")
		}
		if j.Paused {
			parts = append(parts, "paused")
		}
		if !j.Backgrounded {
			parts = append(parts, "in the foreground")
		}
	}
	return m.join(parts...)
}

// uses is what a running job uses now.
func (m *Model) uses() string {
	j, cpu, memory := m.job, "", ""
	if j.Status.Finished() {
		return ""
	}
	if j.CPU != nil {
		cpu = fmt.Sprintf("CPU %.0f%%", *j.CPU)
	}
	if j.RSS > 0 {
		memory = units.FormatBytes(j.RSS)
	}
	return m.join(cpu, memory)
}

// used is what a job used until its end.
func (m *Model) used() string {
	u, cpu, peak := m.job.Exit.Usage, "", ""
	if total := u.User.Duration() + u.System.Duration(); total > 0 {
		cpu = "CPU time " + total.Round(10*time.Millisecond).String()
	}
	if u.MaxRSS > 0 {
		peak = "peak " + units.FormatBytes(u.MaxRSS)
	}
	return m.join(cpu, peak)
}

// ports are links where they can be followed: on this machine.
func (m *Model) ports() string {
	var parts []string
	for _, port := range m.job.KnownPorts() {
		text := ":" + strconv.Itoa(port)
		if m.job.Host == "" {
			url := "http://localhost" + text + "/"
			text = ansi.SetHyperlink(url) + m.styles.Link.Render(text) + ansi.ResetHyperlink()
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "  ")
}

// size is how much the job has written, and how much of that is kept.
func (m *Model) size() string {
	j := m.job
	size := units.FormatBytes(j.Output)
	if j.Output == 0 {
		size = "empty"
	}
	if j.Dropped > 0 {
		size += ", oldest " + units.FormatBytes(j.Dropped) + " dropped"
	}
	if limit := j.LogCap(); limit > 0 {
		return size + " (limit " + strings.Replace(units.FormatBytes(limit), ".0 ", " ", 1) + ")"
	}
	return size + " (no limit)"
}

// timeout is the time limit, if there is one.
func (m *Model) timeout() string {
	j := m.job
	if j.Timeout == 0 {
		return ""
	}
	limit := units.DurationText(j.Timeout.Duration())
	if !j.Status.Finished() && !j.Deadline.IsZero() {
		limit += " (at " + m.clock(j.Deadline) + ")"
	}
	return limit
}

func (m *Model) unreachable() string {
	text := strings.TrimSpace(cells.Clean(m.job.Host) + " unreachable")
	if !m.job.StaleSince.IsZero() {
		text += " for " + m.duration(m.now.Sub(m.job.StaleSince))
	}
	if why := m.job.LinkReason(); why != "" {
		text += " (" + cells.Clean(why) + ")"
	}
	return text + ". Showing the last known state."
}

func labels(set map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		parts = append(parts, cells.Clean(name+"="+set[name]))
	}
	return strings.Join(parts, " ")
}
