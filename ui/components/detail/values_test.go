package detail_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/detail"
)

// ramp returns n samples that rise from 0; one of them is unknown.
func ramp(n int) []detail.Sample {
	var all []detail.Sample
	for i := range n {
		all = append(all, detail.Sample{CPU: float64(i), Memory: int64(100+i) << 20})
	}
	all[n/2].CPU = -1
	return all
}

func TestGraphsOfUsage(t *testing.T) {
	var b strings.Builder
	for _, w := range []int{55, 58, 92} {
		for _, n := range []int{3, 4, 20, 100} {
			fmt.Fprintf(&b, "%d columns, %d samples\n", w, n)
			m := newDetail(running(), w, 12)
			m.SetUsage(ramp(n), 5*time.Second)
			for line := range strings.SplitSeq(ansi.Strip(m.View()), "\n") {
				if got := cells.Width(line); got != w {
					t.Errorf("%d columns: a line is %d wide: %q", w, got, line)
				}
				if strings.Contains(line, "CPU") || strings.HasPrefix(line, "memory") {
					b.WriteString(line + "|\n")
				}
			}
		}
	}
	golden.RequireEqual(t, b.String())
}

func TestGraphIsOfTheShownJobWhileItRuns(t *testing.T) {
	m := newDetail(running(), 92, 20)
	m.SetUsage(ramp(20), 5*time.Second)
	graphed := func() bool { return strings.Contains(m.View(), "peak 19% in") }
	if !graphed() {
		t.Errorf("no graph of a running job:\n%s", ansi.Strip(m.View()))
	}
	m.SetJob(running())
	if !graphed() {
		t.Error("a change of the job took its graph away")
	}
	m.SetJob(failed())
	if graphed() {
		t.Error("a graph of a job that has ended")
	}
	other := running()
	other.ID = "other-aaaaa"
	m.SetJob(other)
	if graphed() {
		t.Error("the graph of another job")
	}
}
