package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
		"smallest":        {w: 20, h: 5},
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

func TestLogFollowsSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.sees("listening on :5173")
		s.press("j")
		s.sees("FAIL TestTwo")
		s.seesNot("listening on")
		s.press("j")
		s.sees("No output.")
	})
}

func TestLogGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		log := s.pane.output.source.(*fakeLog)
		log.text += "[vite] page reload\n"
		j := s.eng.jobs[0]
		j.Output = int64(len(log.text))
		s.facts(engine.Event{Kind: engine.EventOutput, Job: j, Offset: j.Output})
		s.sees("[vite] page reload")
	})
}

func TestUnreadableLogShowsErrorAndDoesNotFollow(t *testing.T) {
	inBubble(t, "from the first", func(t *testing.T) {
		eng := three()
		eng.fail["read-log"] = fmt.Errorf("%w: web1 does not answer any more, since four minutes", engine.ErrUnreachable)
		s := newHarness(t, 80, 24, eng)
		s.sees("Can't read the log:")
		s.seesNot("following")
		s.press("3", "/")
		s.write("abc")
		s.press("enter")
		s.pass(5 * time.Second) // the message disappears
		s.sees("/abc  log not read")
		s.seesNot("following")
		s.press("f")
		if n := strings.Count(s.pane.View(), "the host is unreachable"); n != 2 {
			t.Errorf("a key that cannot do its work says why %d times beside the log's own words:\n%s", n-1, s.pane.View())
		}
		s.press("%")
		s.write("50")
		s.press("enter")
		s.sees("Can't read the log: the host is unreachable")
	})
	inBubble(t, "later", func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("3")
		s.sees("following")
		s.pane.output.source.(*fakeLog).fail = engine.ErrUnreachable
		s.eng.jobs[0].Output += 100
		s.facts(engine.Event{Kind: engine.EventOutput, Job: s.eng.jobs[0], Offset: s.eng.jobs[0].Output})
		s.sees("not readable now")
		s.seesNot("following")
	})
}

func TestMessagesOfOtherPaneAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := newHarness(t, 100, 30, three()), newHarness(t, 100, 30, three())
		before := two.screen()
		if cmd := two.pane.Update(thenMsg{one.pane.tasks, one.pane.subscribe}); cmd != nil {
			t.Error("a message of another pane made a command")
		}
		if got := two.screen(); got != before {
			t.Error("a message of another pane changed the screen")
		}
	})
}

func TestUnchangedFrameIsNotRedrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 160, 50, three())
		s.pane.View()
		if n := testing.AllocsPerRun(100, func() { s.pane.View() }); n > 0 {
			t.Errorf("an unchanged frame allocates %v times", n)
		}
	})
}

func TestTicksOnlyAsOftenAsTheScreenChanges(t *testing.T) {
	finished := func(ago time.Duration) engine.Job {
		j := exited(running("make-aaaaa", "make", time.Hour), 0)
		j.Exit.At = noon.Add(-ago)
		return j
	}
	open := func(t *testing.T, jobs ...engine.Job) *harness {
		start := time.Now()
		clock := func() time.Time { return noon.Add(time.Since(start)) }
		return newHarness(t, 100, 30, &fake{jobs: jobs}, withClock(clock))
	}
	ticksEvery := func(s *harness, want time.Duration) {
		s.t.Helper()
		if got := s.pane.clock.every; got != want {
			s.t.Errorf("the clock ticks every %s, want %s", got, want)
		}
	}
	inBubble(t, "never without jobs", func(t *testing.T) {
		ticksEvery(open(t), 0)
	})
	inBubble(t, "every minute while no job runs", func(t *testing.T) {
		s := open(t, finished(5*time.Minute))
		ticksEvery(s, time.Minute)
		s.sees("5m ago")
		for range 2 {
			s.pass(time.Minute)
		}
		s.sees("ran 55m00s                 7m ago") // its run time does not change
	})
	inBubble(t, "every second in the minute after an end", func(t *testing.T) {
		s := open(t, finished(0))
		ticksEvery(s, time.Second)
		for range 30 {
			s.pass(time.Second)
		}
		s.sees("30s ago")
		for range 30 {
			s.pass(time.Second)
		}
		s.sees("1m ago")
		ticksEvery(s, time.Minute)
	})
	inBubble(t, "every second as soon as a job runs", func(t *testing.T) {
		s := open(t, finished(5*time.Minute))
		s.facts(engine.Event{Kind: engine.EventCreated, Job: running("x-aaaaa", "sleep", 0)})
		for range 7 {
			s.pass(time.Second)
		}
		s.sees(" 7s ")
	})
}

func TestStartedJobIsVisibleDespiteFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("/")
		s.write("make")
		s.press("enter", "n", "l", "s", "enter")
		s.facts(engine.Event{Kind: engine.EventCreated, Job: running("new-aaaaa", "ls", 0)})
		if j, _ := s.pane.Selected(); j.ID != "new-aaaaa" {
			t.Errorf("%s is selected", j.ID)
		}
	})
}

// No message reports the start of a job that could not be started.
func TestFailedStartShowsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.failStart = true
		s := newHarness(t, 120, 30, eng)
		s.press("n", "l", "s", "enter")
		s.sees("Can't start ls")
	})
}

func TestRunAnotherReportsThatTheFirstKeepsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("R")
		s.sees("Started a second npm run dev; the first is still running")
	})
}

// A job that was stopped in order to be restarted is started even if the user quits.
func TestRestartOutlivesPane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.grace = make(chan struct{})
		s := newHarness(t, 120, 30, eng)
		s.press("r")
		jobs, wait := s.pane.jobActions.restarts.pending()
		if len(jobs) != 1 || jobs[0].ID != "dev-aaaaa" {
			t.Fatalf("pending restarts: %v", jobs)
		}
		if err := s.pane.Close(); err != nil {
			t.Error(err)
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := wait(canceled); !errors.Is(err, context.Canceled) {
			t.Errorf("a wait that was given up returned %v", err)
		}
		close(eng.grace)
		if err := wait(t.Context()); err != nil {
			t.Error(err)
		}
		if did := eng.did(); !slices.Contains(did, "restart dev-aaaaa") {
			t.Errorf("calls: %q", did)
		}
		if jobs, _ := s.pane.jobActions.restarts.pending(); len(jobs) != 0 {
			t.Errorf("still pending: %v", jobs)
		}
	})
}

func TestLogCatchesUpWhenVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		log := s.pane.output.source.(*fakeLog)
		s.press("a")
		log.text += "written while attached\n"
		j := s.eng.jobs[0]
		j.Output = int64(len(log.text))
		s.pane.View()
		s.facts(engine.Event{Kind: engine.EventOutput, Job: j, Offset: j.Output})
		if s.pane.frame.dirty {
			t.Error("output that the terminal shows anyway drew the frame anew")
		}
		s.press("ctrl+b")
		s.sees("written while attached")
	})
}

func TestTwoPanesInOneProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := three()
		other.jobs = []engine.Job{running("else-aaaaa", "somewhere else", time.Minute)}
		one, two := newHarness(t, 100, 20, three()), newHarness(t, 100, 20, other)
		both := func(msg tea.Msg) { // like a host that passes on all messages
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

func TestTooSmallShowsMessage(t *testing.T) {
	for size, want := range map[[2]int][]string{
		{19, 4}: {"     too small     ", "     ◆ 1 input     "},
		{60, 4}: {"too small: 20x5 at least", "◆ 1 input"},
		{9, 2}:  {"too small", "◆ 1 input"},
		{9, 1}:  {"◆ 1 input"},
		{4, 2}:  {"too ", "◆ 1 "},
	} {
		inBubble(t, fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			eng := three()
			eng.jobs[0].Waiting = true
			s := newHarness(t, size[0], size[1], eng)
			for _, text := range want {
				s.sees(text)
			}
		})
	}
}

// The first page of help begins with how to leave a job, then the focused pane.
func TestHelpPageStartsWithFocusedPane(t *testing.T) {
	for pane, want := range map[string]string{"1": "The selected job          (list, detail and log)", "2": "The selected job          (list, detail and log)", "3": "│ Log  "} {
		inBubble(t, pane, func(t *testing.T) {
			s := newHarness(t, 120, 40, three())
			s.press(pane, "?")
			leave, own := strings.Index(s.screen(), "│ Leave a job  "), strings.Index(s.screen(), want)
			if job := strings.Index(s.screen(), "The selected job "); leave < 0 || leave > own || own > job {
				t.Errorf("the sections begin at %d, %d and %d:\n%s", leave, own, job, s.screen())
			}
			s.sees("signals, replay, text fields: / finds them")
			s.seesNot("start of the next burst of output")
		})
	}
}

// Searching lists the keys of the focused pane first.
func TestHelpStartsWithFocusedPane(t *testing.T) {
	for pane, want := range map[string][]string{"1": {"Jobs", "Everywhere", "Log"}, "3": {"Log", "Everywhere", "Jobs"}} {
		inBubble(t, pane, func(t *testing.T) {
			s := newHarness(t, 60, 200, three())
			s.press(pane, "?", "/", "e")
			at := -1
			for _, title := range want {
				next := strings.Index(s.screen(), "│ "+title+"  ")
				if next <= at {
					t.Errorf("%q is not where it is to be, after %d but at %d", title, at, next)
				}
				at = next
			}
		})
	}
}

// The actions on any job come before those on a queued one.
func TestHelpShowsStopBeforeTheQueue(t *testing.T) {
	for pane, title := range map[string]string{"1": "Jobs", "2": "Jobs", "3": "Log"} {
		inBubble(t, pane, func(t *testing.T) {
			s := newHarness(t, 60, 200, three())
			s.press(pane, "?", "/", "e")
			own, _, _ := strings.Cut(s.screen()[strings.Index(s.screen(), "│ "+title+"  "):], "Everywhere")
			stop, queue := strings.Index(own, "│ x  "), strings.Index(s.screen(), "│ B  ")
			if stop < 0 || queue < strings.Index(s.screen(), "│ x  ") {
				t.Errorf("the key for stop is at %d of %q, that for the queue at %d", stop, title, queue)
			}
		})
	}
}

// A message covers no row.
func TestMessagesDoNotCoverSelectedRow(t *testing.T) {
	for _, size := range [][2]int{{39, 12}, {40, 12}, {20, 5}, {60, 12}, {100, 13}} {
		inBubble(t, fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			eng := &fake{}
			for i := range 20 {
				eng.jobs = append(eng.jobs, running(fmt.Sprintf("job%02d-aaaaa", i), fmt.Sprintf("job%02d", i), time.Hour))
			}
			s := newHarness(t, size[0], size[1], eng)
			for range 20 {
				s.press("u") // shows a refusal
				j, ok := s.pane.Selected()
				if !ok {
					t.Fatal("nothing is selected")
				}
				s.sees("Nothing to undo")
				s.sees(j.Name + " ")
				s.press("j")
			}
		})
	}
}

func TestNoJobActionsWithoutJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 40, three())
		var gone []engine.Event
		for _, j := range s.eng.jobs {
			gone = append(gone, engine.Event{Kind: engine.EventRemoved, Job: j})
		}
		s.eng.sub.batches <- gone
		s.pump()
		s.sees("No jobs yet. Press n to start one, or run: hob run npm run dev")
		s.sees(" n new    ? help ")
		s.press("z")
		s.sees("There are no jobs")
	})
}
