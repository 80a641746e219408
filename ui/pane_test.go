package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/themes"
)

func TestPaneView(t *testing.T) {
	tests := map[string]struct {
		w, h int
		opts []Option
		keys []string
	}{
		"wide":            {w: 120, h: 24},
		"tall":            {w: 110, h: 30, keys: []string{"enter"}},
		"tall, a prompt":  {w: 80, h: 30, keys: []string{"enter", "/"}},
		"stacked":         {w: 80, h: 24},
		"stacked, detail": {w: 80, h: 24, keys: []string{"2"}},
		"one at a time":   {w: 50, h: 14, keys: []string{"enter"}},
		"list alone":      {w: 38, h: 8},
		"zoomed":          {w: 120, h: 14, keys: []string{"enter", "z"}},
		"ascii":           {w: 100, h: 16, opts: []Option{WithGlyphs(themes.ASCII())}},
		"calm":            {w: 60, h: 14, opts: []Option{WithReducedMotion(true)}},
		"attached":        {w: 80, h: 6, keys: []string{"a"}},
		"help":            {w: 110, h: 30, keys: []string{"?"}},
		"palette":         {w: 100, h: 20, keys: []string{":", "k", "i", "l", "l"}},
		"remove":          {w: 100, h: 16, keys: []string{"d"}},
		"new job":         {w: 100, h: 16, keys: []string{"n"}},
		"filter":          {w: 100, h: 16, keys: []string{"/", "m", "a"}},
		"refused":         {w: 100, h: 16, keys: []string{"c"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newHarness(t, tt.w, tt.h, three(), tt.opts...)
				s.press(tt.keys...)
				golden.RequireEqual(t, s.screen()+"\n")
			})
		})
	}
}

func TestPaneFillsEverySize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		check := func(state string) {
			t.Helper()
			for _, w := range []int{0, 1, 2, 19, 20, 39, 40, 59, 60, 99, 100, 201} {
				for _, h := range []int{0, 1, 2, 4, 5, 9, 10, 11, 24, 60} {
					s.run(s.pane.SetSize(w, h))
					view := s.pane.View()
					if c := s.pane.Cursor(); c != nil && (c.X < 0 || c.Y < 0 || c.X >= w || c.Y >= h) {
						t.Errorf("%s %dx%d: the cursor is at %d, %d", state, w, h, c.X, c.Y)
					}
					if w == 0 || h == 0 {
						if view != "" {
							t.Errorf("%s %dx%d: %q", state, w, h, view)
						}
						continue
					}
					lines := strings.Split(view, "\n")
					if len(lines) != h {
						t.Errorf("%s %dx%d has %d lines", state, w, h, len(lines))
					}
					for i, line := range lines {
						if got := cells.Width(line); got != w {
							t.Errorf("%s %dx%d: line %d is %d wide: %q", state, w, h, i, got, line)
						}
					}
				}
			}
			s.run(s.pane.SetSize(100, 30))
			s.pump()
		}
		check("panes")
		for _, key := range []string{"?", ":", "n", "K", "d"} {
			s.press(key)
			check(key)
			s.press("esc")
		}
		s.press("/")
		check("filter")
		s.press("esc", "z")
		check("zoomed")
		s.press("z", "a")
		check("attached")
	})
}

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

func TestTheLogFollowsTheSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.sees("listening on :5173")
		s.press("j")
		s.sees("FAIL TestTwo")
		s.seesNot("listening on")
		s.press("j")
		s.sees("It printed nothing.")
	})
}

func TestTheLogGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		log := s.pane.shown.log.(*fakeLog)
		log.text += "[vite] page reload\n"
		j := s.eng.jobs[0]
		j.Output = int64(len(log.text))
		s.facts(engine.Event{Kind: engine.EventOutput, Job: j, Offset: j.Output})
		s.sees("[vite] page reload")
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

func TestAnEndIsToldOnceAndMarkedUntilLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("j")
		done := exited(s.eng.jobs[0], 3)
		s.facts(engine.Event{Kind: engine.EventExited, Job: done, At: noon})
		ended, _ := told[EndedMsg](s)
		if ended.Job.ID != "dev-aaaaa" {
			t.Errorf("the host was told of the end of %q", ended.Job.ID)
		}
		if m, _ := told[AttentionMsg](s); m.Why != WhyFailed {
			t.Errorf("the host was told %+v", m)
		}
		s.sees("npm run dev ◆")
		s.sees("npm run dev: exit 3")
		s.pane.Select("dev-aaaaa")
		s.pump()
		s.seesNot("npm run dev ◆")
		n := 0
		for _, m := range s.sent {
			if _, ok := m.(EndedMsg); ok {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the end was told %d times", n)
		}
	})
}

func TestAWaitingJobAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		j := running("apply-aaaaa", "terraform apply", time.Minute)
		s.facts(engine.Event{Kind: engine.EventCreated, Job: j})
		j.Waiting = true
		for range 3 {
			s.facts(engine.Event{Kind: engine.EventWaiting, Job: j})
		}
		n := 0
		for _, m := range s.sent {
			if a, ok := m.(AttentionMsg); ok && a.Why == WhyWaiting {
				n++
			}
		}
		if n != 1 {
			t.Errorf("it asked %d times", n)
		}
		s.sees("terraform apply waits for input")
		s.sees("◆ 1 waits for you")
	})
}

func TestWhatIsLookedAtCallsForNoAttention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.facts(engine.Event{Kind: engine.EventExited, Job: exited(s.eng.jobs[0], 0), At: noon})
		if m, ok := told[AttentionMsg](s); ok {
			t.Errorf("%+v", m)
		}
		s.pane.Blur()
		s.facts(engine.Event{Kind: engine.EventAttention, Job: exited(s.eng.jobs[0], 0)})
		if _, ok := told[AttentionMsg](s); !ok {
			t.Error("a blurred pane asked for no attention")
		}
	})
}

func TestALostSubscriptionIsSaidAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.eng.sub.batches <- nil
		s.pump()
		s.sees("the disk is gone")
		s.eng.jobs = s.eng.jobs[:1]
		s.deliver(againMsg{stamp{s.pane, s.pane.subGen}})
		s.pump()
		s.seesNot("the disk is gone")
		s.seesNot("make test")
	})
}

func TestMessagesOfAnotherPaneChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := newHarness(t, 100, 30, three()), newHarness(t, 100, 30, three())
		before := two.screen()
		if cmd := two.pane.Update(eventsMsg{stamp: stamp{one.pane, 1}, err: errors.New("not yours")}); cmd != nil {
			t.Error("a message of another pane made a command")
		}
		if got := two.screen(); got != before {
			t.Error("a message of another pane changed the screen")
		}
	})
}

func TestUnchangedFrameCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 160, 50, three())
		s.pane.View()
		if n := testing.AllocsPerRun(100, func() { s.pane.View() }); n > 0 {
			t.Errorf("an unchanged frame allocates %v times", n)
		}
	})
}

func TestNothingTicksWhenNothingRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs = eng.jobs[1:]
		s := newHarness(t, 100, 30, eng)
		if s.pane.moving() || s.pane.ticking {
			t.Error("the clock runs although nothing does")
		}
		s.facts(engine.Event{Kind: engine.EventCreated, Job: running("x-aaaaa", "sleep", 0)})
		if !s.pane.ticking {
			t.Error("the clock stands although a job runs")
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

func TestAQuestionOfTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		answers := make(chan string, 2)
		ask := func(title string) AskMsg {
			return AskMsg{Title: title, Text: "Passphrase of id_ed25519", Secret: true, Reply: func(text string, ok bool) {
				if !ok {
					text = "refused"
				}
				answers <- title + " " + text
			}}
		}
		s.deliver(ask("web1"))
		s.deliver(ask("web2"))
		s.pump()
		s.sees("web1")
		s.write("hunter2")
		s.seesNot("hunter2")
		s.press("enter")
		if got := <-answers; got != "web1 hunter2" {
			t.Errorf("the answer is %q", got)
		}
		s.sees("web2")
		s.press("esc")
		if got := <-answers; got != "web2 refused" {
			t.Errorf("the answer is %q", got)
		}
		s.seesNot("web2")
	})
}

func TestAStartedJobDoesNotHideBehindTheFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("/")
		s.write("make")
		s.press("enter", "n", "l", "s", "enter")
		s.facts(engine.Event{Kind: engine.EventCreated, Job: running("new-aaaaa", "ls", 0)})
		if j, _ := s.pane.Selected(); j.ID != "new-aaaaa" {
			t.Errorf("%s is selected", j.ID)
		}
		s.sees("started ls")
	})
}

// Who is told that a host is unreachable is told which, and why.
func TestHintNamesTheHost(t *testing.T) {
	why := fmt.Errorf("web1: no such host: %w", engine.ErrUnreachable)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&engine.Error{Op: "start", Err: why, Hint: "hob hosts check web1"}, why.Error() + "; hob hosts check web1"},
		{&engine.Error{Op: "stop", Err: engine.ErrUnreachable}, "its host is unreachable now"},
		{engine.ErrUnreachable, "its host is unreachable now"},
	} {
		if got := hint(tt.err); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

// A job that could not be started is not said to be.
func TestFailedStartSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.failStart = true
		s := newHarness(t, 120, 30, eng)
		s.press("n", "l", "s", "enter")
		s.sees("ls could not be started")
		s.seesNot("started ls")
	})
}

func TestTheLogCatchesUpWhenItIsSeenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		log := s.pane.shown.log.(*fakeLog)
		s.press("a")
		log.text += "written while attached\n"
		j := s.eng.jobs[0]
		j.Output = int64(len(log.text))
		s.pane.View()
		s.facts(engine.Event{Kind: engine.EventOutput, Job: j, Offset: j.Output})
		if s.pane.dirty {
			t.Error("output that the terminal shows anyway drew the frame anew")
		}
		s.press("ctrl+b")
		s.sees("written while attached")
	})
}

func TestJobsComeBackWithoutANewEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		old := exited(running("old-aaaaa", "make all", time.Hour), 1)
		old.Exit.At = noon.Add(-time.Minute)
		s.facts(engine.Event{Kind: engine.EventCreated, Job: old}, engine.Event{Kind: engine.EventExited, Job: old})
		if m, ok := told[EndedMsg](s); ok {
			t.Errorf("the host was told %+v", m)
		}
	})
}

func TestTwoPanesInOneProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := three()
		other.jobs = []engine.Job{running("else-aaaaa", "somewhere else", time.Minute)}
		one, two := newHarness(t, 100, 20, three()), newHarness(t, 100, 20, other)
		both := func(msg tea.Msg) { // as a host would
			one.run(one.pane.Update(msg))
			two.run(two.pane.Update(msg))
		}
		one.press("j")
		for range 5 {
			synctest.Wait()
			for _, s := range []*harness{one, two} {
				select {
				case msg := <-s.msgs:
					both(msg)
				default:
				}
			}
		}
		one.sees("FAIL TestOne")
		one.seesNot("somewhere else")
		two.sees("somewhere else")
		two.seesNot("make test")
		if err := one.pane.Close(); err != nil {
			t.Error(err)
		}
		two.press("a")
		two.sees("screen of else-aaaaa")
	})
}

func TestClosingRefusesQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 20, three())
		refused := 0
		for range 2 {
			s.deliver(AskMsg{Title: "web1", Reply: func(_ string, ok bool) {
				if !ok {
					refused++
				}
			}})
		}
		s.pump()
		if err := s.pane.Close(); err != nil {
			t.Error(err)
		}
		if refused != 2 {
			t.Errorf("%d of 2 questions were refused", refused)
		}
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
