package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
)

// Whatever the width, the header says how many failed.
func TestHeaderKeepsWhatMatters(t *testing.T) {
	waits := running("apply-aaaaa", "terraform apply", time.Minute)
	waits.Waiting = true
	several := func(running, failed int) *fake {
		eng := three()
		eng.jobs = append(eng.jobs, waits)
		for range running {
			j := eng.jobs[0]
			j.ID = engine.ID("more-" + strings.Repeat("a", len(eng.jobs)))
			eng.jobs = append(eng.jobs, j)
		}
		for range failed {
			j := eng.jobs[1]
			j.ID = engine.ID("more-" + strings.Repeat("a", len(eng.jobs)))
			eng.jobs = append(eng.jobs, j)
		}
		return eng
	}
	for name, tt := range map[string]struct {
		w    int
		eng  *fake
		want string
	}{
		"wide":                     {100, several(0, 0), " hob   ● 1 running   ◆ 1 waits for you   ✗ 1 failed   ✓ 1 done"},
		"no room for what is done": {60, several(0, 0), " hob   ● 1 running   ◆ 1 waits for you   ✗ 1 failed"},
		"closer":                   {48, several(0, 0), " hob  ● 1 running  ◆ 1 waits for you  ✗ 1 failed"},
		"shorter words":            {47, several(0, 0), " hob  ● 1  ◆ 1 waits  ✗ 1 failed"},
		"narrow":                   {40, several(4, 2), " hob  ● 5  ◆ 1 waits  ✗ 3 failed"},
		"many":                     {40, several(120, 140), " hob  ● 121  ◆ 1 waits  ✗ 141 failed"},
		"none waits":               {40, three(), " hob   ● 1 running   ✗ 1 failed"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, max(tt.w, 20), 20, tt.eng)
			if got := strings.TrimRight(ansi.Strip(s.pane.header(tt.w)), " "); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
