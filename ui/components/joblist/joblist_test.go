package joblist_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/joblist"
)

var now = time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)

func newList(w, h int, glyphs themes.Glyphs) *joblist.Model {
	styles := themes.Default(true).Styles(glyphs)
	list := joblist.New(keymap.Default().List, styles, joblist.Options{})
	list.SetHints("n", "hob run npm run dev")
	list.SetSize(w, h)
	list.SetNow(now)
	list.SetFocus(true)
	return list
}

// sample is one row of each sort.
func sample() []joblist.Row {
	code := func(n int) *int { return &n }
	cpu := 12.4
	running := func(id, name string, up time.Duration) engine.Job {
		return engine.Job{
			Request: engine.Request{
				ID: engine.ID(id), Name: name, Command: strings.Fields(name),
				CreatedAt: now.Add(-up),
			},
			State: engine.State{
				Status:    engine.Running,
				StartedAt: now.Add(-up),
			},
		}
	}
	ended := func(id, name string, ran time.Duration, e engine.Exit) engine.Job {
		j := running(id, name, 2*time.Hour+ran)
		j.Status, j.Exit = e.Status, e
		j.Exit.At = j.StartedAt.Add(ran)
		return j
	}
	waiting := running("terraform-apply-aaaaa", "terraform apply", 2*time.Minute+4*time.Second)
	waiting.Waiting, waiting.Host, waiting.Line = true, "web1", "Enter a value:"
	dev := running("npm-run-dev-aaaaa", "npm run dev", 12*time.Minute+31*time.Second)
	dev.CPU, dev.RSS = &cpu, 212<<20
	dev.Ports, dev.CreatedBy, dev.Line = []int{5173, 9229}, "claude-code", "[vite] hmr update /src/main.tsx"
	build := running("docker-build-aaaaa", "docker build .", 58*time.Second)
	build.Progress, build.Line = &engine.Progress{State: "normal", Percent: 74}, "layer 9/12"
	train := running("train-aaaaa", "train.py --epochs 200 --lr 0.001 --resume", 6*time.Hour+2*time.Minute)
	train.Host, train.Link, train.StaleSince = "gpu2", engine.LinkUnreachable, now.Add(-18*time.Minute)
	stopping := running("db-aaaaa", "postgres", time.Hour)
	stopping.Status, stopping.Stopping = engine.Stopping, &engine.StopRequest{Deadline: now.Add(3500 * time.Millisecond)}
	lost := running("rsync-aaaaa", "rsync backup", 49*time.Hour)
	lost.Status = engine.Lost
	leaky := ended("leaky-aaaaa", "./leaky", 181*time.Second, engine.Exit{Status: engine.Killed, Signal: "SIGKILL", Reason: engine.ReasonSignal})
	leaky.Seen = true
	survivors := ended("sh-aaaaa", "sh start.sh", time.Second, engine.Exit{
		Status: engine.Exited, Code: code(0), Survivors: []engine.Process{{PID: 7, Command: "d"}},
	})
	return []joblist.Row{
		{Job: waiting, Unread: 1},
		{Job: dev},
		{Job: running("pytest-aaaaa", "pytest -x", 72*time.Second)},
		{Job: build},
		{Job: train},
		{Job: stopping},
		{Job: ended("make-test-aaaaa", "make test", 44*time.Second, engine.Exit{
			Status: engine.Exited, Reason: engine.ReasonExit, Code: code(2), Summary: "TestTotal: got 1799, want 1619",
		}), Unread: 3},
		{Job: leaky},
		{Job: ended("go-build-aaaaa", "go build ./...", 9*time.Second, engine.Exit{Status: engine.Exited, Code: code(0)})},
		{Job: survivors},
		{Job: ended("wide-aaaaa", "echo 日本語日本語日本語日本語日本語日本語", 31*time.Second, engine.Exit{Status: engine.Exited, Code: code(0)})},
		{Job: lost},
	}
}

func TestView(t *testing.T) {
	tests := map[string]struct {
		w, h   int
		glyphs themes.Glyphs
		setup  func(*joblist.Model)
		styled bool
	}{
		"wide":    {w: 90, h: 20, glyphs: themes.Unicode()},
		"mock-up": {w: 72, h: 20, glyphs: themes.Unicode()},
		"by CPU": {w: 72, h: 20, glyphs: themes.Unicode(), setup: func(l *joblist.Model) {
			for l.Order() != "by CPU" {
				l.NextSort()
			}
		}},
		"found in commands": {w: 72, h: 4, glyphs: themes.Unicode(), setup: func(l *joblist.Model) { l.SetFilter("resu") }},
		"half":              {w: 46, h: 14, glyphs: themes.Unicode()},
		"phone":             {w: 38, h: 14, glyphs: themes.Unicode()},
		"narrow":            {w: 30, h: 14, glyphs: themes.Unicode()},
		"tiny":              {w: 14, h: 6, glyphs: themes.Unicode()},
		"ascii":             {w: 72, h: 20, glyphs: themes.ASCII()},
		"styled":            {w: 72, h: 5, glyphs: themes.Unicode(), styled: true},
		"filtered":          {w: 72, h: 5, glyphs: themes.Unicode(), setup: func(l *joblist.Model) { l.SetFilter("test status:failed") }},
		"none left":         {w: 60, h: 5, glyphs: themes.Unicode(), setup: func(l *joblist.Model) { l.SetFilter("zzz") }},
		"marked": {w: 46, h: 6, glyphs: themes.Unicode(), setup: func(l *joblist.Model) {
			l.ToggleMark()
			l.ToggleMark()
		}},
		"scrolled": {w: 46, h: 4, glyphs: themes.Unicode(), setup: func(l *joblist.Model) { l.Select("leaky-aaaaa") }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			list := newList(tt.w, tt.h, tt.glyphs)
			for _, r := range sample() {
				list.Put(r)
			}
			if tt.setup != nil {
				tt.setup(list)
			}
			view := list.View()
			if !tt.styled {
				view = framed(view)
			}
			golden.RequireEqual(t, view)
		})
	}
}

// The host is still shown after the job has ended.
func TestHostIsShownOfAJobThatHasEnded(t *testing.T) {
	for _, w := range []int{36, 46, 70} {
		code := 2
		list := newList(w, 1, themes.Unicode())
		list.Put(joblist.Row{Job: engine.Job{
			Request: engine.Request{ID: "make-aaaaa", Name: "make", Command: []string{"make"}, Host: "web1", CreatedAt: now},
			State: engine.State{
				Status: engine.Exited, StartedAt: now,
				Exit: engine.Exit{Status: engine.Exited, Code: &code, At: now},
			},
		}})
		if view := ansi.Strip(list.View()); !strings.Contains(view, "web1") {
			t.Errorf("%d columns: %q does not say where the job ran", w, view)
		}
	}
}

// A job that was cancelled before it started has no run time, and its end is shown once.
func TestEndOfAJobThatDidNotStartIsShownOnce(t *testing.T) {
	for _, host := range []string{"", "web1"} {
		list := newList(58, 1, themes.Unicode())
		list.Put(joblist.Row{Job: engine.Job{
			Request: engine.Request{ID: "make-aaaaa", Name: "make", Command: []string{"make"}, Host: host, CreatedAt: now.Add(-time.Minute)},
			State:   engine.State{Status: engine.Killed, Exit: engine.Exit{Status: engine.Killed, Reason: engine.ReasonKill, At: now.Add(-7 * time.Second)}},
		}})
		if view := ansi.Strip(list.View()); strings.Count(view, "7s") != 1 {
			t.Errorf("on host %q: %q", host, view)
		}
	}
}

// Where a job runs is more than the end of its name.
func TestHostIsShownBesideALongName(t *testing.T) {
	for _, w := range []int{36, 46, 72} {
		for _, r := range sample() {
			if r.Job.Host != "gpu2" {
				continue
			}
			list := newList(w, 1, themes.Unicode())
			list.Put(r)
			if view := ansi.Strip(list.View()); !strings.Contains(view, "… · gpu2") || !strings.Contains(view, "stale") {
				t.Errorf("%d columns: %q does not say where the job runs", w, view)
			}
		}
	}
}

func TestEmptyView(t *testing.T) {
	golden.RequireEqual(t, framed(newList(60, 4, themes.Unicode()).View()))
}

// framed shows where each line ends and drops the styles.
func framed(view string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(ansi.Strip(view), "\n") {
		b.WriteString(line + "|\n")
	}
	return b.String()
}

func TestViewFillsItsSize(t *testing.T) {
	for _, w := range []int{0, 1, 2, 5, 11, 12, 13, 25, 26, 35, 36, 41, 42, 46, 55, 56, 76, 200} {
		for _, h := range []int{0, 1, 3, 40} {
			list := newList(w, h, themes.Unicode())
			for _, r := range sample() {
				list.Put(r)
			}
			view := list.View()
			lines := strings.Split(view, "\n")
			if h == 0 {
				if view != "" {
					t.Errorf("%dx%d: %q", w, h, view)
				}
				continue
			}
			if len(lines) != h {
				t.Errorf("%dx%d has %d lines", w, h, len(lines))
			}
			for i, line := range lines {
				if got := cells.Width(line); got != w {
					t.Errorf("%dx%d: line %d is %d wide: %q", w, h, i, got, ansi.Strip(line))
				}
			}
		}
	}
}

func TestSelectionStaysOnItsJob(t *testing.T) {
	list := newList(46, 5, themes.Unicode())
	rows := sample()
	for _, r := range rows {
		list.Put(r)
	}
	if !list.Select("pytest-aaaaa") {
		t.Fatal("no such row")
	}

	code := 1
	ended := rows[2]
	ended.Job.Status, ended.Job.Exit = engine.Exited, engine.Exit{Status: engine.Exited, Code: &code}
	list.Put(ended)
	if j, _ := list.Selected(); j.ID != "pytest-aaaaa" {
		t.Errorf("after its job failed the selection is on %s", j.ID)
	}

	list.Drop("npm-run-dev-aaaaa")
	if j, _ := list.Selected(); j.ID != "pytest-aaaaa" {
		t.Errorf("after another row went the selection is on %s", j.ID)
	}

	before := shownIDs(list)
	place := 0
	for i, id := range before {
		if id == "pytest-aaaaa" {
			place = i
		}
	}
	list.Drop("pytest-aaaaa")
	want := before[place+1]
	if j, _ := list.Selected(); string(j.ID) != want {
		t.Errorf("after its own row went the selection is on %s, want the next one, %s", j.ID, want)
	}
}

// shownIDs walks the list with the keys.
func shownIDs(list *joblist.Model) []string {
	var ids []string
	keep, _ := list.Selected()
	list.Update(press("g"))
	_, n := list.Len()
	for range n {
		j, _ := list.Selected()
		ids = append(ids, string(j.ID))
		list.Update(press("j"))
	}
	list.Select(keep.ID)
	return ids
}

func press(s string) tea.KeyPressMsg {
	r := []rune(s)[0]
	return tea.KeyPressMsg{Code: r, Text: s}
}

func TestFilter(t *testing.T) {
	tests := map[string][]string{
		"":                     {"terraform", "docker", "pytest", "npm", "db", "train", "leaky", "make", "rsync", "sh", "go", "wide"},
		"npm":                  {"npm"},
		"pyt":                  {"pytest"},
		"status:failed":        {"leaky", "make", "rsync"},
		"status:lost":          {"rsync"},
		"status:waiting":       {"terraform"},
		"host:web1":            {"terraform"},
		"web1":                 {"terraform"},
		"host:gpu status:done": {},
		"make status:failed":   {"make"},
		"epochs":               {"train"},
		"status:unreachable":   {"train"},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			list := newList(46, 20, themes.Unicode())
			for _, r := range sample() {
				list.Put(r)
			}
			list.SetFilter(text)
			got := []string{}
			for _, id := range shownIDs(list) {
				name, _, _ := strings.Cut(id, "-")
				got = append(got, name)
			}
			less := func(a, b string) bool { return a < b }
			if diff := cmp.Diff(want, got, cmpSorted(less)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func cmpSorted(less func(a, b string) bool) cmp.Option {
	return cmp.Transformer("sorted", func(in []string) []string {
		out := append([]string{}, in...)
		for i := range out {
			for j := i; j > 0 && less(out[j], out[j-1]); j-- {
				out[j], out[j-1] = out[j-1], out[j]
			}
		}
		return out
	})
}

func BenchmarkFrameOf1000(b *testing.B) {
	list := newList(46, 40, themes.Unicode())
	for i := range 1000 {
		list.Put(joblist.Row{Job: engine.Job{Request: engine.Request{ID: engine.ID(fmt.Sprint("job-", i)), Name: "sleep 100", CreatedAt: now}, State: engine.State{Status: engine.Running, StartedAt: now}}})
	}
	at := now
	for b.Loop() {
		at = at.Add(time.Second)
		list.SetNow(at)
		list.View()
	}
}

func TestSortByUse(t *testing.T) {
	list := newList(60, 6, themes.Unicode())
	put := func(name string, cpu float64, rss int64) {
		list.Put(joblist.Row{Job: engine.Job{Request: engine.Request{ID: engine.ID(name), Name: name}, State: engine.State{Status: engine.Running}, CPU: &cpu, RSS: rss}})
	}
	put("small", 3, 1<<20)
	put("busy", 90, 2<<20)
	put("large", 1, 900<<20)
	list.Put(joblist.Row{Job: engine.Job{Request: engine.Request{ID: "over", Name: "over"}, State: engine.State{Status: engine.Exited}}})
	order := func(by string) string {
		for list.Order() != by {
			list.NextSort()
		}
		var names []string
		for line := range strings.SplitSeq(ansi.Strip(list.View()), "\n") {
			for _, name := range []string{"small", "busy", "large", "over"} {
				if strings.Contains(line, name) {
					names = append(names, name)
				}
			}
		}
		return strings.Join(names, " ")
	}
	if got := order("by CPU"); got != "busy small large over" {
		t.Errorf("by cpu: %s", got)
	}
	put("small", 99, 1<<20)
	if got := order("by CPU"); got != "small busy large over" {
		t.Errorf("by cpu, after a change: %s", got)
	}
	if got := order("by memory"); got != "large busy small over" {
		t.Errorf("by memory: %s", got)
	}
}

// The time of the list is up to a tick old, so more than the grace time can seem to be left.
func TestCountdownStaysWithinTheGraceTime(t *testing.T) {
	list := newList(80, 3, themes.Unicode())
	var job engine.Job
	for _, r := range sample() {
		if r.Job.Status == engine.Stopping {
			job = r.Job
		}
	}
	const grace = 5 * time.Second
	for name, tt := range map[string]struct {
		late time.Duration
		want string
	}{
		"at the request":  {0, "kill 5s"},
		"the clock lags":  {900 * time.Millisecond, "kill 5s"},
		"after a moment":  {-200 * time.Millisecond, "kill 4s"},
		"after the grace": {-6 * time.Second, "kill 0s"},
	} {
		t.Run(name, func(t *testing.T) {
			job.Stopping = &engine.StopRequest{Deadline: now.Add(tt.late + grace)}
			list.Put(joblist.Row{Job: job})
			if view := ansi.Strip(list.View()); !strings.Contains(view, tt.want) {
				t.Errorf("%q is not in the row:\n%s", tt.want, view)
			}
		})
	}
}
