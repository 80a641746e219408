package detail

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
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
		j.State = last
		before = "before: " + cells.Clean(j.Ending())
	}
	pause := ""
	if j.RestartPause > 0 {
		pause = "after " + units.DurationText(j.RestartPause.Duration())
	}
	return m.join("run "+strconv.Itoa(j.Runs.Number()), "restart "+j.Restart, pause, before)
}

// health is what the health check of a running job shows.
func (m *Model) health() string {
	j := m.job
	if j.HealthCheck.Check == "" || j.Status.Finished() {
		return ""
	}
	state, why := engine.HealthUnknown, ""
	if h := j.Health; h != nil {
		state, why = h.State, cells.Clean(h.Output)
	}
	return m.join(string(state), why, "check "+cells.Clean(j.HealthCheck.Check))
}

// stop is how the job is asked to end, if not by SIGTERM.
func (m *Model) stop() string {
	j := m.job
	if j.Status.Finished() {
		return ""
	}
	return m.join(cells.Clean(j.StopCommand), cells.Clean(j.StopSignal))
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

// ports returns the ports that the job listens on, and the port that it was given in PORT if it does not listen
// on it. If that is known for certain, the text says so.
func (m *Model) ports() string {
	j, given := &m.job, ""
	if j.Port != 0 && !j.Status.Finished() && !slices.Contains(j.Ports, j.Port) {
		given = "PORT " + strconv.Itoa(j.Port)
		if measured := j.CPU != nil; measured {
			given += ", nothing listens"
		}
	}
	return strings.TrimSpace(m.links() + "  " + given)
}

// links returns the ports that the job listens on, as links if the job runs on this machine.
func (m *Model) links() string {
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
	switch {
	case j.NoLimit, j.LogLimit <= 0:
		size += " (no limit)"
	case j.Dropped > 0:
		size += " (limit " + strings.Replace(units.FormatBytes(j.LogLimit), ".0 ", " ", 1) + ")"
	}
	return size
}

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

// Sample is what a job used at one time.
type Sample struct {
	CPU    float64 // percent of one core; negative: not known
	Memory int64   // bytes
}

const (
	// graphFrom is the minimum width for a graph of recent usage, peakFrom that for the extremes
	// after the graph.
	graphFrom, peakFrom = 56, 70
	// usageWidth is the width of the value before a graph, peakWidth that of the extremes after it.
	usageWidth, peakWidth = 10, 22
	// leastCPU is the minimum CPU usage, in percent, at the top of a graph, so that the noise of an
	// idle job does not fill it.
	leastCPU = 10
	// visibleGrowth is the growth of memory that fills the height of its graph. The bottom of the graph
	// is the least memory, so constant usage is a line at the bottom.
	visibleGrowth = 1.25
	// leastBars is the minimum number of samples for a graph. Usage is recorded only while the UI
	// is open, so that a UI that was just opened has few.
	leastBars = 4
)

// SetUsage sets what the shown job used recently, oldest first, at intervals of every. On a
// wide detail it is drawn as graphs. The caller may change the samples afterwards if it
// calls SetUsage again. None: the current usage is text.
func (m *Model) SetUsage(samples []Sample, every time.Duration) {
	m.usage, m.usageEvery = samples, every
}

// graphed reports whether the usage is drawn as graphs in w columns.
func (m *Model) graphed(w int) bool {
	return w >= graphFrom && len(m.usage) > 0 && !m.job.Status.Finished()
}

// graphs are the rows of CPU and memory in w columns.
func (m *Model) graphs(w int) []string {
	room, peaks := w-labelWidth-usageWidth, w >= peakFrom
	if peaks {
		room -= peakWidth
	}
	shown := m.usage[max(0, len(m.usage)-room):]
	past := units.FormatDuration(time.Duration(len(shown)) * m.usageEvery)
	row := func(label, now, extremes string, style lipgloss.Style, low, top float64, value func(Sample) float64) string {
		var b strings.Builder
		if len(shown) >= leastBars {
			for _, s := range shown {
				b.WriteString(m.spark(s, value(s)-low, top-low))
			}
		}
		text := m.styles.Muted.Render(cells.Fit(label, labelWidth)) + m.styles.Text.Render(cells.Fit(now, usageWidth)) +
			style.Render(b.String())
		if peaks && len(shown) >= leastBars {
			text += "  " + m.styles.Muted.Render(extremes)
		}
		return text
	}
	cpu := func(s Sample) float64 { return s.CPU }
	memory := func(s Sample) float64 { return float64(s.Memory) }
	nowCPU, nowMemory := m.glyphs.Ellipsis, m.glyphs.Ellipsis
	if last := m.usage[len(m.usage)-1]; last.CPU >= 0 {
		nowCPU, nowMemory = percent(last.CPU), units.FormatBytes(last.Memory)
	}
	mostCPU, mostMemory := most(shown, cpu), most(shown, memory)
	leastMemory := mostMemory
	for _, s := range shown {
		if s.CPU >= 0 {
			leastMemory = min(leastMemory, memory(s))
		}
	}
	return []string{
		row("CPU", nowCPU, "peak "+percent(mostCPU)+" in "+past, m.styles.Accent, 0, max(leastCPU, mostCPU), cpu),
		row("memory", nowMemory, span(int64(leastMemory), int64(mostMemory)), m.styles.Muted, leastMemory, max(mostMemory, leastMemory*visibleGrowth), memory),
	}
}

// span returns the values at the bottom and at the top of a graph of memory.
func span(least, most int64) string {
	from, to := units.FormatBytes(least), units.FormatBytes(most)
	if from == to {
		return "peak " + to
	}
	return from + " to " + to
}

func percent(v float64) string { return fmt.Sprintf("%.0f%%", v) }

func most(samples []Sample, value func(Sample) float64) float64 {
	top := 0.0
	for _, s := range samples {
		top = max(top, value(s))
	}
	return top
}

// spark is a value as a bar below top; blank if it is not known.
func (m *Model) spark(s Sample, value, top float64) string {
	bars := m.glyphs.Spark
	if s.CPU < 0 {
		return bars[0]
	}
	highest := len(bars) - 2 // a full block would touch the row above
	level := 1
	if top > 0 {
		level = 1 + int(value/top*float64(highest-1)+0.5)
	}
	return bars[min(level, highest)]
}
