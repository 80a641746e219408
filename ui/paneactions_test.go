package ui

import (
	"fmt"
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
		"undo twice":                   {[]string{"C", "u", "u"}, []string{"clear [build-aaaaa test-aaaaa]", "undo [build-aaaaa test-aaaaa]"}},
		"remove asks, no":              {[]string{"d", "enter"}, nil},
		"remove asks, yes":             {[]string{"d", "y"}, []string{"remove dev-aaaaa"}},
		"restart":                      {[]string{"j", "r"}, []string{"restart test-aaaaa"}},
		"new":                          {[]string{"n", "l", "s", "enter"}, []string{`start "ls" in "/home/me/src" on ""`}},
		"new, nothing":                 {[]string{"n", "enter"}, nil},
		"edit and restart":             {[]string{"e", "x", "enter"}, []string{`start "npm run devx" in "/home/me/src" on ""`}},
		"a line":                       {[]string{"i", "y", "e", "s", "enter"}, []string{`write dev-aaaaa "yes\r"`}},
		"a line, left":                 {[]string{"i", "y", "esc"}, nil},
		"marked rows":                  {[]string{"j", "space", "space", "d", "y"}, []string{"remove build-aaaaa", "remove test-aaaaa"}},
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

func TestRefusedActionsSayWhy(t *testing.T) {
	tests := map[string]struct {
		keys []string
		want string
	}{
		"clear of a running job": {[]string{"c"}, "still running: x stops it, d removes it"},
		"stop of a finished one": {[]string{"j", "x"}, "it has ended already: exit 2"},
		"line to a finished one": {[]string{"j", "i"}, "it has ended already"},
		"undo of nothing":        {[]string{"u"}, "nothing to take back"},
		"Ctrl+C":                 {[]string{"ctrl+c"}, "q leaves, jobs keep running"},
		"a key of the list":      {[]string{"enter", "d"}, "remove is a key of the list: 1 goes there, : finds it here"},
		"a key of the log":       {[]string{"w"}, "wrap is a key of the log: 3 goes there, : finds it here"},
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

func TestEndsAreSaid(t *testing.T) {
	for k, want := range map[string]string{"x": "stopped npm run dev", "X": "killed npm run dev"} {
		inBubble(t, k, func(t *testing.T) {
			s := newHarness(t, 100, 30, three())
			s.press(k)
			s.sees(want)
		})
	}
}

// Of a lost job nobody claims that it ended, and what can still be done is said.
func TestKeysOnALostJob(t *testing.T) {
	lost := running("lost-aaaaa", "rsync", time.Hour)
	lost.Status, lost.Exit = engine.Lost, engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied, At: noon.Add(-time.Minute)}
	for k, want := range map[string]string{
		"x": "it is lost: nothing is known to run any more; r runs it again",
		"X": "it is lost", "K": "it is lost", "i": "it is lost",
		"d": "Remove rsync?",
		"2": "last seen 11:59:00",
	} {
		inBubble(t, k, func(t *testing.T) {
			s := newHarness(t, 120, 30, &fake{jobs: []engine.Job{lost}})
			s.press(k)
			s.sees(want)
		})
	}
	for k, want := range map[string]string{"r": "restart lost-aaaaa", "c": "clear [lost-aaaaa]"} {
		inBubble(t, k, func(t *testing.T) {
			s := newHarness(t, 120, 30, &fake{jobs: []engine.Job{lost}})
			s.press(k)
			s.calledLast(want)
		})
	}
}

// TestThePaletteKnowsEveryKey runs an action of the log that is bound to a key
// with a name.
func TestThePaletteKnowsEveryKey(t *testing.T) {
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

func TestErrorsOfTheEngineAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.fail["stop"] = &engine.Error{Op: "stop", Job: "dev-aaaaa", Err: engine.ErrUnreachable, Hint: "hob hosts check web1 says why"}
		s := newHarness(t, 120, 30, eng)
		s.press("x")
		s.sees("npm run dev was not stopped: its host is unreachable now; hob hosts check web1")
	})
}

func TestEscGoesBackAndNeverLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("enter", "z", "esc", "esc", "/", "m", "enter", "esc", "space", "esc", "esc", "esc", "esc")
		if _, ok := told[LeaveMsg](s); ok {
			t.Error("Esc left")
		}
		if s.pane.focus != areaList || s.pane.zoomed || s.pane.list.Filter() != "" || len(s.pane.list.Marked()) > 0 {
			t.Errorf("Esc did not go all the way back: focus %v, zoomed %v, filter %q", s.pane.focus, s.pane.zoomed, s.pane.list.Filter())
		}
	})
}

func TestLeaving(t *testing.T) {
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
				if _, ok := told[LeaveMsg](s); ok != tt.leave {
					t.Errorf("left: %v, want %v", ok, tt.leave)
				}
			})
		})
	}
}

func TestCopyAndOpenAreTheHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		s.press("y")
		if m, _ := told[CopyMsg](s); m.Text != "npm run dev" {
			t.Errorf("y copies %q", m.Text)
		}
		s.press("Y")
		if m, _ := told[CopyMsg](s); m.Text != "/home/me/jobs/dev-aaaaa/output.log" {
			t.Errorf("Y copies %q", m.Text)
		}
		s.press("o")
		if m, _ := told[OpenMsg](s); m != (OpenMsg{Path: "/home/me/jobs/dev-aaaaa/output.log"}) {
			t.Errorf("o opens %+v", m)
		}
		s.press("E")
		if m, _ := told[OpenMsg](s); !m.Editor {
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
		if s.pane.focus != areaLog {
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
		if s.pane.focus != areaLog {
			t.Errorf("a click into the log focused %v", s.pane.focus)
		}
		at := find("npm run dev")
		s.deliver(tea.MouseClickMsg(at))
		s.deliver(tea.MouseClickMsg(at))
		s.pump()
		s.sees("screen of dev-aaaaa")
	})
}

func TestJumpToAPercentage(t *testing.T) {
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
		s.sees("a number from 0 to 100")
		s.press("ctrl+u")
		s.write("50")
		s.press("enter")
		s.sees("line 500")
		s.seesNot("line 999")
	})
}

func TestTheMouseIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 20, three())
		s.press("M")
		if _, ok := told[toggleMouseMsg](s); !ok {
			t.Error("the program was not asked to give the mouse back")
		}
	})
}

func TestABoxIsNotCoveredByOldAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("u")
		s.sees("nothing to take back")
		s.press("?")
		s.seesNot("nothing to take back")
	})
}
