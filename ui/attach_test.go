package ui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// inBubble runs a test with its own clock.
func inBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func TestForeground(t *testing.T) {
	start := func(t *testing.T) *harness {
		eng := three()
		eng.jobs[0].Backgrounded = false
		s := newHarness(t, 80, 24, eng)
		s.run(s.pane.Foreground("dev-aaaaa"))
		s.pump()
		s.sees("screen of dev-aaaaa")
		return s
	}

	inBubble(t, "every key is the job's", func(t *testing.T) {
		s := start(t)
		s.press("x", "q", "ctrl+c", "esc", "?")
		s.calledLast(`type "x"`, `type "q"`, `type "\x03"`, `type "\x1b"`, `type "?"`)
		if !s.pane.CapturesKeys() {
			t.Error("the host does not leave the keys to the pane")
		}
	})

	inBubble(t, "Ctrl+B backgrounds at once", func(t *testing.T) {
		s := start(t)
		s.press("ctrl+b")
		s.calledLast("background dev-aaaaa")
		if m, _ := sentMsg[BackgroundedMsg](s); m.ID != "dev-aaaaa" {
			t.Errorf("the host got %+v", m)
		}
		s.sees("╭ Jobs")
		if j, _ := s.pane.Selected(); j.ID != "dev-aaaaa" {
			t.Errorf("%s is selected", j.ID)
		}
	})

	inBubble(t, "Ctrl+B twice types one", func(t *testing.T) {
		s := start(t)
		s.press("ctrl+b", "ctrl+b")
		s.sees("screen of dev-aaaaa")
		s.calledLast("background dev-aaaaa", `type "\x02"`)
	})

	inBubble(t, "a second Ctrl+B too late has nothing to send away, and says so", func(t *testing.T) {
		s := start(t)
		s.press("ctrl+b")
		s.pass(701 * time.Millisecond)
		s.press("ctrl+b")
		s.sees("╭ Jobs")
		s.sees("No job is attached")
		s.calledLast("background dev-aaaaa")
		select {
		case <-s.eng.screen.closed:
		default:
			t.Error("the session is still open")
		}
	})

	inBubble(t, "another key in between counts for the panes", func(t *testing.T) {
		s := start(t)
		s.press("ctrl+b", "j", "ctrl+b")
		s.sees("╭ Jobs")
	})

	inBubble(t, "the key that leaves is said however little room there is", func(t *testing.T) {
		s := start(t)
		s.eng.screen.chunks <- engine.TerminalChunk{Controller: "another window"}
		s.pump()
		s.sees("controlled by another window  Ctrl+B background")
		s.run(s.pane.SetSize(40, 10))
		s.pump()
		s.sees("another window typ…  Ctrl+B background")
		s.run(s.pane.SetSize(26, 6))
		s.pump()
		s.sees("Ctrl+B background")
	})

	inBubble(t, "who types is said in fewer words before the job's name goes", func(t *testing.T) {
		s := start(t)
		s.eng.screen.chunks <- engine.TerminalChunk{Controller: "ui"}
		s.pump()
		for w, want := range map[int]string{
			100: "● running  npm r… dev  12m00s  controlled by another window · type to take over  Ctrl+B background ",
			66:  "●  npm run dev   controlled by another window  Ctrl+B background ",
			58:  "●  npm run dev   another window types  Ctrl+B background ",
			40:  " another window typ…  Ctrl+B background ",
		} {
			s.run(s.pane.SetSize(w, 10))
			s.pump()
			s.sees(want)
		}
	})

	inBubble(t, "when it ends its screen stays and keys are swallowed", func(t *testing.T) {
		s := start(t)
		code := 0
		s.eng.screen.end(engine.Exit{Status: engine.Exited, Code: &code})
		s.facts(engine.Event{Kind: engine.EventExited, Job: exited(s.eng.jobs[0], 0)})
		s.sees("screen of dev-aaaaa")
		s.sees("exit 0")
		s.sees("Enter to close")
		before := len(s.eng.did())
		s.press("x", "q", "d", "y", "esc", "ctrl+c")
		if after := s.eng.did(); len(after) != before {
			t.Errorf("keys meant for the job did %q", after[before:])
		}
		s.press("ctrl+b")
		s.sees("The job has exited")
		if _, ok := sentMsg[LeaveMsg](s); ok {
			t.Error("it left before Enter")
		}
		s.press("enter")
		if _, ok := sentMsg[LeaveMsg](s); !ok {
			t.Error("Enter did not leave")
		}
	})

	inBubble(t, "a job without a terminal shows its log", func(t *testing.T) {
		eng := three()
		eng.fail["open-terminal"] = engine.ErrUnsupported
		s := newHarness(t, 80, 24, eng)
		s.run(s.pane.Foreground("dev-aaaaa"))
		s.pump()
		s.sees("listening on :5173")
		s.sees("Ctrl+B detach")
		s.press("ctrl+b")
		s.sees("╭ Jobs")
	})

	inBubble(t, "keys for a job without a terminal say that it does not get them", func(t *testing.T) {
		eng := three()
		eng.fail["open-terminal"] = engine.ErrUnsupported
		s := newHarness(t, 100, 24, eng)
		s.run(s.pane.Foreground("dev-aaaaa"))
		s.pump()
		s.press("e")
		s.sees("No terminal: keys are not sent")
		s.press("ctrl+c")
		s.calledLast("signal dev-aaaaa SIGINT")
	})

	inBubble(t, "Ctrl+C ends a queued job without a terminal", func(t *testing.T) {
		eng := three()
		eng.jobs[0].Status, eng.jobs[0].StartedAt = engine.Queued, time.Time{}
		eng.fail["open-terminal"] = engine.ErrUnsupported
		s := newHarness(t, 100, 24, eng)
		s.run(s.pane.Foreground("dev-aaaaa"))
		s.pump()
		s.press("ctrl+c")
		s.calledLast("stop dev-aaaaa")
	})

	inBubble(t, "it ended before anybody looked", func(t *testing.T) {
		eng := three()
		eng.fail["open-terminal"] = engine.ErrNotRunning
		s := newHarness(t, 80, 24, eng)
		s.run(s.pane.Foreground("test-aaaaa"))
		s.pump()
		s.sees("FAIL TestOne")
		s.sees("exit 2")
		s.press("enter")
		if _, ok := sentMsg[LeaveMsg](s); !ok {
			t.Error("Enter did not leave")
		}
	})
}

// The terminal may answer before a job is attached, while its session is being opened, or later.
// The job gets the answers in each case.
func TestAttachedJobGetsTerminalFacts(t *testing.T) {
	light := engine.TerminalFacts{Background: [3]uint8{255, 255, 255}, HaveColors: true}
	reports := func(s *harness) (n int) {
		for _, c := range s.eng.did() {
			if c == fmt.Sprintf("terminal %+v", light) {
				n++
			}
		}
		return n
	}
	inBubble(t, "after it was attached", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("a")
		s.run(s.pane.SetTerminalFacts(light))
		s.pump()
		if n := reports(s); n != 1 {
			t.Errorf("reported %d times: %q", n, s.eng.did())
		}
	})
	inBubble(t, "while its session is opened", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		open := s.pane.attach("dev-aaaaa", false)
		s.run(s.pane.SetTerminalFacts(light))
		s.run(open)
		s.pump()
		if n := reports(s); n != 1 {
			t.Errorf("reported %d times: %q", n, s.eng.did())
		}
	})
	inBubble(t, "before", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.run(s.pane.SetTerminalFacts(light))
		s.press("a")
		if n := reports(s); n != 0 {
			t.Errorf("reported %d times beside the request itself: %q", n, s.eng.did())
		}
		if got := s.eng.screen.facts; got != light {
			t.Errorf("opened with %+v", got)
		}
	})
}

func TestAttachFromPanes(t *testing.T) {
	inBubble(t, "leaving goes back to them", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("a", "ctrl+b")
		s.sees("╭ Jobs")
		for _, c := range s.eng.did() {
			if c == "background dev-aaaaa" {
				t.Error("a job in the background was sent there again")
			}
		}
		if _, ok := sentMsg[BackgroundedMsg](s); ok {
			t.Error("the host got a message about a job that was already in the background")
		}
	})
	inBubble(t, "when it has ended Enter goes back to them", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("a")
		s.eng.screen.end(engine.Exit{Status: engine.Exited})
		s.pump()
		s.press("enter")
		s.sees("╭ Jobs")
		if _, ok := sentMsg[LeaveMsg](s); ok {
			t.Error("it left the panes too")
		}
	})
	inBubble(t, "when it has ended with an empty screen the panes are back", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("3", "a")
		s.eng.screen.chunks <- engine.TerminalChunk{Data: []byte("\x1b[2J\x1b[H")}
		s.eng.screen.end(engine.Exit{Status: engine.Exited})
		s.pump()
		s.sees("╭ npm run dev")
		s.press("1") // goes to the job
		if s.pane.view.focus != areaLog {
			t.Error("a key for the job reached the panes")
		}
		time.Sleep(ignoreKeysTime)
		s.pump()
		s.press("1")
		if s.pane.view.focus != areaList {
			t.Error("keys are swallowed for longer than a moment")
		}
	})
	inBubble(t, "its line names the host", func(t *testing.T) {
		eng := onHost()
		eng.jobs[0].Kind = engine.KindPTY
		s := newHarness(t, 100, 24, eng)
		s.press("a")
		s.sees("npm run dev  on web1")
	})
	inBubble(t, "a job without a terminal says so", func(t *testing.T) {
		eng := three()
		eng.fail["open-terminal"] = engine.ErrUnsupported
		s := newHarness(t, 80, 24, eng)
		s.press("a")
		s.sees("No terminal; showing the output")
		s.sees("╭ npm run dev")
	})
	inBubble(t, "no window is opened for one that is known to have none", func(t *testing.T) {
		eng := onHost()
		eng.jobs[0].Status, eng.jobs[0].StartedAt = engine.Queued, time.Time{}
		s := newHarness(t, 80, 24, eng)
		s.press("a")
		s.sees("No terminal, and the job is still queued")
		s.press("c", "x") // meant for the job
		for _, call := range s.eng.did() {
			if strings.HasPrefix(call, "stop") || strings.HasPrefix(call, "clear") || call == "open-terminal" {
				t.Errorf("it did %q", call)
			}
		}
	})
	inBubble(t, "a line is only offered to a job that takes one", func(t *testing.T) {
		eng := three()
		eng.jobs[0].Stdin = engine.InputNull
		eng.fail["open-terminal"] = engine.ErrUnsupported
		s := newHarness(t, 120, 24, eng)
		s.press("a")
		s.sees("No terminal; showing the output")
		s.seesNot("sends it a line")
	})
	inBubble(t, "another error says so", func(t *testing.T) {
		eng := three()
		eng.fail["open-terminal"] = engine.ErrUnreachable
		s := newHarness(t, 80, 24, eng)
		s.press("a")
		s.sees("Can't attach: the host is unreachable")
	})
}

func TestMessagesDoNotCoverAttachedJob(t *testing.T) {
	inBubble(t, "it stands in the footer", func(t *testing.T) {
		s := newHarness(t, 90, 12, three())
		s.press("a")
		other := running("apply-aaaaa", "terraform apply", time.Minute)
		s.facts(engine.Event{Kind: engine.EventCreated, Job: other})
		other.Waiting = true
		s.facts(engine.Event{Kind: engine.EventWaiting, Job: other})
		lines := strings.Split(s.screen(), "\n")
		for i, line := range lines {
			if got := strings.Contains(line, "terraform apply needs input"); got != (i == len(lines)-1) {
				t.Errorf("line %d: %q", i, line)
			}
		}
	})
}

func TestTypedInputKeepsItsOrder(t *testing.T) {
	inBubble(t, "one write at a time", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("a")
		s.write("the quick brown fox")
		typed := ""
		for _, c := range s.eng.did() {
			if len(c) > 7 && c[:6] == `type "` {
				typed += c[6 : len(c)-1]
			}
		}
		if typed != "the quick brown fox" {
			t.Errorf("the job got %q", typed)
		}
	})
}

func TestResizeIsDebounced(t *testing.T) {
	inBubble(t, "only the last size is sent", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("a")
		for w := 81; w <= 100; w++ {
			s.run(s.pane.SetSize(w, 24))
			s.pump()
		}
		s.pass(resizeAfter)
		s.calledLast("resize 100x23")
		n := 0
		for _, c := range s.eng.did() {
			if len(c) > 6 && c[:6] == "resize" {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the job was resized %d times", n)
		}
	})
}

func TestPasteGoesToAttachedJob(t *testing.T) {
	inBubble(t, "attached", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("a")
		s.deliver(tea.PasteMsg{Content: "rm -rf /tmp/x"})
		s.pump()
		s.calledLast(`type "rm -rf /tmp/x"`)
	})
	inBubble(t, "never to the list", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.deliver(tea.PasteMsg{Content: "dyq"})
		s.pump()
		if _, ok := sentMsg[LeaveMsg](s); ok {
			t.Error("a paste was taken for keys")
		}
	})
}

func TestHiddenInputIsShownWhileAttached(t *testing.T) {
	for _, w := range []int{40, 80, 120} {
		inBubble(t, strconv.Itoa(w), func(t *testing.T) {
			eng := three()
			s := newHarness(t, w, 24, eng)
			s.press("a")
			s.seesNot("hidden")
			asks := eng.jobs[0]
			asks.Waiting, asks.Entry = true, engine.EntryHidden
			s.facts(engine.Event{Kind: engine.EventTitle, Job: asks})
			s.sees(map[int]string{40: "◆ hidden  npm", 80: "◆ input hidden  npm run dev", 120: "◆ input hidden  npm run dev"}[w])
			s.write("sesam")
			s.press("backspace")
			s.sees("hidden ****  npm")
			s.deliver(tea.PasteMsg{Content: "open sesame, open"})
			s.sees("hidden ************  ")
			s.press("enter")
			s.sees("hidden  npm")
			asks.Waiting, asks.Entry = false, engine.EntryOpen
			s.facts(engine.Event{Kind: engine.EventTitle, Job: asks})
			s.seesNot("hidden")
		})
	}
}

func TestLeaveHint(t *testing.T) {
	inBubble(t, "in tmux", func(t *testing.T) {
		s := newHarness(t, 80, 24, three(), WithOuterPrefix("ctrl+b", "tmux"))
		s.press("a")
		s.sees("Ctrl+B twice: detach (tmux keeps the first)")
		s.seesNot("help")
		s.run(s.pane.SetSize(160, 24))
		s.press("ctrl+b", "?")
		s.sees("│ Ctrl+B   leave a job; it keeps running")
		s.sees("│ twice    (tmux keeps the first)")
		s.run(s.pane.SetSize(160, 40))
		s.sees("│   Ctrl+B      to the background; it keeps running ")
		s.sees("│   twice       (tmux keeps the first) ")
		s.sees("│   4 times     quickly: sends Ctrl+B to the job")
	})
	inBubble(t, "where there is room", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("a")
		s.sees("attached         Ctrl+B detach   Ctrl+B ? help")
		s.run(s.pane.SetSize(70, 24))
		s.sees("attached               Ctrl+B detach")
		s.run(s.pane.SetSize(80, 24))
		s.press("ctrl+b", "?", "/")
		s.write("ctrl+b")
		s.sees("twice             quickly: sends Ctrl+B to the job")
	})
}

// At any width, the text about the job does not overlap the leave key, and the name keeps its
// beginning.
func TestFooterOfAttachedJob(t *testing.T) {
	for _, w := range []int{40, 46, 60, 66, 72, 80, 88, 94, 100, 106, 120} {
		inBubble(t, strconv.Itoa(w), func(t *testing.T) {
			eng := three()
			for i := range eng.jobs {
				eng.jobs[i].Name = "printf a rather long name that has to be cut somewhere"
				eng.jobs[i].Backgrounded = true
			}
			s := newHarness(t, w, 24, eng, WithOuterPrefix("ctrl+b", "tmux"))
			s.press("a")
			lines := strings.Split(s.screen(), "\n")
			last := lines[len(lines)-1]
			said, _, found := strings.Cut(last, "Ctrl+B twice")
			if !found || !strings.HasPrefix(said, " ● ") || !strings.HasSuffix(said, "  ") {
				t.Errorf("the line is %q", last)
			}
			if w >= 80 && !strings.Contains(said, "print") {
				t.Errorf("%q has no name", last)
			}
		})
	}
}
