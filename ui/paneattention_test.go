package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
)

func TestEndIsReportedOnceAndMarkedUntilSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("j")
		done := exited(s.eng.jobs[0], 3)
		s.facts(engine.Event{Kind: engine.EventExited, Job: done, At: noon})
		ended, _ := sentMsg[EndedMsg](s)
		if ended.Job.ID != "dev-aaaaa" {
			t.Errorf("the host got the end of %q", ended.Job.ID)
		}
		if m, _ := sentMsg[AttentionMsg](s); m.Why != WhyFailed {
			t.Errorf("the host got %+v", m)
		}
		s.sees("npm run dev •")
		s.sees("npm run dev failed (exit 3)")
		s.run(s.pane.Select("dev-aaaaa"))
		s.pump()
		s.pass(seenAfter)
		s.seesNot("npm run dev •")
		n := 0
		for _, m := range s.sent {
			if _, ok := m.(EndedMsg); ok {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the end was reported %d times", n)
		}
	})
}

// The client that waits for a job in the foreground, such as hob run in another window or an agent,
// reports its end.
func TestEndOfForegroundJobOfOtherClientNeedsNoAttention(t *testing.T) {
	for name, c := range map[string]struct {
		change func(j *engine.Job)
		want   bool
	}{
		"foreground":          {func(j *engine.Job) { j.Backgrounded = false }, false},
		"background":          {func(*engine.Job) {}, true},
		"started with notify": {func(j *engine.Job) { j.Backgrounded, j.Notify = false, true }, true},
	} {
		inBubble(t, name, func(t *testing.T) {
			eng := three()
			c.change(&eng.jobs[0])
			s := newHarness(t, 120, 30, eng)
			s.press("j")
			s.facts(engine.Event{Kind: engine.EventExited, Job: exited(eng.jobs[0], 3), At: noon})
			if m, ok := sentMsg[AttentionMsg](s); ok != c.want {
				t.Errorf("the host got %+v", m)
			}
			if m, _ := sentMsg[EndedMsg](s); m.Job.ID != "dev-aaaaa" {
				t.Errorf("the host got the end of %q", m.Job.ID)
			}
			s.sees("exit 3")
		})
	}
}

// A job that is cleared and restored does not need attention again.
func TestRestoredJobNeedsNoAttention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("j")
		done := exited(s.eng.jobs[0], 0)
		end := engine.Event{Kind: engine.EventExited, Job: done, At: noon}
		s.facts(end)
		s.facts(engine.Event{Kind: engine.EventRemoved, Job: done})
		s.facts(engine.Event{Kind: engine.EventCreated, Job: done}, end)
		n := 0
		for _, m := range s.sent {
			if _, ok := m.(EndedMsg); ok {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the end was reported %d times", n)
		}
		s.seesNot("npm run dev •")
	})
}

func TestPasswordIsNeitherShownNorKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs[0].Waiting = true
		eng.logs["dev-aaaaa"] = "cloning\n\x1b[1mPassword for https://me@host: \x1b[m"
		s := newHarness(t, 120, 30, eng)
		s.press("i")
		s.sees("Password for npm run dev (hidden): ")
		s.write("hunter2")
		s.seesNot("hunter2")
		s.press("enter")
		s.calledLast(`write dev-aaaaa "hunter2\r"`)
		s.press("i", "up")
		s.seesNot("hunter2")
	})
}

// Whether the terminal echoes counts more than the text of a prompt.
func TestLineIsHiddenWithoutEcho(t *testing.T) {
	inBubble(t, "before it is typed", func(t *testing.T) {
		eng := three()
		eng.jobs[0].Entry = engine.EntryHidden
		s := newHarness(t, 120, 30, eng)
		s.press("i")
		s.sees("Password for npm run dev (hidden): ")
		s.write("hunter2")
		s.seesNot("hunter2")
		s.press("enter")
		s.calledLast(`write dev-aaaaa "hunter2\r"`)
		s.facts(engine.Event{Kind: engine.EventTitle, Job: running("dev-aaaaa", "npm run dev", time.Minute)})
		s.press("i", "up")
		s.seesNot("hunter2")
	})
	inBubble(t, "while it is typed", func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		j := s.eng.jobs[0]
		s.press("i")
		s.write("hun")
		s.sees("hun")
		j.Entry = engine.EntryHidden
		s.facts(engine.Event{Kind: engine.EventTitle, Job: j})
		s.seesNot("hun")
		j.Entry = engine.EntryOpen
		s.facts(engine.Event{Kind: engine.EventTitle, Job: j})
		s.write("ter2")
		s.seesNot("hunter2")
		s.press("esc", "i")
		s.seesNot("hunter2")
	})
	inBubble(t, "an empty line goes by the next question", func(t *testing.T) {
		eng := three()
		eng.jobs[0].Entry = engine.EntryHidden
		s := newHarness(t, 120, 30, eng)
		s.press("i")
		j := eng.jobs[0]
		j.Entry = engine.EntryOpen
		s.facts(engine.Event{Kind: engine.EventTitle, Job: j})
		s.write("plainly")
		s.sees("plainly")
	})
	inBubble(t, "on a host the words have to do", func(t *testing.T) {
		eng := three()
		eng.jobs[0].Host = "web1"
		eng.logs["dev-aaaaa"] = "[sudo] password for me: "
		s := newHarness(t, 120, 30, eng)
		s.press("i")
		s.write("hunter2")
		s.seesNot("hunter2")
	})
	inBubble(t, "a host is asked for what it shows", func(t *testing.T) {
		eng := three()
		eng.jobs[0].Host, eng.entry = "web1", engine.EntryHidden
		s := newHarness(t, 120, 30, eng)
		s.press("i")
		s.sees("Password for npm run dev (hidden): ")
		s.write("hunter2")
		s.seesNot("hunter2")
		s.press("esc")
		eng.entry = engine.EntryOpen
		s.press("i")
		s.write("Bob")
		s.sees("Bob")
		eng.entry = engine.EntryHidden
		j := eng.jobs[0]
		j.Output += 10
		s.facts(engine.Event{Kind: engine.EventOutput, Job: j})
		s.seesNot("Bob")
	})
	inBubble(t, "the words alone ask for none", func(t *testing.T) {
		eng := three()
		eng.jobs[0].Waiting, eng.jobs[0].Entry = true, engine.EntryOpen
		eng.logs["dev-aaaaa"] = "Password hint: "
		s := newHarness(t, 120, 30, eng)
		s.press("i")
		s.write("my dog")
		s.sees("my dog")
	})
}

func TestUnsentLineIsRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs = append(eng.jobs, running("api-aaaaa", "make api", time.Minute))
		s := newHarness(t, 120, 30, eng)
		s.run(s.pane.Select("api-aaaaa"))
		s.press("i")
		s.write("rs and more")
		s.press("esc")
		s.seesNot("Send to")
		s.run(s.pane.Select("dev-aaaaa"))
		s.pump()
		s.press("i")
		s.seesNot("rs and more")
		s.press("esc")
		s.run(s.pane.Select("api-aaaaa"))
		s.pump()
		s.press("i")
		s.sees("rs and more")
		s.press("enter")
		s.calledLast(`write api-aaaaa "rs and more\r"`)
		s.press("i")
		s.seesNot("rs and more")
		s.sees("Send to make api: ")
	})
}

func TestWaitingJobAsksForAttentionOnce(t *testing.T) {
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
		s.sees("terraform apply needs input · a attach · i send line")
		s.sees("◆ 1 needs input")
	})
}

func TestVisibleJobNeedsNoAttention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.facts(engine.Event{Kind: engine.EventExited, Job: exited(s.eng.jobs[0], 0), At: noon})
		if m, ok := sentMsg[AttentionMsg](s); ok {
			t.Errorf("%+v", m)
		}
		s.pane.Blur()
		s.facts(engine.Event{Kind: engine.EventAttention, Job: exited(s.eng.jobs[0], 0)})
		if _, ok := sentMsg[AttentionMsg](s); !ok {
			t.Error("a blurred pane asked for no attention")
		}
	})
}

func TestLostSubscriptionIsShownAndRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.eng.sub.batches <- nil
		s.pump()
		s.sees("the disk is gone")
		s.eng.jobs = s.eng.jobs[:1]
		s.pass(retryAfter)
		s.seesNot("the disk is gone")
		s.seesNot("make test")
	})
}

func TestRestoredJobsDoNotEndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		old := exited(running("old-aaaaa", "make all", time.Hour), 1)
		old.Exit.At = noon.Add(-time.Minute)
		s.facts(engine.Event{Kind: engine.EventCreated, Job: old}, engine.Event{Kind: engine.EventExited, Job: old})
		if m, ok := sentMsg[EndedMsg](s); ok {
			t.Errorf("the host got %+v", m)
		}
	})
}

// The message about several ends is updated while it is shown.
func TestManyEndsAreOneMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 24, three())
		end := func(n, code int) {
			for i := range n {
				j := running(fmt.Sprintf("e%d%02d-aaaaa", code, i), "job", time.Minute)
				s.facts(engine.Event{Kind: engine.EventCreated, Job: j})
				s.facts(engine.Event{Kind: engine.EventExited, Job: exited(j, code), At: noon})
			}
		}
		end(1, 1)
		end(1, 0)
		s.sees("✗ job exit 1 · ✓ job exit 0 ")
		s.pass(time.Minute)
		end(20, 0)
		s.sees("20 finished")
		end(1, 1)
		s.sees("20 finished, 1 failed")
		if lines := s.pane.notices.Lines(100, 3); len(lines) != 1 {
			t.Errorf("messages: %q", lines)
		}
		s.pass(time.Minute)
		s.seesNot("finished")
		end(3, 3)
		s.sees("3 failed")
		s.seesNot("20 finished")
	})
}

// A message that does not fit into the last line gets rows of its own. The newest line of the log
// stays in view.
func TestLongMessageCoversNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := manyLines()
		eng.fail["stop"] = &engine.Error{Op: "stop", Err: engine.ErrUnreachable, Hint: strings.Repeat("check the network ", 5)}
		s := newHarness(t, 80, 24, eng)
		s.sees("line 999")
		s.press("x")
		s.sees("Can't stop")
		s.sees("line 999")
		s.sees("? help")
		if h := s.pane.view.lay.footer.h; h < 2 {
			t.Errorf("the footer has %d rows", h)
		}
		s.pass(time.Minute)
		if h := s.pane.view.lay.footer.h; h != 1 {
			t.Errorf("the footer has %d rows once the message is over", h)
		}
	})
}

// Keys in the last line can be clicked, including those of a dialog and of an attached job.
func TestClicksOnFooter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 24, three())
		click := func(text string) {
			t.Helper()
			lines := strings.Split(s.screen(), "\n")
			before, _, found := strings.Cut(lines[23], text)
			if !found {
				t.Fatalf("%q is not in the last line: %q", text, lines[23])
			}
			s.deliver(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: 23, Button: tea.MouseLeft})
			s.pump()
		}
		click("? help")
		s.sees("╭ Help")
		click("Esc close")
		s.seesNot("╭ Help")
		click("x stop")
		s.calledLast("stop dev-aaaaa")
		click("a attach")
		click("Ctrl+B detach")
		s.sees("╭ Jobs")
		click("a attach")
		click("Ctrl+B ? help")
		s.sees("╭ Help")
		click("Esc close")
		s.sees("╭ Jobs")
		click("q quit")
		if _, ok := sentMsg[LeaveMsg](s); !ok {
			t.Error("the click on q quit did not leave")
		}
	})
}
