package statusbadge_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// states returns a job for every badge, in the order of the list.
func states() []engine.Job {
	code := func(n int) *int { return &n }
	return []engine.Job{
		{State: engine.State{Status: engine.Running, Waiting: true}},
		{State: engine.State{Status: engine.Running, Waiting: true, Paused: true}},
		{State: engine.State{Status: engine.Queued, Runs: &engine.Runs{NextAt: time.Unix(1, 0), Failures: 2}}},
		{State: engine.State{Status: engine.Queued, Runs: &engine.Runs{NextAt: time.Unix(1, 0), Failures: 3}}},
		{State: engine.State{Status: engine.Running, Runs: &engine.Runs{Count: 3, Failures: 3}}},
		{State: engine.State{Status: engine.Starting, Runs: &engine.Runs{Count: 1, Failures: 1}}},
		{State: engine.State{Status: engine.Running, Health: &engine.Health{State: engine.Unhealthy}}},
		{State: engine.State{Status: engine.Running, Runs: &engine.Runs{Count: 3}}},
		{State: engine.State{Status: engine.Starting}},
		{State: engine.State{Status: engine.Running, Paused: true}},
		{State: engine.State{Status: engine.Stopping}},
		{State: engine.State{Status: engine.Running, Waiting: true, Link: engine.LinkUnreachable}},
		{State: engine.State{Status: engine.Queued}},
		ended(engine.Exited, engine.Exit{Code: code(2), Reason: engine.ReasonExit}),
		ended(engine.Exited, engine.Exit{Code: code(255), Reason: engine.ReasonExit}),
		ended(engine.Failed, engine.Exit{Code: code(127), Reason: engine.ReasonSpawn}),
		ended(engine.Killed, engine.Exit{Signal: "SIGKILL", Reason: engine.ReasonSignal}),
		ended(engine.Killed, engine.Exit{Signal: "SIGVTALRM", Reason: engine.ReasonSignal}),
		ended(engine.Killed, engine.Exit{Signal: "SIGTERM", Reason: engine.ReasonTimeout}),
		ended(engine.Lost, engine.Exit{Reason: engine.ReasonHolderDied}),
		ended(engine.Exited, engine.Exit{Code: code(0), Reason: engine.ReasonExit}),
		ended(engine.Killed, engine.Exit{Signal: "SIGTERM", Reason: engine.ReasonKill}),
		ended(engine.Killed, engine.Exit{Code: code(0), Reason: engine.ReasonKill}),
	}
}

func TestBadges(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"terminal", "light", "high-contrast", "none"} {
		for _, glyphs := range []themes.Glyphs{themes.Unicode(), themes.ASCII()} {
			theme, err := themes.Named(name, name != "light")
			if err != nil {
				t.Fatal(err)
			}
			styles := theme.Styles(glyphs)
			fmt.Fprintf(&b, "%s\n", name)
			for _, j := range states() {
				fmt.Fprintf(&b, "%d |%s| %q\n", statusbadge.NeedOf(j), statusbadge.Column(styles, j, statusbadge.Width), statusbadge.View(styles, j))
			}
		}
	}
	golden.RequireEqual(t, b.String())
}

// Jobs are ordered by need: those that need input, then paused ones, then finished ones.
func TestStatesAreOrderedByNeed(t *testing.T) {
	var last statusbadge.Need
	for _, j := range states() {
		if need := statusbadge.NeedOf(j); need < last {
			t.Errorf("%s comes after what is needed less", statusbadge.Word(j))
		} else {
			last = need
		}
	}
	order := []statusbadge.State{statusbadge.Waiting, statusbadge.Restarting, statusbadge.Unhealthy, statusbadge.Running, statusbadge.Starting, statusbadge.Paused,
		statusbadge.Stopping, statusbadge.Stale, statusbadge.Queued, statusbadge.Failed, statusbadge.Lost, statusbadge.Done, statusbadge.Stopped}
	for i, s := range order {
		if int(s) != i {
			t.Errorf("state %d is in place %d", s, i)
		}
	}
}

// States are distinguishable without colors and with ASCII glyphs.
func TestBadgesDoNotNeedColors(t *testing.T) {
	for _, glyphs := range []themes.Glyphs{themes.Unicode(), themes.ASCII()} {
		styles := themes.Default(true).Styles(glyphs)
		seen := map[string]statusbadge.Need{}
		for _, j := range states() {
			need := statusbadge.NeedOf(j)
			if other, ok := seen[statusbadge.Text(styles, j)]; ok && other != need {
				t.Errorf("%q is said of %d and %d", statusbadge.Text(styles, j), other, need)
			}
			seen[statusbadge.Text(styles, j)] = need
		}
	}
}
