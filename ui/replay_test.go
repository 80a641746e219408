package ui

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/replay"
)

// tape is a recording of a minute with one screen.
type tape struct{ job engine.Job }

func (t *tape) Job() engine.Job                                       { return t.job }
func (*tape) Start() time.Time                                        { return noon }
func (*tape) Duration() time.Duration                                 { return time.Minute }
func (*tape) Index(context.Context, func(time.Duration)) error        { return nil }
func (*tape) Close() error                                            { return nil }
func (*tape) PreviousBurst(at, _ time.Duration) (time.Duration, bool) { return at, false }
func (*tape) NextBurst(at, _ time.Duration) (time.Duration, bool)     { return at, false }

func (*tape) Seek(_ context.Context, at time.Duration) (replay.Frame, error) {
	return replay.Frame{Reset: true, Size: engine.Size{Cols: 80, Rows: 24}, Data: []byte("the screen then"), At: at}, nil
}

func (*tape) Next(context.Context) (replay.Frame, error) {
	return replay.Frame{At: time.Minute, End: true}, nil
}

func (*tape) Find(context.Context, *regexp.Regexp, time.Duration) (time.Duration, bool, error) {
	return 0, false, nil
}

func TestReplayHasHelp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.rec = &tape{exited(eng.jobs[0], 0)}
		s := newHarness(t, 120, 40, eng)
		s.press("p")
		s.sees("the screen then")
		s.sees("Space pause")
		s.press("space")
		s.sees("Space play")
		s.sees("? help")
		s.press("?")
		s.sees("start of the next burst of output")
		s.sees("0 - 9       go to the tenths of the recording")
		s.run(s.pane.SetSize(100, 30))
		s.pump()
		s.press("esc")
		s.sees("the screen then")
		s.seesNot("start of the next burst of output")
		s.press("/", "?", "esc") // text, here
		s.seesNot("start of the next burst of output")
		s.press("q")
		s.seesNot("the screen then")
		s.sees("╭ Jobs ─")
	})
}

// On a host with hob's holder, jobs are recorded as here. Only the engine can find out whether a job was.
func TestReplayOfJobOnHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs[0].Host = "web1"
		eng.rec = &tape{exited(eng.jobs[0], 0)}
		s := newHarness(t, 120, 40, eng)
		s.press("p")
		s.sees("the screen then")
	})
}

// A replay has the whole pane: no header, and its own keys in the last row. A message is below it.
func TestReplayTakesTheWholePane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.rec = &tape{exited(eng.jobs[0], 0)}
		s := newHarness(t, 80, 24, eng)
		s.press("p")
		row := func(i int) string { return strings.Split(s.screen(), "\n")[i] }
		if got := row(0); !strings.HasPrefix(got, "the screen then") {
			t.Errorf("the first row is %q", got)
		}
		if got := row(23); !strings.Contains(got, "npm run dev  0s / 1m00s") || !strings.Contains(got, "Space pause") {
			t.Errorf("the last row is %q", got)
		}
		s.fails("The disk is full")
		if got := row(23); !strings.Contains(got, "The disk is full") {
			t.Errorf("the last row is %q, want the message", got)
		}
		if got := row(22); !strings.Contains(got, "Space pause") {
			t.Errorf("the row above the message is %q", got)
		}
		s.press("?")
		s.sees("╭ Help")
		if got := row(23); !strings.Contains(got, "Esc close") {
			t.Errorf("below help is %q", got)
		}
		s.press("esc", "q")
		s.sees("╭ Jobs ─")
	})
}
