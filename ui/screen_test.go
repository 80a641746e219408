package ui

import (
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// drawing returns an engine whose first job shows an editor.
func drawing() *fake {
	eng := three()
	eng.jobs[0].Alternate = true
	eng.logs["dev-aaaaa"] = "\x1b[?1049h\x1b[2Jgibberish\n"
	return eng
}

func (s *harness) closedScreen() bool {
	select {
	case <-s.eng.screen.closed:
		return true
	default:
		return false
	}
}

func TestFullScreenProgramIsShownInsteadOfLog(t *testing.T) {
	inBubble(t, "and the log comes back when it leaves", func(t *testing.T) {
		s := newHarness(t, 120, 30, drawing())
		s.sees("├ Screen ─")
		s.sees("screen of dev-aaaaa")
		s.seesNot("gibberish")
		if s.eng.screen.control {
			t.Error("who only looks has control")
		}
		s.eng.screen.send("line 12 of main.go")
		s.pump()
		s.sees("line 12 of main.go")

		j := s.eng.jobs[0]
		j.Alternate = false
		s.facts(engine.Event{Kind: engine.EventTitle, Job: j})
		s.sees("├ Log ─")
		if !s.closedScreen() {
			t.Error("the session is still open")
		}
		j.Alternate = true
		s.facts(engine.Event{Kind: engine.EventTitle, Job: j})
		s.sees("├ Screen ─")
	})

	inBubble(t, "and its frame says whether that is all of it", func(t *testing.T) {
		s := newHarness(t, 120, 30, drawing())
		s.sees(" of 120×40 ╯")
		s.run(s.pane.SetSize(200, 60))
		s.sees("───── 120×40 ╯")
	})

	inBubble(t, "the follow key reaches the log and comes back", func(t *testing.T) {
		s := newHarness(t, 120, 30, drawing())
		s.sees("f: show log")
		s.press("t")
		s.sees("╭ npm run dev ─")
		s.sees("gibberish")
		s.sees("f: show screen")
		if !s.closedScreen() {
			t.Error("the session is still open")
		}
		s.press("f")
		s.sees("╭ npm run dev: screen ─")
		s.sees("screen of dev-aaaaa")
	})

	inBubble(t, "keys of the log say why they do nothing", func(t *testing.T) {
		s := newHarness(t, 120, 30, drawing())
		s.press("enter", "/")
		s.sees("This is the job's screen · f show log")
		s.press("y")
		if m, _ := sentMsg[CopyMsg](s); m.Text != "screen of dev-aaaaa" {
			t.Errorf("copied %q", m.Text)
		}
		s.calledLast()
	})

	inBubble(t, "attached there is one session", func(t *testing.T) {
		s := newHarness(t, 120, 30, drawing())
		looking := s.eng.screen
		s.press("a")
		select {
		case <-looking.closed:
		default:
			t.Error("the screen is still read behind the attached job")
		}
		if !s.eng.screen.control {
			t.Error("an attached job is only looked at")
		}
	})

	inBubble(t, "another job has its log", func(t *testing.T) {
		s := newHarness(t, 120, 30, drawing())
		s.press("j")
		s.sees("FAIL TestOne")
		s.press("k")
		s.sees("screen of dev-aaaaa")
	})

	inBubble(t, "a session that cannot be had leaves the log", func(t *testing.T) {
		eng := drawing()
		eng.fail["open-terminal"] = engine.ErrUnreachable
		s := newHarness(t, 120, 30, eng)
		s.sees("gibberish")
	})
}

func TestLastScreenOfFullScreenProgram(t *testing.T) {
	const drew = "\x1b[?1049h" + "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~" + "\x1b[?1049l"
	tests := map[string]struct {
		log    string
		screen engine.Screen
		sees   string
		never  string
	}{
		"its main screen":                {drew + "saved\n", engine.Screen{Main: "$ vim\nsaved\n"}, "$ vim", "~~~"},
		"the screen it was ended on":     {drew[:20], engine.Screen{ANSI: "CPU 12%", Alternate: true}, "CPU 12%", "~~~"},
		"nothing":                        {drew, engine.Screen{}, "it left nothing on ", "~~~"},
		"a log with a short interlude":   {strings.Repeat("built a file\n", 40) + drew, engine.Screen{Main: "x"}, "built a file", "Last screen"},
		"a log that speaks of something": {"set ?1049h yourself\n", engine.Screen{Main: "x"}, "set ?1049h", "Last screen"},
	}
	for name, tt := range tests {
		inBubble(t, name, func(t *testing.T) {
			eng := three()
			eng.logs["test-aaaaa"] = tt.log
			eng.screens = map[engine.ID]engine.Screen{"test-aaaaa": tt.screen}
			s := newHarness(t, 120, 30, eng)
			s.press("j")
			s.sees(tt.sees)
			s.seesNot(tt.never)
		})
	}

	inBubble(t, "the follow key shows the log as it was written", func(t *testing.T) {
		eng := three()
		eng.logs["test-aaaaa"] = drew
		eng.screens = map[engine.ID]engine.Screen{"test-aaaaa": {Main: "saved"}}
		s := newHarness(t, 120, 30, eng)
		s.press("j", "enter")
		s.sees("╭ make test: last screen ─")
		s.press("f")
		s.sees("~~~~")
		s.press("f")
		s.sees("saved")
	})

	inBubble(t, "it takes the place of the live screen at the end", func(t *testing.T) {
		eng := drawing()
		eng.screens = map[engine.ID]engine.Screen{"dev-aaaaa": {Main: "bye"}}
		s := newHarness(t, 120, 30, eng)
		s.sees("screen of dev-aaaaa")
		j := exited(s.eng.jobs[0], 0)
		j.Alternate = false
		s.facts(engine.Event{Kind: engine.EventExited, Job: j, At: noon})
		s.sees("├ Last screen ─")
		s.sees("bye")
	})
}
