package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/grouplog"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/themes"
)

// shopNames are the processes of a project in the order of its file.
var shopNames = []string{"web", "worker", "scheduler", "css", "mailer"}

// shop is an engine with the jobs of a project, beside three others.
func shop() *fake {
	eng := three()
	for _, name := range []string{"css", "worker", "mailer", "web", "scheduler"} {
		j := running(name+"-ggggg", name, 19*time.Minute)
		j.Labels = map[string]string{"group": "shop", "project": "/home/me/src/shop", "process": name}
		switch name {
		case "web":
			j.Ports = []int{25198}
		case "mailer":
			j = exited(j, 1)
			j.Exit.At = j.StartedAt.Add(2 * time.Second)
			j.Exit.Summary = "dial tcp 127.0.0.1:6379: refused"
		}
		eng.jobs = append(eng.jobs, j)
	}
	return eng
}

// withShop shows the project.
func withShop() Option {
	return WithProject(Project{
		Name:   "shop",
		Labels: map[string]string{"group": "shop", "project": "/home/me/src/shop"},
		File:   "/home/me/src/shop/Procfile",
		Order:  shopNames,
	})
}

// said is a line of a process, written some seconds after the project was started.
func (f *fake) said(name string, second int, text string) grouplog.Entry {
	return grouplog.Entry{
		Job:  f.job(engine.ID(name + "-ggggg")),
		At:   noon.Add(-19*time.Minute + time.Duration(second)*time.Second),
		Line: joblog.Line{Text: text, Raw: []byte(text), End: int64(len(text)) + 1},
	}
}

// group returns the output of the group that the pane has open, or nil.
func (s *harness) group() *fakeGroup {
	g, _ := s.pane.output.group.stream.(*fakeGroup)
	return g
}

// said delivers lines of the processes of the shop.
func (s *harness) said(entries ...grouplog.Entry) {
	s.t.Helper()
	s.group().entries <- entries
	s.pump()
	s.pass(groupPace)
}

// theLines returns the output of the project that most tests show.
func (f *fake) theLines() []grouplog.Entry {
	end := f.said("mailer", 69, "")
	end.Ended = true
	return []grouplog.Entry{
		f.said("web", 65, "GET /api/products?page=2 200 42ms"),
		f.said("worker", 65, "job=1402 queue=default done in 31ms"),
		f.said("web", 66, "[vite] hmr update /src/main.tsx"),
		f.said("scheduler", 67, "tick"),
		f.said("mailer", 67, "worker: connecting to redis://localhost:6379"),
		f.said("mailer", 69, "dial tcp 127.0.0.1:6379: connection refused"),
		end,
		f.said("web", 70, "GET /api/products?page=36 200 89ms"),
	}
}

// The screen of a project at several sizes.
func TestProjectView(t *testing.T) {
	named := func(name string, dark bool) Option {
		theme, err := themes.Named(name, dark)
		if err != nil {
			t.Fatal(err)
		}
		return WithTheme(theme)
	}
	for name, tt := range map[string]struct {
		w, h   int
		opts   []Option
		keys   []string
		styled bool
	}{
		"160x50":                {w: 160, h: 50},
		"120x40":                {w: 120, h: 40},
		"80x24":                 {w: 80, h: 24},
		"60x20":                 {w: 60, h: 20},
		"40x12":                 {w: 40, h: 12},
		"30x8":                  {w: 30, h: 8},
		"the log, 120x20":       {w: 120, h: 20, keys: []string{"enter"}},
		"the log, 80x24":        {w: 80, h: 24, keys: []string{"enter"}},
		"a process, 120x20":     {w: 120, h: 20, keys: []string{"j"}},
		"all jobs, 120x20":      {w: 120, h: 20, keys: []string{"esc"}},
		"detail, 120x20":        {w: 120, h: 20, keys: []string{"2"}},
		"ascii, 100x16":         {w: 100, h: 16, opts: []Option{WithGlyphs(themes.ASCII())}},
		"embedded, 100x16":      {w: 100, h: 16, opts: []Option{embed, WithHeader(false)}},
		"embedded, 60x10":       {w: 60, h: 10, opts: []Option{embed, WithHeader(false)}},
		"dark, 100x12":          {w: 100, h: 12, opts: []Option{named("dark", true)}, styled: true},
		"light, 100x12":         {w: 100, h: 12, opts: []Option{named("light", false)}, styled: true},
		"16 colors, 100x12":     {w: 100, h: 12, opts: []Option{named("terminal", true)}, styled: true},
		"reduced motion, 80x24": {w: 80, h: 24, opts: []Option{WithReducedMotion(true)}},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, tt.w, tt.h, shop(), append([]Option{withShop()}, tt.opts...)...)
			if s.group() != nil {
				s.said(s.eng.theLines()...)
			}
			s.press(tt.keys...)
			view := s.screen()
			if tt.styled {
				view = s.pane.View()
			}
			golden.RequireEqual(t, view+"\n")
		})
	}
}

func TestOutputOfAGroup(t *testing.T) {
	inBubble(t, "is open while its row is selected", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop())
		if s.group() != nil {
			t.Error("it is open while a job is selected")
		}
		s.run(s.pane.Select("web-ggggg"))
		s.press("h", "l") // its row is selected
		s.sees("╭ shop: all output ─")
		s.sees("No output yet.")
		s.said(s.eng.said("web", 1, "ready"), s.eng.said("worker", 2, "job 1"))
		s.sees("web        ready")
		s.sees("worker     job 1")
		s.sees(" following ╮")
		s.sees(" 5 logs ╯")
		opened := s.group()
		s.press("j")
		s.seesNot("job 1")
		if !opened.isClosed() {
			t.Error("it is still open while another row is selected")
		}
		s.press("k")
		if s.group() == nil || s.group() == opened {
			t.Error("it is not opened again")
		}
		s.calledLast()
		if calls := strings.Join(s.eng.did(), "\n"); !strings.Contains(calls, "open-group shop /home/me/src/shop") {
			t.Errorf("calls:\n%s", calls)
		}
	})
	inBubble(t, "is shown and closed quickly", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		for range 20 {
			s.deliver(named("j"))
			s.deliver(named("k"))
		}
		s.pump()
		s.said(s.eng.said("web", 1, "ready"))
		s.sees("web        ready")
		for _, g := range s.eng.groups {
			if g != s.group() && !g.isClosed() {
				t.Error("what is no longer shown is still open")
			}
		}
	})
	inBubble(t, "has the keys of a log", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		s.said(s.eng.theLines()...)
		s.press("enter")
		s.sees("Esc list")
		s.press("/")
		s.write("mailer")
		s.press("enter")
		s.sees("1 of 3")
		s.press("&")
		s.press("enter")
		s.seesNot("GET /api")
		s.sees("mailer     ✗ exit 1 after 2s")
		s.press("y")
		if msg, ok := sentMsg[CopyMsg](s); !ok || msg.Text != "mailer     worker: connecting to redis://localhost:6379" {
			t.Errorf("copied %q", msg.Text)
		}
		s.press("esc", "f")
		s.sees("following")
		s.press("f")
		s.seesNot("following")
		s.press("T")
		s.seesNot("11:42:05 web")
		s.press("a")
		s.sees("This works on one job: select one of shop")
		s.press("x")
		s.sees("Stop all of shop?")
	})
	inBubble(t, "keeps its timestamps apart from those of jobs", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		s.press("j")
		if s.pane.output.log.Timestamps() {
			t.Error("the log of a job has timestamps")
		}
		s.press("3", "T", "1", "k")
		s.press("3", "T", "1", "j", "k")
		if s.pane.output.log.Timestamps() {
			t.Error("T is forgotten")
		}
	})
	inBubble(t, "says what is not there", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		behind, failed := s.eng.said("web", 3, "GET /"), s.eng.said("worker", 4, "")
		behind.Skipped = 960 << 10
		failed.Err = engine.ErrUnreachable
		s.said(behind, failed)
		s.sees("web        … 960 KiB more in its log")
		s.sees("worker     Can't read the log: ")
	})
	inBubble(t, "is opened again after an error", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		s.said()
		s.sees("Can't read the logs: the disk is gone")
		s.sees("not readable now")
		first := s.group()
		s.pass(retryAfter)
		if s.group() == nil || s.group() == first {
			t.Fatal("it is not opened again")
		}
		s.said(s.eng.said("web", 1, "ready"))
		s.sees("web        ready")
		s.seesNot("not readable now")
	})
	inBubble(t, "does not belong to a group of the same name", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		other := s.eng.said("web", 1, "of another project")
		other.Job.Labels = map[string]string{"group": "shop", "project": "/tmp/shop"}
		s.said(other, s.eng.said("web", 2, "ready"))
		s.sees("ready")
		s.seesNot("of another project")
	})
}

// However much the jobs print, the pane reads a few times a second, and nothing while the user reads what was
// printed before.
func TestFloodInAGroup(t *testing.T) {
	inBubble(t, "flood", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		flood := make([]grouplog.Entry, 256)
		line := 0
		floods := func(d time.Duration) (reads int) {
			before := s.group().reads.Load()
			for range d / (10 * time.Millisecond) {
				for len(s.group().entries) < 4 {
					for i := range flood {
						line++
						flood[i] = s.eng.said("web", 20*60, fmt.Sprint("line ", line))
					}
					s.group().entries <- append([]grouplog.Entry(nil), flood...)
				}
				s.pass(10 * time.Millisecond)
			}
			return int(s.group().reads.Load() - before)
		}
		if n := floods(time.Second); n < 20 || n > 31 {
			t.Errorf("%d reads in a second", n)
		}
		s.sees("following")
		s.press("3", "k")
		floods(3 * time.Second)
		s.sees("+ new lines · G")
		before := s.screen()
		if n := floods(time.Second); n != 0 {
			t.Errorf("%d reads while the user has scrolled up", n)
		}
		if after := s.screen(); after != before {
			t.Errorf("the lines have moved:\n%s", after)
		}
		s.press("f")
		if n := floods(time.Second); n < 20 {
			t.Errorf("%d reads after that", n)
		}
		s.sees("following")
		s.press("1", "j")
		if s.pane.output.group.lines != nil {
			t.Error("the lines are kept while another row is selected")
		}
	})
}

func TestProject(t *testing.T) {
	inBubble(t, "Esc shows all jobs", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		s.sees(" hob · shop   ● 4 running   ✗ 1 failed      ~/src/shop/Procfile ")
		s.sees(" Esc all 8 jobs")
		s.sees("q quit, 4 jobs keep running")
		s.seesNot("npm run dev")
		s.press("esc")
		s.sees(" hob   ✗ 2 new failures   ● 5 running")
		s.sees("╭ Jobs ─")
		s.sees("npm run dev")
		s.sees("q quit, 5 jobs keep running")
		s.sees("╭ shop: all output ─")
	})
	inBubble(t, "Esc first goes back in the project", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		s.press("/", "w", "enter")
		s.seesNot("Esc all")
		s.sees("2 of 5 jobs · /w · Esc clear")
		s.press("esc")
		s.sees("Esc all 8 jobs")
		s.press("enter")
		s.seesNot("Esc all")
		s.press("esc")
		s.sees("Esc all 8 jobs")
		s.seesNot("npm run dev")
	})
	inBubble(t, "a filter of a group names it, too", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop())
		s.press("/")
		s.write("group:shop")
		s.press("enter")
		s.sees(" hob · shop   ● 4 running   ✗ 1 failed ")
		s.sees("Esc all 8 jobs")
		s.sees("╭ shop ─")
		s.press("esc")
		s.seesNot("hob · shop")
	})
	inBubble(t, "a new job belongs to it", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		s.press("n")
		s.write("make all")
		s.press("enter")
		if s.eng.spec.Labels["group"] != "shop" {
			t.Errorf("labels %v", s.eng.spec.Labels)
		}
		s.press("esc", "n")
		s.write("make all")
		s.press("enter")
		if s.eng.spec.Labels["group"] != "" {
			t.Errorf("outside of the project: labels %v", s.eng.spec.Labels)
		}
	})
	inBubble(t, "a requested job that is not of it is shown", func(t *testing.T) {
		s := newHarness(t, 120, 30, shop(), withShop())
		s.run(s.pane.Select("dev-aaaaa"))
		s.facts(engine.Event{Kind: engine.EventTitle, Job: s.eng.job("dev-aaaaa")})
		if j, ok := s.pane.Selected(); !ok || j.ID != "dev-aaaaa" {
			t.Errorf("%q is selected", j.ID)
		}
	})
}
