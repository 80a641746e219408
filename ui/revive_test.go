package ui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine"
)

func lostJob(id engine.ID, env ...string) engine.Job {
	j := running(string(id), "make", time.Minute)
	j.Name, j.EnvNames = string(id), env
	j.State = engine.State{Status: engine.Lost, Exit: engine.Exit{Status: engine.Lost, Reason: engine.ReasonReboot}}
	return j
}

// The pane says once what a reboot ended; the key asks before it starts anything.
func TestRevive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{jobs: []engine.Job{lostJob("web-aaaaa"), lostJob("db-aaaaa"), lostJob("key-aaaaa", "TOKEN")}}
		s := newHarness(t, 120, 30, f, WithReboot(3))
		s.sees("3 jobs ended with the reboot · V revive")
		s.press("V")
		s.sees("Start 2 jobs again?")
		s.sees("Left out: key-aaaaa. To start: hob revive -e TOKEN=VALUE")
		s.press("esc")
		s.press("V")
		s.press("y")
		s.sees("Started 2 jobs again")
		calls := slices.DeleteFunc(s.eng.did(), func(call string) bool { return !strings.HasPrefix(call, "revive") })
		want := []string{"revive 3, dry run true", "revive 3, dry run true", "revive 2, dry run false"}
		if !slices.Equal(calls, want) {
			t.Errorf("calls %q", calls)
		}
	})
}

func TestNothingToRevive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, &fake{jobs: []engine.Job{running("dev-aaaaa", "npm run dev", time.Minute)}})
		s.seesNot("reboot")
		s.press("V")
		s.sees("No job to start")
	})
}

// With a job of a host selected that a reboot ended, the key offers the jobs of that host.
func TestReviveOnHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		there := lostJob("train-aaaaa")
		there.Host = "gpu1"
		s := newHarness(t, 120, 30, &fake{jobs: []engine.Job{lostJob("web-aaaaa"), there}})
		s.press("V")
		s.sees("Start 1 job again on gpu1?")
		s.press("esc")
		s.press("j")
		s.press("V")
		s.sees("Start 1 job again?")
		s.press("y")
		s.sees("Started 1 job again")
	})
}
