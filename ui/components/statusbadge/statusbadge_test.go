package statusbadge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// fullWidth is the width of a column of badges with full words.
const fullWidth = 14

func TestBadge(t *testing.T) {
	code := func(n int) *int { return &n }
	tests := map[string]struct {
		job         engine.Job
		text, ascii string
		need        int
	}{
		"queued":       {engine.Job{State: engine.State{Status: engine.Queued}}, "◷ queued", ": queued", 4},
		"between runs": {engine.Job{State: engine.State{Status: engine.Queued, Runs: &engine.Runs{NextAt: time.Now()}}}, "↻ restart", "@ restart", 1},
		"unreachable":  {engine.Job{State: engine.State{Status: engine.Running, Waiting: true, Link: engine.LinkUnreachable}}, "○ stale", ". stale", 3},
		"starting":     {engine.Job{State: engine.State{Status: engine.Starting}}, "○ starting", ". starting", 3},
		"running":      {engine.Job{State: engine.State{Status: engine.Running}}, "● running", "* running", 3},
		"paused":       {engine.Job{State: engine.State{Status: engine.Running, Paused: true}}, "‖ paused", "= paused", 3},
		"waiting":      {engine.Job{State: engine.State{Status: engine.Running, Waiting: true}}, "◆ needs input", "! needs input", 0},
		"stopping":     {engine.Job{State: engine.State{Status: engine.Stopping, Waiting: true}}, "◐ stopping", "~ stopping", 3},
		"exit 0":       {ended(engine.Exited, engine.Exit{Code: code(0), Reason: engine.ReasonExit}), "✓ exit 0", "+ exit 0", 6},
		"exit 2":       {ended(engine.Exited, engine.Exit{Code: code(2), Reason: engine.ReasonExit}), "✗ exit 2", "x exit 2", 5},
		"no code":      {ended(engine.Exited, engine.Exit{Reason: engine.ReasonExit}), "✗ ended", "x ended", 5},
		"a signal without a request to stop": {
			ended(engine.Killed, engine.Exit{Code: code(137), Signal: "SIGKILL", Reason: engine.ReasonSignal}), "✗ SIGKILL", "x SIGKILL", 5,
		},
		"stopped, needed SIGKILL": {
			ended(engine.Killed, engine.Exit{Code: code(137), Signal: "SIGKILL", Reason: engine.ReasonKill}), "■ stopped", "- stopped", 6,
		},
		"ended by a signal that was sent with hob": {
			ended(engine.Killed, engine.Exit{Signal: "SIGINT", Reason: engine.ReasonSignal, EndedBy: "cli"}), "■ stopped", "- stopped", 6,
		},
		"stopped by a person": {
			ended(engine.Killed, engine.Exit{Code: code(143), Signal: "SIGTERM", Reason: engine.ReasonKill}), "■ stopped", "- stopped", 6,
		},
		"stopped, handled the signal": {
			ended(engine.Killed, engine.Exit{Code: code(0), Reason: engine.ReasonKill}), "■ stopped", "- stopped", 6,
		},
		"timeout":         {ended(engine.Killed, engine.Exit{Signal: "SIGTERM", Reason: engine.ReasonTimeout}), "✗ timeout", "x timeout", 5},
		"could not start": {ended(engine.Failed, engine.Exit{Code: code(127), Reason: engine.ReasonSpawn}), "✗ failed", "x failed", 5},
		"lost":            {ended(engine.Lost, engine.Exit{Reason: engine.ReasonHolderDied}), "? lost", "? lost", 5},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			styles := themes.Default(true).Styles(themes.Unicode())
			if got := statusbadge.Text(styles, tt.job); got != tt.text {
				t.Errorf("text is %q, want %q", got, tt.text)
			}
			if got := statusbadge.Text(themes.Default(true).Styles(themes.ASCII()), tt.job); got != tt.ascii {
				t.Errorf("ascii text is %q, want %q", got, tt.ascii)
			}
			if got := statusbadge.NeedOf(tt.job); got != statusbadge.Need(tt.need) {
				t.Errorf("need is %d, want %d", got, tt.need)
			}
			for _, w := range []int{statusbadge.Width, fullWidth} {
				if got := cells.Width(statusbadge.Column(styles, tt.job, w)); got != w {
					t.Errorf("column of %d is %d wide", w, got)
				}
			}
			if got := strings.TrimSpace(statusbadge.Column(styles, tt.job, fullWidth)); got != tt.text {
				t.Errorf("full column is %q, want %q", got, tt.text)
			}
		})
	}
}

func ended(s engine.Status, e engine.Exit) engine.Job {
	e.Status = s
	return engine.Job{State: engine.State{Status: s, Exit: e}}
}

// A word that does not fit a narrow column is shortened, not cut.
func TestBriefWords(t *testing.T) {
	styles := themes.Default(true).Styles(themes.Unicode())
	for signal, want := range map[string]string{"SIGVTALRM": "✗ SIGVTALRM ", "SIGSTKFLT": "✗ SIGSTKFLT ", "SIGKILL": "✗ SIGKILL   "} {
		j := ended(engine.Killed, engine.Exit{Signal: signal, Reason: engine.ReasonSignal})
		if got := statusbadge.Column(styles, j, statusbadge.Width); got != want {
			t.Errorf("%s is shown as %q, want %q", signal, got, want)
		}
	}
	waiting := engine.Job{State: engine.State{Status: engine.Running, Waiting: true}}
	if got, want := statusbadge.Column(styles, waiting, statusbadge.Width), "◆ input     "; got != want {
		t.Errorf("a job that needs input is shown as %q, want %q", got, want)
	}
}
