package detail

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

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
