package statusbadge_test

import (
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

func TestBadge(t *testing.T) {
	code := func(n int) *int { return &n }
	tests := map[string]struct {
		job         engine.Job
		text, ascii string
		need        int
	}{
		"starting": {engine.Job{State: engine.State{Status: engine.Starting}}, "○ starting", ". starting", 1},
		"running":  {engine.Job{State: engine.State{Status: engine.Running}}, "● running", "* running", 1},
		"paused":   {engine.Job{State: engine.State{Status: engine.Running, Paused: true}}, "‖ paused", "= paused", 1},
		"waiting":  {engine.Job{State: engine.State{Status: engine.Running, Waiting: true}}, "◆ waits", "! waits", 0},
		"stopping": {engine.Job{State: engine.State{Status: engine.Stopping, Waiting: true}}, "◐ stopping", "~ stopping", 1},
		"exit 0":   {ended(engine.Exited, engine.Exit{Code: code(0), Reason: engine.ReasonExit}), "✓ exit 0", "+ exit 0", 3},
		"exit 2":   {ended(engine.Exited, engine.Exit{Code: code(2), Reason: engine.ReasonExit}), "✗ exit 2", "x exit 2", 2},
		"no code":  {ended(engine.Exited, engine.Exit{Reason: engine.ReasonExit}), "✗ ended", "x ended", 2},
		"a signal that nobody asked for": {
			ended(engine.Killed, engine.Exit{Code: code(137), Signal: "SIGKILL", Reason: engine.ReasonSignal}), "✗ SIGKILL", "x SIGKILL", 2,
		},
		"stopped by a person": {
			ended(engine.Killed, engine.Exit{Code: code(143), Signal: "SIGTERM", Reason: engine.ReasonKill}), "✗ SIGTERM", "x SIGTERM", 3,
		},
		"stopped, handled the signal": {
			ended(engine.Killed, engine.Exit{Code: code(0), Reason: engine.ReasonKill}), "✗ stopped", "x stopped", 3,
		},
		"timeout":         {ended(engine.Killed, engine.Exit{Signal: "SIGTERM", Reason: engine.ReasonTimeout}), "✗ timeout", "x timeout", 2},
		"could not start": {ended(engine.Failed, engine.Exit{Code: code(127), Reason: engine.ReasonSpawn}), "✗ failed", "x failed", 2},
		"lost":            {ended(engine.Lost, engine.Exit{Reason: engine.ReasonHolderDied}), "? lost", "? lost", 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			styles := themes.Default(true).Styles(themes.Unicode())
			badge := statusbadge.New(styles.Badge, themes.Unicode())
			if got := badge.Text(tt.job); got != tt.text {
				t.Errorf("text is %q, want %q", got, tt.text)
			}
			if got := statusbadge.New(styles.Badge, themes.ASCII()).Text(tt.job); got != tt.ascii {
				t.Errorf("ascii text is %q, want %q", got, tt.ascii)
			}
			if got := statusbadge.StateOf(tt.job).Need(); got != tt.need {
				t.Errorf("need is %d, want %d", got, tt.need)
			}
			if got := cells.Width(badge.Column(tt.job)); got != statusbadge.Width {
				t.Errorf("column is %d wide", got)
			}
		})
	}
}

func ended(s engine.Status, e engine.Exit) engine.Job {
	e.Status = s
	return engine.Job{State: engine.State{Status: s, Exit: e}}
}

// The longest name of a signal is told apart from others in the column, too.
func TestColumnOfALongSignal(t *testing.T) {
	badge := statusbadge.New(themes.Default(true).Styles(themes.Unicode()).Badge, themes.Unicode())
	for signal, want := range map[string]string{"SIGVTALRM": "✗ VTALRM  ", "SIGSTKFLT": "✗ STKFLT  ", "SIGKILL": "✗ SIGKILL "} {
		j := ended(engine.Killed, engine.Exit{Signal: signal, Reason: engine.ReasonSignal})
		if got := badge.Column(j); got != want {
			t.Errorf("%s is shown as %q, want %q", signal, got, want)
		}
	}
}
