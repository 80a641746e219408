package ui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

func TestEnterUnfoldsOldJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		for i := range 30 {
			eng.jobs = append(eng.jobs, exited(running(fmt.Sprintf("old-%02d", i), fmt.Sprintf("task %02d", i), time.Hour), 0))
		}
		eng.jobs[len(eng.jobs)-1] = exited(eng.jobs[len(eng.jobs)-1], 1)
		eng.jobs[len(eng.jobs)-1].Seen = true
		s := newHarness(t, 120, 50, eng)
		s.sees("▸ 21 older")
		s.press("G")
		s.sees("Enter unfold")
		s.sees("╭ Older jobs ─")
		s.sees("│ 21 older jobs: 20 succeeded, 1 failed ")
		s.sees("│ Enter unfold · / filter all jobs ")
		s.sees("Select one job to see its log.")
		s.run(s.pane.SetSize(40, 50))
		s.press("2")
		s.sees("│ Enter unfold · / filter all jobs     │")
		s.press("1")
		s.run(s.pane.SetSize(120, 50))
		s.pump()
		s.press("x") // no job is selected
		s.sees("No job is selected")
		s.press("enter")
		s.sees("▾ 21 older")
		s.sees("Enter fold · / filter")
		s.press("space")
		s.sees("▸ 21 older")

		s.run(s.pane.Select("old-29"))
		s.pump()
		if j, ok := s.pane.Selected(); !ok || j.ID != "old-29" {
			t.Errorf("%q is selected", j.ID)
		}
		s.sees("task 29")
		s.seesNot("Older jobs")
	})
}

func TestFoldingAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		for _, name := range []string{"web", "worker"} {
			j := running(name+"-ggggg", name, time.Minute)
			j.Labels = map[string]string{"group": "shop", "project": "/src/shop", "process": name}
			eng.jobs = append(eng.jobs, j)
		}
		s := newHarness(t, 120, 30, eng)
		s.sees("▾ shop                      2 up")
		s.sees("  worker")
		s.run(s.pane.Select("web-ggggg"))
		s.press("h")
		s.sees("▸ shop                      2 up")
		s.seesNot("  worker")
		s.sees("╭ shop: all output ─")
		s.sees("Enter log")
		s.press("2")
		s.sees("│ 2 jobs: 2 running ")
		s.sees("│ Enter log of all · l unfold ")
		s.press("1", "l")
		s.sees("▾ shop                      2 up")
	})
}

// The row of a group stands for its jobs.
func TestKeysOnAGroup(t *testing.T) {
	for name, tt := range map[string]struct {
		keys  []string
		sees  string
		calls []string
	}{
		"the footer names them":     {nil, " Enter log  x stop all  r restart all  / filter ", nil},
		"stop asks":                 {[]string{"x"}, "Stop all of shop?", nil},
		"stop, no":                  {[]string{"x", "enter"}, "▸ shop", nil},
		"stop, yes":                 {[]string{"x", "y"}, "▸ shop", []string{"stop web-ggggg", "stop worker-ggggg", "stop-all 2"}},
		"restart":                   {[]string{"r"}, "▸ shop", []string{"restart web-ggggg", "restart worker-ggggg"}},
		"kill asks":                 {[]string{"X"}, "Kill 2 jobs now?", nil},
		"Space marks all":           {[]string{"space"}, "2 marked", nil},
		"Space again unmarks them":  {[]string{"space", "space"}, "▾ shop", nil},
		"an action of one job only": {[]string{"a"}, "This works on one job: select one of shop", nil},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 120, 30, withGroup())
			s.run(s.pane.Select("web-ggggg"))
			s.press("h")
			s.press(tt.keys...)
			s.sees(tt.sees)
			calls := slices.DeleteFunc(s.eng.did(), func(c string) bool {
				return !strings.HasPrefix(c, "stop") && !strings.HasPrefix(c, "restart")
			})
			slices.Sort(calls)
			if got, want := strings.Join(calls, ", "), strings.Join(tt.calls, ", "); got != want {
				t.Errorf("called %q, want %q", got, want)
			}
			if marked := len(s.pane.list.Marked()); marked != 0 && tt.sees != "2 marked" {
				t.Errorf("%d are marked", marked)
			}
		})
	}
}

// withGroup is an engine with a group of two jobs, beside three others.
func withGroup() *fake {
	eng := three()
	for _, name := range []string{"web", "worker"} {
		j := running(name+"-ggggg", name, time.Minute)
		j.Labels = map[string]string{"group": "shop", "project": "/src/shop", "process": name}
		eng.jobs = append(eng.jobs, j)
	}
	return eng
}

// Which jobs of a group are restarted is decided by the host of the pane, but not for those that the user has marked.
func TestRestartOfAGroupAsksTheHost(t *testing.T) {
	for name, tt := range map[string]struct {
		keys  []string
		jobs  []engine.ID
		err   error
		sees  string
		calls []string
	}{
		"some":                 {keys: []string{"r"}, jobs: []engine.ID{"worker-ggggg"}, sees: "▸ shop", calls: []string{"restart worker-ggggg"}},
		"none":                 {keys: []string{"r"}, sees: "Nothing of shop is to be restarted"},
		"an error":             {keys: []string{"r"}, err: errors.New("disk full"), sees: "Can't restart shop: disk full"},
		"marked jobs":          {keys: []string{"space", "r"}, sees: "▾ shop", calls: []string{"restart web-ggggg", "restart worker-ggggg"}},
		"one job of the group": {keys: []string{"l", "down", "r"}, sees: "▾ shop", calls: []string{"restart web-ggggg"}},
	} {
		inBubble(t, name, func(t *testing.T) {
			eng := withGroup()
			asked := map[string]string{}
			s := newHarness(t, 120, 30, eng, WithGroupRestart(func(_ context.Context, labels map[string]string) (jobs []engine.Job, err error) {
				maps.Copy(asked, labels)
				for _, id := range tt.jobs {
					jobs = append(jobs, eng.job(id))
				}
				return jobs, tt.err
			}))
			s.run(s.pane.Select("web-ggggg"))
			s.press("h")
			s.press(tt.keys...)
			s.sees(tt.sees)
			calls := slices.DeleteFunc(s.eng.did(), func(c string) bool { return !strings.HasPrefix(c, "restart") })
			slices.Sort(calls)
			if got, want := strings.Join(calls, ", "), strings.Join(tt.calls, ", "); got != want {
				t.Errorf("called %q, want %q", got, want)
			}
			want := map[string]string{"group": "shop", "project": "/src/shop"}
			if len(tt.keys) == 1 && !maps.Equal(asked, want) {
				t.Errorf("asked for %v, want %v", asked, want)
			}
		})
	}
}

func TestPaneOfAGroupHasNoRowForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		for i := range eng.jobs {
			eng.jobs[i].Labels = map[string]string{"group": "shop"}
		}
		s := newHarness(t, 120, 30, eng, WithFilter(engine.Filter{Labels: map[string]string{"group": "shop"}}))
		s.seesNot("▾ shop")
	})
}

func TestClickOnAHeadingSortsTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		click := func(x, y int) {
			s.deliver(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			s.deliver(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
			s.pump()
		}
		click(14, 2)
		s.sees("Name▴")
		s.press("3")
		click(26, 2) // in the narrow list, where Age is
		s.sees("▴Age")
		click(14, 2)
		click(14, 2)
		s.sees("Name▾")
		if s.pane.view.focus != areaList {
			t.Error("the click did not give the list the keyboard")
		}
		click(14, 3)
		if j, _ := s.pane.Selected(); j.ID != "dev-aaaaa" {
			t.Errorf("the first row is %s", j.ID)
		}
		s.press("S")
		s.sees("▴Age")
		s.press("S")         // no job is on a host
		s.sees("─ by CPU ╮") // no visible job has been measured
		cpu := 3.0
		j := s.eng.jobs[0]
		j.CPU = &cpu
		s.facts(engine.Event{Kind: engine.EventTitle, Job: j})
		s.sees("▾CPU")
		s.press("I")
		s.sees("▴CPU")
	})
}

func TestFilterThatStaysShowsHowToClearIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("/", "m", "a")
		s.sees("1 of 3 jobs · /ma ─")
		s.press("enter")
		s.sees("1 of 3 jobs · /ma · Esc clear ─")
		s.press("esc")
		s.sees("/ filter ╯")
	})
}

func TestNextFilterReplacesTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("/", "m", "a", "enter")
		s.press("/")
		s.sees("1 of 3 jobs · /ma ─")
		s.press("w")
		s.sees("/w ─")
		s.press("enter", "/", "right", "e")
		s.sees("/we ─")
	})
}

func TestKeyThatClosesIsShownInTheSmallestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 20, 5, three())
		s.press("?")
		s.sees(" j down  Esc close")
	})
}

// The row of a group stays selected while its jobs are restarted, and a row that the user has selected since.
func TestRestartOfAGroupMovesNoSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		inGroup := func(id engine.ID, name string) engine.Job {
			j := running(string(id), name, time.Minute)
			j.Labels = map[string]string{"group": "shop", "project": "/src/shop", "process": name}
			return j
		}
		eng.jobs = append(eng.jobs, inGroup("web-ggggg", "web"), inGroup("worker-ggggg", "worker"))
		s := newHarness(t, 120, 30, eng)
		s.run(s.pane.Select("web-ggggg"))
		s.press("h")
		restarted := inGroup("again-aaaaa", "web")
		restarted.RestartedFrom = "web-ggggg"
		s.press("r")
		s.eng.sub.batches <- []engine.Event{{Kind: engine.EventCreated, Job: restarted}}
		s.pump()
		if group, _ := s.pane.list.Folded(); group != "shop" {
			t.Error("another row is selected")
		}
		s.sees("╭ shop: all output ─")

		eng.grace = make(chan struct{})
		s.run(s.pane.Select("again-aaaaa"))
		s.press("r")
		s.run(s.pane.Select("worker-ggggg"))
		close(eng.grace)
		s.pump()
		if j, _ := s.pane.list.Selected(); j.ID != "worker-ggggg" {
			t.Errorf("%s is selected", j.ID)
		}
	})
}
