package ui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
)

// onHost returns three with its running job on web1.
func onHost() *fake {
	eng := three()
	eng.jobs[0].Host, eng.jobs[0].Kind, eng.jobs[0].Link = "web1", engine.KindFile, engine.LinkOK
	return eng
}

func TestOpenConnectsToHost(t *testing.T) {
	start := func(t *testing.T, made bool, err error) (s *harness, asked *[]string) {
		asked = new([]string)
		connect := func(_ context.Context, host string) (bool, error) {
			*asked = append(*asked, host)
			return made, err
		}
		return newHarness(t, 100, 24, onHost(), WithConnect(connect)), asked
	}
	opened := func(s *harness) int {
		n := 0
		for _, c := range s.eng.did() {
			if c == "open-log dev-aaaaa output" {
				n++
			}
		}
		return n
	}

	inBubble(t, "only when it is asked for", func(t *testing.T) {
		_, asked := start(t, true, nil)
		if len(*asked) > 0 {
			t.Errorf("looking connected to %q", *asked)
		}
	})
	inBubble(t, "reads the log again", func(t *testing.T) {
		s, asked := start(t, true, nil)
		before := opened(s)
		s.press("enter")
		if !slices.Equal(*asked, []string{"web1"}) || opened(s) != before+1 {
			t.Errorf("connected to %q and opened the log %d times more", *asked, opened(s)-before)
		}
	})
	inBubble(t, "leaves the log alone if it was connected", func(t *testing.T) {
		s, _ := start(t, false, nil)
		before := opened(s)
		s.press("enter")
		if opened(s) != before {
			t.Errorf("the log was opened %d times more", opened(s)-before)
		}
	})
	inBubble(t, "is offered where the log cannot be read", func(t *testing.T) {
		eng := onHost()
		eng.fail["read-log"] = engine.ErrUnreachable
		connect := func(context.Context, string) (bool, error) { return false, nil }
		s := newHarness(t, 100, 24, eng, WithConnect(connect))
		s.sees("Can't read the log: web1 is ")
		s.sees("reconnect. ")
	})
	inBubble(t, "before it attaches to a job of an unreachable host", func(t *testing.T) {
		eng, answer, asked := onHost(), make(chan struct{}), 0
		eng.jobs[0].Link = engine.LinkUnreachable
		connect := func(context.Context, string) (bool, error) {
			asked++
			<-answer
			return true, nil
		}
		s := newHarness(t, 100, 24, eng, WithConnect(connect))
		cmd, _ := s.pane.perform("jobs.attach")
		s.sees("connecting to web1")
		close(answer)
		s.run(cmd)
		s.pump()
		s.seesNot("connecting to web1")
		if asked != 1 {
			t.Errorf("connected %d times", asked)
		}
	})
	inBubble(t, "says why it cannot", func(t *testing.T) {
		s, _ := start(t, true, &engine.Error{Op: "connect", Err: engine.ErrUnreachable, Hint: "ssh-add helps"})
		s.press("enter")
		s.sees("Can't connect to web1: ")
		s.sees("ssh-add helps")
	})
	inBubble(t, "stops saying that it cannot once it is connected", func(t *testing.T) {
		err := engine.ErrUnreachable
		connect := func(context.Context, string) (bool, error) { return true, err }
		s := newHarness(t, 100, 24, onHost(), WithConnect(connect))
		s.press("enter")
		s.sees("Can't connect to web1: ")
		err = nil
		s.press("enter")
		s.seesNot("Can't connect")
	})
	inBubble(t, "stops saying that it cannot once another program is connected", func(t *testing.T) {
		eng := onHost()
		eng.jobs[0].Link = engine.LinkUnreachable
		connect := func(context.Context, string) (bool, error) { return false, engine.ErrUnreachable }
		s := newHarness(t, 100, 24, eng, WithConnect(connect))
		s.press("enter")
		s.facts(engine.Event{Kind: engine.EventLink, Job: eng.jobs[0]})
		s.sees("Can't connect to web1: ")
		eng.jobs[0].Link = engine.LinkOK
		s.facts(engine.Event{Kind: engine.EventLink, Job: eng.jobs[0]})
		s.seesNot("Can't connect")
	})
}

func TestHeaderShowsLinksToHosts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(j *engine.Job)
		want   string
	}{
		"no answer yet": {func(j *engine.Job) { j.StaleSince = noon.Add(-time.Hour) }, "web1 connecting"},
		"unreachable":   {func(j *engine.Job) { j.Link, j.StaleSince = engine.LinkUnreachable, noon.Add(-3*time.Minute) }, "web1 unreachable 3m"},
	} {
		inBubble(t, name, func(t *testing.T) {
			eng := onHost()
			c.change(&eng.jobs[0])
			newHarness(t, 100, 24, eng).sees(c.want)
		})
	}
	inBubble(t, "the key of an unreachable job connects", func(t *testing.T) {
		eng := onHost()
		eng.jobs[0].Link = engine.LinkUnreachable
		connect := func(context.Context, string) (bool, error) { return true, nil }
		s := newHarness(t, 120, 24, eng, WithConnect(connect))
		s.sees("○ stale     npm run dev · web1")
		s.sees("Enter reconnect")
	})
	inBubble(t, "unreachable, in little room", func(t *testing.T) {
		eng := onHost()
		eng.jobs[0].Link, eng.jobs[0].StaleSince = engine.LinkUnreachable, noon.Add(-3*time.Minute)
		s := newHarness(t, 64, 24, eng)
		s.sees("web1 unreachable 3m")
		s.run(s.pane.SetSize(61, 24))
		s.sees("web1 unreachable ")
		s.run(s.pane.SetSize(40, 24))
		s.sees(" ⚠ 1 ")
	})
	inBubble(t, "nothing of hosts that answer", func(t *testing.T) {
		s := newHarness(t, 100, 24, onHost())
		if line := ansi.Strip(s.pane.header(100)); strings.Contains(line, "web1") {
			t.Errorf("the header is %q", line)
		}
	})
}

func TestCtrlCWithoutTerminalInterruptsForegroundJob(t *testing.T) {
	inBubble(t, "interrupts the job", func(t *testing.T) {
		eng := onHost()
		eng.jobs[0].Backgrounded = false
		eng.fail["open-terminal"] = &engine.Error{Op: "attach", Err: engine.ErrUnsupported}
		s := newHarness(t, 80, 24, eng)
		s.run(s.pane.Foreground("dev-aaaaa"))
		s.pump()
		s.sees("listening on :5173")
		s.press("ctrl+c")
		s.calledLast("signal dev-aaaaa SIGINT")
	})
}
