package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/themes"
)

// embed configures a pane that is not in hob's own program.
func embed(o *options) { o.program = false }

func TestFilteredPane(t *testing.T) {
	own := engine.Filter{CreatedBy: "agent", Labels: map[string]string{"project": "shop"}}
	mine := func(j engine.Job) engine.Job {
		j.CreatedBy, j.Labels = "agent", map[string]string{"project": "shop"}
		return j
	}
	engineOf := func() *fake {
		eng := three()
		eng.jobs[0] = mine(eng.jobs[0])
		return eng
	}
	inBubble(t, "shows only the jobs that match", func(t *testing.T) {
		s := newHarness(t, 100, 30, engineOf(), embed, WithFilter(own))
		s.sees("npm run dev")
		s.seesNot("make test")
		s.sees("1 job ")
		if n := s.pane.Running(); n != 1 {
			t.Errorf("%d jobs run", n)
		}
	})
	inBubble(t, "suggests no command whose job it would not show", func(t *testing.T) {
		s := newHarness(t, 100, 30, &fake{}, embed, WithFilter(own))
		s.sees("No jobs yet. Press n to start one.")
		s.seesNot("hob run")
	})
	inBubble(t, "drops a job that stops matching, after its end is reported", func(t *testing.T) {
		eng := engineOf()
		s := newHarness(t, 100, 30, eng, embed, WithFilter(engine.Filter{Running: true}))
		s.sees("npm run dev")
		s.facts(engine.Event{Kind: engine.EventExited, Job: exited(eng.jobs[0], 0)})
		s.seesNot("● running")
		if _, ok := sentMsg[EndedMsg](s); !ok {
			t.Error("the end was not reported")
		}
	})
	inBubble(t, "a job that is started in it matches", func(t *testing.T) {
		s := newHarness(t, 100, 30, engineOf(), embed, WithFilter(own))
		s.press("n")
		s.write("make all")
		s.press("enter")
		j := engine.Job{Request: engine.Request{CreatedBy: s.eng.spec.CreatedBy, Labels: s.eng.spec.Labels}}
		if !own.Selects(&j) {
			t.Errorf("started with %+v", s.eng.spec)
		}
	})
}

func TestQuitKeyOfEmbeddedPane(t *testing.T) {
	inBubble(t, "is back", func(t *testing.T) {
		s := newHarness(t, 120, 30, three(), embed)
		s.sees("q back")
		s.seesNot("q quit")
		s.press("q")
		if _, ok := sentMsg[LeaveMsg](s); !ok {
			t.Error("q did not leave")
		}
	})
	inBubble(t, "so is Ctrl+C twice", func(t *testing.T) {
		s := newHarness(t, 120, 30, three(), embed)
		s.press("ctrl+c")
		s.sees("Ctrl+C again to go back. Jobs keep running.")
		s.press("ctrl+c")
		if _, ok := sentMsg[LeaveMsg](s); !ok {
			t.Error("Ctrl+C did not leave")
		}
	})
	inBubble(t, "quits the program hob", func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.sees("q quit")
		s.press("ctrl+c")
		s.sees("Ctrl+C again to quit. Jobs keep running.")
	})
}

// The keys in the footer of a pane without focus have no effect, so they are dim.
func TestFooterKeysAreDimWithoutFocus(t *testing.T) {
	lastLine := func(s *harness) string {
		lines := split(s.pane.View())
		return lines[len(lines)-1]
	}
	for name, keys := range map[string][]string{"of the panes": nil, "of an attached job": {"a"}} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 100, 30, three(), embed, WithTheme(themes.Default(true)))
			s.press(keys...)
			s.pass(time.Second)
			text := ansi.Strip(lastLine(s))
			s.pane.Blur()
			if got := lastLine(s); ansi.Strip(got) != text {
				t.Errorf("blurred %q, focused %q", ansi.Strip(got), text)
			}
			bright := s.pane.styles.Key.Render("x")
			opens := bright[:strings.Index(bright, "x")]
			if strings.Contains(lastLine(s), opens) {
				t.Errorf("a key is bright in %q", lastLine(s))
			}
			s.pane.Focus()
			if !strings.Contains(lastLine(s), opens) {
				t.Errorf("no key is bright in %q", lastLine(s))
			}
		})
	}
}
