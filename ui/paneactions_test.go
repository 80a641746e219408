package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
)

func TestKeysReachTheEngine(t *testing.T) {
	tests := map[string]struct {
		keys []string
		want []string
	}{
		"stop":                         {[]string{"x"}, []string{"stop dev-aaaaa"}},
		"kill":                         {[]string{"X"}, []string{"kill dev-aaaaa"}},
		"kill several asks, no":        {[]string{"space", "space", "X", "enter"}, nil},
		"signal":                       {[]string{"K", "j", "enter"}, []string{"signal dev-aaaaa SIGINT"}},
		"signal, left":                 {[]string{"K", "esc"}, nil},
		"clear":                        {[]string{"j", "c"}, []string{"clear [test-aaaaa]"}},
		"clear of a running job":       {[]string{"c"}, nil},
		"clear all finished":           {[]string{"C"}, []string{"clear [build-aaaaa test-aaaaa]"}},
		"undo":                         {[]string{"C", "u"}, []string{"clear [build-aaaaa test-aaaaa]", "undo [build-aaaaa test-aaaaa]"}},
		"undo twice":                   {[]string{"C", "u", "u"}, []string{"clear [build-aaaaa test-aaaaa]", "undo [build-aaaaa test-aaaaa]", "undo []"}},
		"remove asks, no":              {[]string{"d", "enter"}, nil},
		"remove asks, yes":             {[]string{"d", "y"}, []string{"remove dev-aaaaa"}},
		"remove of a finished job":     {[]string{"j", "d"}, []string{"clear [test-aaaaa]"}},
		"restart":                      {[]string{"j", "r"}, []string{"restart test-aaaaa"}},
		"new":                          {[]string{"n", "l", "s", "enter"}, []string{`start "ls" in "/home/me/src" on ""`}},
		"new, nothing":                 {[]string{"n", "enter"}, nil},
		"run another":                  {[]string{"R"}, []string{"run-another dev-aaaaa"}},
		"edit and restart":             {[]string{"e", "x", "enter"}, []string{`restart dev-aaaaa as "npm run devx" in "/home/me/src" on ""`}},
		"a line":                       {[]string{"i", "y", "e", "s", "enter"}, []string{`write dev-aaaaa "yes\r"`}},
		"a line, left":                 {[]string{"i", "y", "esc"}, nil},
		"marked rows":                  {[]string{"space", "space", "d", "y"}, []string{"remove dev-aaaaa", "remove test-aaaaa"}},
		"from the log":                 {[]string{"enter", "x"}, []string{"stop dev-aaaaa"}},
		"d does nothing in the log":    {[]string{"enter", "d"}, nil},
		"from the palette":             {[]string{":", "s", "t", "o", "p", "enter"}, []string{"stop dev-aaaaa"}},
		"Cyrillic, by its place":       {[]string{"ч"}, []string{"stop dev-aaaaa"}},
		"stop of a finished one":       {[]string{"j", "x"}, nil},
		"Ctrl+B in the panes: nothing": {[]string{"ctrl+b"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newHarness(t, 100, 30, three())
				s.press(tt.keys...)
				if tt.want == nil {
					for _, c := range s.eng.did() {
						if !strings.HasPrefix(c, "open-") {
							t.Errorf("the engine was called: %s", c)
						}
					}
					return
				}
				s.calledLast(tt.want...)
			})
		})
	}
}

// Clearing more than ten finished jobs asks first.
func TestClearingManyJobsAsks(t *testing.T) {
	for name, c := range map[string]struct {
		jobs    int
		keys    []string
		cleared bool
	}{
		"ten":         {10, []string{"C"}, true},
		"eleven":      {11, []string{"C"}, false},
		"eleven, no":  {11, []string{"C", "enter"}, false},
		"eleven, yes": {11, []string{"C", "y"}, true},
		"eleven, Esc": {11, []string{"C", "esc"}, false},
	} {
		inBubble(t, name, func(t *testing.T) {
			f := &fake{jobs: []engine.Job{running("dev-aaaaa", "npm run dev", time.Minute)}}
			for i := range c.jobs {
				f.jobs = append(f.jobs, exited(running(fmt.Sprintf("job%d-aaaaa", i), "make", time.Hour), 0))
			}
			s := newHarness(t, 100, 30, f)
			s.press(c.keys...)
			if c.jobs > 10 && len(c.keys) == 1 {
				s.sees("Clear 11 finished jobs?")
			}
			cleared := slices.ContainsFunc(s.eng.did(), func(call string) bool { return strings.HasPrefix(call, "clear ") })
			if cleared != c.cleared {
				t.Errorf("cleared: %v, want %v", cleared, c.cleared)
			}
		})
	}
}

// C clears the jobs that the list stands for: those that the filter leaves, and the folded ones of
// the whole list.
func TestClearFinishedFollowsTheFilter(t *testing.T) {
	many := func() *fake {
		f := &fake{jobs: []engine.Job{running("web-aaaaa", "web server", time.Minute)}}
		for i := range 30 {
			name := "make"
			if i >= 18 {
				name = "test"
			}
			f.jobs = append(f.jobs, exited(running(fmt.Sprintf("%s%02d-aaaaa", name, i), name, time.Hour), 0))
		}
		f.jobs = append(f.jobs, exited(running("lint-aaaaa", "lint", time.Hour), 0))
		return f
	}
	for name, tt := range map[string]struct {
		filter string
		want   string
		jobs   int // that yes clears
	}{
		"no filter":         {"", "Clear 31 finished jobs?", 31},
		"a filter":          {"test", "Clear 12 finished jobs matching /test?", 12},
		"one match":         {"lint", "Cleared lint", 1},
		"only running jobs": {"web", "No finished job matching /web", 0},
		"no match":          {"zzz", "No finished job matching /zzz", 0},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 100, 30, many())
			s.press("/")
			s.write(tt.filter)
			s.press("enter", "C")
			s.sees(tt.want)
			s.press("y")
			cleared := 0
			for _, call := range s.eng.did() {
				if ids, ok := strings.CutPrefix(call, "clear "); ok {
					cleared += len(strings.Fields(ids))
					if tt.filter != "" && strings.Count(ids, tt.filter) != tt.jobs {
						t.Errorf("%s are cleared, want those of %q", ids, tt.filter)
					}
				}
			}
			if cleared != tt.jobs {
				t.Errorf("%d jobs are cleared, want %d", cleared, tt.jobs)
			}
		})
	}
}

func TestBorderCountsFilteredJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{jobs: []engine.Job{exited(running("lint-aaaaa", "lint", time.Hour), 0)}}
		s := newHarness(t, 100, 30, f)
		s.press("/")
		s.write("lint")
		s.press("enter")
		s.sees("1 of 1 job · /lint")
		s.facts(engine.Event{Kind: engine.EventRemoved, Job: f.jobs[0]})
		s.sees("0 of 0 jobs · /lint")
	})
}

func TestRefusedActionsShowReason(t *testing.T) {
	tests := map[string]struct {
		keys []string
		want string
	}{
		"clear of a running job": {[]string{"c"}, "still running · x stop · d stop and clear"},
		"stop of a finished one": {[]string{"j", "x"}, "make test has already exited (exit 2)"},
		"line to a finished one": {[]string{"j", "i"}, "make test has already exited"},
		"undo of nothing":        {[]string{"u"}, "Nothing to undo"},
		"Ctrl+C":                 {[]string{"ctrl+c"}, "Ctrl+C again to quit. Jobs keep running."},
		"a key of the log":       {[]string{"w"}, "w (wrap) works in the log · 3 go there · : run by name"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newHarness(t, 120, 30, three())
				s.press(tt.keys...)
				s.sees(tt.want)
			})
		})
	}
}

// The row shows that the job was stopped, so no message repeats it.
func TestStopShowsNoMessage(t *testing.T) {
	for _, k := range []string{"x", "X"} {
		inBubble(t, k, func(t *testing.T) {
			s := newHarness(t, 100, 30, three())
			s.press(k)
			if lines := s.pane.notices.Lines(100, 3); len(lines) > 0 {
				t.Errorf("messages: %q", lines)
			}
		})
	}
}

// Messages about a lost job do not claim that it exited, and name the remaining options.
func TestKeysOnLostJob(t *testing.T) {
	lost := running("lost-aaaaa", "rsync", time.Hour)
	lost.Status, lost.Exit = engine.Lost, engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied, At: noon.Add(-time.Minute)}
	for k, want := range map[string]string{
		"x": "The job is lost; it may no longer be running · r restart",
		"X": "The job is lost", "K": "The job is lost", "i": "The job is lost",
		"2": "last seen 11:59:00",
	} {
		inBubble(t, k, func(t *testing.T) {
			s := newHarness(t, 120, 30, &fake{jobs: []engine.Job{lost}})
			s.press(k)
			s.sees(want)
		})
	}
	for k, want := range map[string]string{"r": "restart lost-aaaaa", "c": "clear [lost-aaaaa]", "d": "clear [lost-aaaaa]"} {
		inBubble(t, k, func(t *testing.T) {
			s := newHarness(t, 120, 30, &fake{jobs: []engine.Job{lost}})
			s.press(k)
			s.calledLast(want)
		})
	}
}

// TestPaletteRunsActionsWithNamedKeys runs an action of the log that is bound to a named key.
func TestPaletteRunsActionsWithNamedKeys(t *testing.T) {
	keys, err := keymap.Default().Apply(keymap.Overrides{"wrap": {"f5"}})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three(), WithKeys(keys))
		s.press(":")
		s.write("wrap")
		s.press("enter")
		s.sees("WRAP")
	})
}

func TestHelpNamesItsSections(t *testing.T) {
	for _, section := range keymap.Sections() {
		if section.Title == "" {
			t.Errorf("section %q has no title", section.Name)
		}
	}
}

func TestEngineErrorsAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.fail["stop"] = &engine.Error{Op: "stop", Job: "dev-aaaaa", Err: engine.ErrUnreachable, Hint: "hob hosts check web1 says why"}
		s := newHarness(t, 120, 30, eng)
		s.press("x")
		s.sees("Can't stop npm run dev: the host is unreachable; hob hosts check web1")
	})
}

func TestEscGoesBackAndNeverQuits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("enter", "z", "esc", "esc", "/", "m", "enter", "esc", "space", "esc", "esc", "esc", "esc")
		if _, ok := sentMsg[LeaveMsg](s); ok {
			t.Error("Esc left")
		}
		if s.pane.view.focus != areaList || s.pane.view.zoomed || s.pane.list.Filter() != "" || len(s.pane.list.Marked()) > 0 {
			t.Errorf("Esc did not go all the way back: focus %v, zoomed %v, filter %q", s.pane.view.focus, s.pane.view.zoomed, s.pane.list.Filter())
		}
	})
}

func TestQuit(t *testing.T) {
	tests := map[string]struct {
		keys  []string
		leave bool
	}{
		"q":                      {[]string{"q"}, true},
		"q in the log goes back": {[]string{"enter", "q"}, false},
		"then leaves":            {[]string{"enter", "q", "q"}, true},
		"q in a prompt is text":  {[]string{"/", "q"}, false},
		"q closes help":          {[]string{"?", "q"}, false},
		"Ctrl+C":                 {[]string{"ctrl+c"}, false},
		"Ctrl+C twice":           {[]string{"ctrl+c", "ctrl+c"}, true},
		"q while attached":       {[]string{"a", "q"}, false},
		"Ctrl+C twice, attached": {[]string{"a", "ctrl+c", "ctrl+c"}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newHarness(t, 100, 30, three())
				s.press(tt.keys...)
				if _, ok := sentMsg[LeaveMsg](s); ok != tt.leave {
					t.Errorf("left: %v, want %v", ok, tt.leave)
				}
			})
		})
	}
}

func TestCopyAndOpenAreSentToHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("y")
		if m, _ := sentMsg[CopyMsg](s); m.Text != "npm run dev" {
			t.Errorf("y copies %q", m.Text)
		}
		s.press("Y")
		if m, _ := sentMsg[CopyMsg](s); m.Text != "/home/me/jobs/dev-aaaaa/output.log" {
			t.Errorf("Y copies %q", m.Text)
		}
		s.press("o")
		if m, _ := sentMsg[OpenMsg](s); m != (OpenMsg{Path: "/home/me/jobs/dev-aaaaa/output.log"}) {
			t.Errorf("o opens %+v", m)
		}
		s.press("E")
		if m, _ := sentMsg[OpenMsg](s); !m.Editor {
			t.Errorf("E opens %+v", m)
		}
	})
}

func TestSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("j", "enter", "/")
		s.write("FAIL")
		s.sees("1 of 2")
		s.press("enter", "n")
		s.sees("/FAIL  2 of 2")
		s.press("esc")
		s.seesNot("2 of 2")
		if s.pane.view.focus != areaLog {
			t.Error("Esc that ended the search also left the log")
		}
	})
}

func TestMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.pane.SetOrigin(10, 5)
		find := func(text string) tea.Mouse {
			t.Helper()
			for y, line := range strings.Split(s.screen(), "\n") {
				if before, _, ok := strings.Cut(line, text); ok {
					return tea.Mouse{X: cells.Width(before) + 10, Y: y + 5, Button: tea.MouseLeft}
				}
			}
			t.Fatalf("%q is not on the screen", text)
			return tea.Mouse{}
		}
		s.deliver(tea.MouseClickMsg(find("make test")))
		s.pump()
		if j, _ := s.pane.Selected(); j.ID != "test-aaaaa" {
			t.Errorf("a click selected %s", j.ID)
		}
		s.deliver(tea.MouseClickMsg(find("FAIL TestOne")))
		s.pump()
		if s.pane.view.focus != areaLog {
			t.Errorf("a click into the log focused %v", s.pane.view.focus)
		}
		at := find("npm run dev")
		s.deliver(tea.MouseClickMsg(at))
		s.deliver(tea.MouseClickMsg(at))
		s.pump()
		s.sees("screen of dev-aaaaa")
	})
}

func TestJumpToPercentage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		var log strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&log, "line %03d\n", i)
		}
		eng.logs["dev-aaaaa"] = log.String()
		s := newHarness(t, 100, 20, eng)
		s.press("enter", "%")
		s.write("many")
		s.press("enter")
		s.sees("not a number from 0 to 100")
		s.press("ctrl+u")
		s.write("50")
		s.press("enter")
		s.sees("line 500")
		s.seesNot("line 999")
	})
}

func TestMouseIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 20, three())
		s.press("M")
		if _, ok := sentMsg[ToggleMouseMsg](s); !ok {
			t.Error("the program was not asked to give the mouse back")
		}
	})
}

func TestOpeningBoxRemovesMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("u")
		s.sees("Nothing to undo")
		s.press("?")
		s.seesNot("Nothing to undo")
	})
}

// The message about a clear disappears after seconds, but undo still works.
func TestUndoAfterMessageDisappeared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		s := newHarness(t, 120, 30, eng)
		s.press("j", "c")
		s.pass(undoFor + time.Second)
		eng.trash = []engine.ID{"test-aaaaa"}
		s.press("u")
		if did := eng.did(); did[len(did)-1] != "undo []" {
			t.Errorf("calls: %q", did)
		}
		s.seesNot("Nothing to undo")
		s.sees("make test")
		eng.trash = nil
		s.press("u")
		s.sees("Nothing to undo")
	})
}

// Each action of the palette has its own title.
func TestPaletteSaysNoTitleTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 40, three())
		seen := map[string]string{}
		for id, a := range s.pane.actions.all {
			if a.rank == unlisted {
				continue
			}
			if other, ok := seen[a.Description]; ok {
				t.Errorf("%s and %s are both %q", id, other, a.Description)
			}
			seen[a.Description] = id
		}
	})
}

// The palette begins with what can be done with the selected job, and with what was chosen last.
func TestPaletteOrder(t *testing.T) {
	inBubble(t, "of a running job", func(t *testing.T) {
		s := newHarness(t, 120, 40, three())
		s.press(":")
		s.sees("│ open the log ")
		s.press("esc", ":")
		s.write("run another")
		s.press("enter")
		s.calledLast("run-another dev-aaaaa")
		s.press(":")
		lines := strings.Split(s.screen(), "\n")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "│ : ") })
		if at < 0 || !strings.Contains(lines[at+2], "run another one; the first keeps running") {
			t.Errorf("the last action is not the first entry:\n%s", s.screen())
		}
	})
	inBubble(t, "what is impossible is last", func(t *testing.T) {
		s := newHarness(t, 120, 40, three())
		s.press("j", ":", "up")
		s.sees("switch between stdout and stderr")
	})
}
