package replay

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/replay"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// seconds is a recording that prints its number every second.
type seconds struct {
	n    atomic.Int64 // how many numbers there are
	at   int
	fail error
}

func counting(n int64, fail error) *seconds {
	s := &seconds{fail: fail}
	s.n.Store(n)
	return s
}

func (s *seconds) Start() time.Time        { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
func (s *seconds) Duration() time.Duration { return time.Duration(s.n.Load()-1) * time.Second }

func (s *seconds) frame(reset bool) replay.Frame {
	f := replay.Frame{Reset: reset, Size: engine.Size{Cols: 40, Rows: 10}, At: time.Duration(s.at) * time.Second, End: s.at == int(s.n.Load())-1}
	first := s.at
	if reset {
		first = 0
	}
	for i := first; i <= s.at; i++ {
		f.Data = fmt.Appendf(f.Data, "%d ", i)
	}
	return f
}

func (s *seconds) Seek(_ context.Context, at time.Duration) (replay.Frame, error) {
	s.at = int(at / time.Second)
	return s.frame(true), s.fail
}

func (s *seconds) Next(context.Context) (replay.Frame, error) {
	if s.at == int(s.n.Load())-1 {
		return replay.Frame{At: s.Duration(), Size: engine.Size{Cols: 40, Rows: 10}, End: true}, s.fail
	}
	s.at++
	return s.frame(false), s.fail
}

func (s *seconds) Find(_ context.Context, re *regexp.Regexp, after time.Duration) (time.Duration, bool, error) {
	for i := range s.n.Load() {
		if at := time.Duration(i) * time.Second; at > after && re.MatchString(fmt.Sprint(i)) {
			return at, true, nil
		}
	}
	return 0, false, nil
}

func (s *seconds) PreviousBurst(at, _ time.Duration) (time.Duration, bool) {
	return at - time.Second, at >= time.Second
}

func (s *seconds) NextBurst(at, _ time.Duration) (time.Duration, bool) {
	return at + time.Second, at < s.Duration()
}

// player runs a model and its commands, as a program does.
type player struct {
	t    *testing.T
	m    *Model
	msgs chan tea.Msg

	closed bool
}

func play(t *testing.T, rec Recording, running bool, o Options) *player {
	keys, theme := keymap.Default(), themes.Default(true)
	styles := theme.Styles(themes.Unicode())
	line := prompt.NewLine(prompt.Keys{Input: keys.Input, Edit: keys.Edit}, styles, prompt.Options{})
	p := &player{t: t, msgs: make(chan tea.Msg, 100)}
	m := New(t.Context(), rec, "docker build", running, line, keys.Replay, keys.Input, styles, o, Actions{Close: func() tea.Cmd {
		p.closed = true
		return nil
	}})
	m.SetSize(60, 8)
	p.m = m
	p.run(m.Init())
	p.settle()
	t.Cleanup(func() { time.Sleep(time.Minute) }) // until no timer runs
	return p
}

func (p *player) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	ctx := p.t.Context()
	go func() {
		msg := cmd()
		select {
		case p.msgs <- msg:
		case <-ctx.Done():
		}
	}()
}

// settle handles messages until there are none at this time.
func (p *player) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-p.msgs:
			p.run(p.m.Update(msg))
		default:
			return
		}
	}
}

// pass lets time pass.
func (p *player) pass(d time.Duration) {
	const step = 10 * time.Millisecond
	for ; d > 0; d -= step {
		time.Sleep(step)
		p.settle()
	}
}

func (p *player) press(keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k}
		if len(k) == 1 {
			msg.Code = rune(k[0])
		}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "left":
			msg = tea.KeyPressMsg{Code: tea.KeyLeft}
		case "space":
			msg = tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
		}
		p.run(p.m.Update(msg))
		p.settle()
	}
}

func (p *player) shows(want string) {
	p.t.Helper()
	if got := strings.Join(strings.Fields(p.m.term.Text()), " "); got != want {
		p.t.Errorf("it shows %q, want %q", got, want)
	}
}

func (p *player) bar(want string) {
	p.t.Helper()
	if got := ansi.Strip(p.m.bar()); !strings.Contains(got, want) {
		p.t.Errorf("the player's row is %q, want %q", got, want)
	}
}

func TestPlayer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, counting(20, nil), false, Options{})
		p.shows("0")
		p.pass(2500 * time.Millisecond)
		p.shows("0 1 2")
		p.press("space")
		p.pass(5 * time.Second)
		p.shows("0 1 2")
		p.bar("‖ docker build  2s / 19s  █░░")
		p.press("space")
		p.pass(1500 * time.Millisecond)
		p.shows("0 1 2 3")
		p.press("]")
		p.shows("0 1 2 3 4")
		p.press("left")
		p.shows("0")
		p.press("5")
		p.shows("0 1 2 3 4 5 6 7 8 9")
		p.press(">", ">")
		p.bar("4×")
		p.pass(time.Second)
		p.shows("0 1 2 3 4 5 6 7 8 9 10 11 12 13")
		p.press("/", "1", "7", "enter")
		p.shows("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17")
		p.press("/", "^", "3", "$", "enter") // continues from the beginning
		p.shows("0 1 2 3")
		p.press("/", "x", "enter")
		p.bar("not found: x")
		p.press("/", "(", "enter")
		p.bar("not a valid regular expression")
		p.press("G")
		p.bar("‖ docker build  19s / 19s") // the end stops it
		p.press("space")
		p.shows("0")
		p.press("q")
		if !p.closed {
			t.Error("q does not close it")
		}
	})
}

func TestPlayerCutsPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, counting(20, nil), false, Options{Speed: 2, IdleLimit: 200 * time.Millisecond})
		p.pass(time.Second)
		p.shows("0 1 2 3 4 5 6 7 8 9 10")
	})
}

func TestPlayerFollowsARunningJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := counting(2, nil)
		p := play(t, rec, true, Options{})
		p.press("G")
		p.bar("live")
		rec.n.Store(3)
		p.pass(time.Second)
		p.shows("0 1 2")
	})
}

func TestPlayerReportsAnUnreadableRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, counting(2, context.DeadlineExceeded), false, Options{})
		p.bar("the recording cannot be read: context")
	})
}

func TestPlayerFitsItsSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, counting(3, nil), false, Options{})
		for _, size := range [][2]int{{60, 8}, {20, 5}, {4, 2}, {1, 1}, {200, 50}} {
			p.m.SetSize(size[0], size[1])
			lines := strings.Split(p.m.View(), "\n")
			if len(lines) != size[1] {
				t.Errorf("%v: %d rows", size, len(lines))
			}
			for _, l := range lines {
				if w := cells.Width(l); w != size[0] {
					t.Errorf("%v: a row of %d columns", size, w)
				}
			}
		}
	})
}

func TestPlayerRow(t *testing.T) {
	for name, tt := range map[string]struct {
		w    int
		want string
	}{
		"wide":   {100, "▶ docker build  2s / 19s  12:00:02  ███░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  Space pause  q close  ? help"},
		"medium": {60, "▶ docker build  2s / 19s  █░░░░░░░░░░░░  Space pause  ? help"},
		"small":  {40, "▶ 2s / 19s           Space pause  ? help"},
		"tiny":   {30, "▶ docke…uild  2s / 19s  ? help"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := play(t, counting(20, nil), false, Options{})
				p.m.SetSize(tt.w, 8)
				p.pass(2500 * time.Millisecond)
				now := p.m.rec.Start().Add(p.m.at).Local().Format(time.TimeOnly)
				if got, want := ansi.Strip(p.m.bar()), strings.ReplaceAll(tt.want, "12:00:02", now); got != want {
					t.Errorf("the player's row is\n%q, want\n%q", got, want)
				}
			})
		})
	}
}

// A recorded terminal with more rows than the view is cut at the top, but no text while there are
// blank rows below it.
func TestPlayerCutsRowsAtTheTop(t *testing.T) {
	lines := func(n int) string { return strings.TrimSpace(strings.Repeat("line\r\n", n)) }
	for name, tt := range map[string]struct {
		data string
		want string // rows of the view
		y    int    // of the cursor
	}{
		"text in the first rows": {"first\r\nsecond\r\n", "first second", 2},
		"all rows":               {"first\r\n" + lines(8) + "\r\nstatus", "line line line status", 3},
		"a cursor below":         {"first\r\nsecond\r\nthird\x1b[5;1H", "second third", 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := play(t, counting(20, nil), false, Options{})
				p.m.SetSize(60, 5)
				p.m.term.Write([]byte("\x1bc"))
				p.m.term.Resize(40, 10)
				p.m.term.Write([]byte(tt.data))
				rows := strings.Split(ansi.Strip(p.m.View()), "\n")
				if got := strings.Join(strings.Fields(strings.Join(rows[:4], " ")), " "); got != tt.want {
					t.Errorf("it shows %q, want %q", got, tt.want)
				}
				if c := p.m.Cursor(); c == nil || c.Y != tt.y {
					t.Errorf("the cursor is at %+v, want row %d", c, tt.y)
				}
			})
		})
	}
}

func TestClicksOnPlayerRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, counting(20, nil), false, Options{})
		x := strings.Index(strings.ReplaceAll(strings.ReplaceAll(ansi.Strip(p.m.bar()), "█", "#"), "░", "-"), "Space")
		p.m.Click(x, 0)
		if !p.m.playing {
			t.Error("a click above the row pauses")
		}
		p.m.Click(x-2, 7)
		p.bar("Space play")
		p.m.Click(x, 7)
		p.bar("Space pause")
	})
}
