package joblist_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/joblist"
)

func newFolding(w, h int, dark bool) *joblist.Model {
	glyphs := themes.Unicode()
	name := "light"
	if dark {
		name = "dark"
	}
	theme, err := themes.Named(name, dark)
	if err != nil {
		panic(err)
	}
	styles := theme.Styles(glyphs)
	list := joblist.New(keymap.Default().List, styles, joblist.Options{Fold: true})
	list.SetSize(w, h)
	list.SetNow(now)
	list.SetFocus(true)
	return list
}

// ranUntil is a job that ended so long ago.
func ranUntil(id string, ago time.Duration, code int) engine.Job {
	began := now.Add(-ago - time.Minute)
	return engine.Job{
		Request: engine.Request{ID: engine.ID(id), Name: id, CreatedAt: began},
		State: engine.State{Status: engine.Exited, StartedAt: began, Exit: engine.Exit{
			Status: engine.Exited, Code: &code, Reason: engine.ReasonExit, At: now.Add(-ago),
		}},
	}
}

func stillRuns(id, from string, began time.Duration) engine.Job {
	at := now.Add(-began)
	return engine.Job{
		Request: engine.Request{ID: engine.ID(id), Name: id, CreatedAt: at, RestartedFrom: engine.ID(from)},
		State:   engine.State{Status: engine.Running, StartedAt: at},
	}
}

// putEnded puts n jobs that succeeded, job 1 the newest.
func putEnded(list *joblist.Model, n int) {
	for i := 1; i <= n; i++ {
		list.Put(joblist.Row{Job: ranUntil(fmt.Sprintf("job %d", i), time.Duration(i)*time.Minute, 0)})
	}
}

// names are what the rows of the list begin with, without status and columns.
func names(list *joblist.Model) []string {
	var all []string
	for line := range strings.SplitSeq(ansi.Strip(list.View()), "\n") {
		line = strings.Trim(line, "▌▪ ")
		for _, badge := range []string{"● running", "◆ input", "✓ exit 0", "✗ exit 1"} {
			line = strings.TrimPrefix(line, badge)
		}
		name, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if name != "" && !strings.HasPrefix(name, "Status") {
			all = append(all, name)
		}
	}
	return all
}

func TestOldJobsAreFolded(t *testing.T) {
	list := newFolding(60, 40, true)
	waiting := stillRuns("asks", "", 3*time.Hour)
	waiting.Waiting = true
	list.Put(joblist.Row{Job: waiting})
	list.Put(joblist.Row{Job: stillRuns("runs", "", 2*time.Hour)})
	list.Put(joblist.Row{Job: ranUntil("failed", 48*time.Hour, 1)})
	seen := ranUntil("seen", 49*time.Hour, 1)
	seen.Seen = true
	list.Put(joblist.Row{Job: seen})
	putEnded(list, 30)

	recent := []string{"asks", "runs", "failed •", "job 1", "job 2", "job 3", "job 4", "job 5", "job 6", "job 7", "job 8", "job 9", "job 10"}
	folded := append(slices.Clone(recent), "▸ 21 older")
	if diff := cmp.Diff(folded, names(list)); diff != "" {
		t.Fatal(diff)
	}
	if all, shown := list.Len(); all != 34 || shown != 34 {
		t.Errorf("%d jobs, %d after the filter", all, shown)
	}

	list.Update(press("G"))
	if _, ok := list.Selected(); ok {
		t.Error("the row of the folded jobs is taken for a job")
	}
	if !list.ToggleFold() {
		t.Fatal("the last row does not unfold")
	}
	got := names(list)
	if len(got) != 35 || got[13] != "▾ 21 older" || got[34] != "seen" {
		t.Errorf("unfolded: %q", got)
	}
	list.Update(press("G"))
	list.Update(press("h"))
	if diff := cmp.Diff(folded, names(list)); diff != "" {
		t.Errorf("folded again: %s", diff)
	}
	if on, unfolded := list.OnFold(); !on || unfolded {
		t.Errorf("the selection is on the fold: %v, unfolded: %v", on, unfolded)
	}

	if list.Click(5, 1+13+3) { // below the header and four groups
		t.Error("a click on the fold selected a job")
	}
	if got := names(list); len(got) != 35 {
		t.Errorf("a click did not unfold: %q", got)
	}
}

func TestGroupsAreSeparatedWhereAllRowsFit(t *testing.T) {
	lines := func(h int) (got string) {
		list := newFolding(60, h, true)
		for _, r := range sample() {
			list.Put(r)
		}
		for line := range strings.SplitSeq(ansi.Strip(list.View()), "\n") {
			glyph, _, _ := strings.Cut(strings.Trim(line, "▌ "), " ")
			if glyph == "" {
				glyph = "_"
			}
			got += glyph
		}
		list.Select("db-aaaaa")
		if y := list.Cursor().Y; !list.Click(3, y) {
			t.Errorf("%d rows: the cursor is beside the selected row", h)
		}
		if j, _ := list.Selected(); j.ID != "db-aaaaa" {
			t.Errorf("%d rows: a click on the cursor selects %s", h, j.ID)
		}
		if list.Click(3, -1) || list.Click(3, h) {
			t.Errorf("%d rows: a click beside the list selects a job", h)
		}
		return got
	}
	if got, want := lines(16), "Status◆_●●●◐○_✗?_✓✓✓✗"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := lines(15), "◆●●●◐○✗?✓✓✓✗___"; got != want {
		t.Errorf("with a line less %q, want %q", got, want)
	}
	list := newFolding(60, 16, true)
	for _, r := range sample() {
		list.Put(r)
	}
	list.View()
	if list.Click(3, 2) {
		t.Error("a click between the groups selected a job")
	}
}

func TestFewOldJobsAreNotFolded(t *testing.T) {
	list := newFolding(60, 40, true)
	putEnded(list, 12)
	if got := names(list); len(got) != 12 {
		t.Errorf("%q", got)
	}
	putEnded(list, 13)
	if got := names(list); len(got) != 11 || got[10] != "▸ 3 older" {
		t.Errorf("%q", got)
	}
}

func TestFilterAndOtherOrdersShowAll(t *testing.T) {
	list := newFolding(60, 40, true)
	putEnded(list, 20)
	list.Put(joblist.Row{Job: stillRuns("web", "job 2", time.Second)})
	list.SetFilter("job")
	if got := names(list); len(got) != 20 {
		t.Errorf("filtered: %q", got)
	}
	list.SetFilter("")
	list.NextSort()
	if got := names(list); len(got) != 21 {
		t.Errorf("%s: %q", list.Order(), got)
	}
}

func TestSelectUnfolds(t *testing.T) {
	list := newFolding(60, 40, true)
	putEnded(list, 20)
	if !list.Select("job 15") {
		t.Fatal("a folded job cannot be selected")
	}
	if j, _ := list.Selected(); j.ID != "job 15" {
		t.Errorf("%s is selected", j.ID)
	}
	if got := names(list); len(got) != 12 || got[10] != "job 15" || got[11] != "▸ 9 older" {
		t.Errorf("%q", got)
	}
	if list.Select("none") {
		t.Error("a job that is not there was selected")
	}
}

func TestMarkedJobsAreNotFolded(t *testing.T) {
	list := newFolding(60, 40, true)
	putEnded(list, 20)
	list.Select("job 15")
	list.ToggleMark()
	list.Update(press("g"))
	list.Put(joblist.Row{Job: stillRuns("new", "", time.Second)})
	if marked := list.Marked(); len(marked) != 1 || marked[0].ID != "job 15" {
		t.Errorf("marked are %v", marked)
	}
	if got := names(list); !slices.Contains(got, "job 15") {
		t.Errorf("%q", got)
	}
}

func TestEarlierRunsAreFolded(t *testing.T) {
	list := newFolding(60, 20, true)
	again := func(id, from string, ago time.Duration, code int) engine.Job {
		j := ranUntil(id, ago, code)
		j.RestartedFrom = engine.ID(from)
		return j
	}
	first, failed := ranUntil("web", 3*time.Hour, 0), again("web3", "web2", time.Hour, 1)
	for _, j := range []engine.Job{first, again("web2", "web", 2*time.Hour, 0), failed, stillRuns("web4", "web3", time.Minute), stillRuns("db", "", time.Second)} {
		list.Put(joblist.Row{Job: j})
	}
	if diff := cmp.Diff([]string{"db", "web4 ▸2", "web3 •"}, names(list)); diff != "" {
		t.Fatalf("a failure that was not seen: %s", diff)
	}
	failed.Seen = true
	list.Put(joblist.Row{Job: failed})
	list.Put(joblist.Row{Job: stillRuns("db2", "", time.Second)}) // sorts
	if diff := cmp.Diff([]string{"db", "db2", "web4 ▸3"}, names(list)); diff != "" {
		t.Fatal(diff)
	}
	list.Select("web4")
	list.Update(press("l"))
	if diff := cmp.Diff([]string{"db", "db2", "web4 ▾3", "web3", "web2", "web"}, names(list)); diff != "" {
		t.Fatalf("unfolded: %s", diff)
	}
	list.Update(press("j"))
	if j, _ := list.Selected(); j.ID != "web3" {
		t.Errorf("below the newest run is %s", j.ID)
	}
	list.Update(press("h"))
	if j, _ := list.Selected(); j.ID != "web4" {
		t.Errorf("after folding %s is selected", j.ID)
	}
	if got := names(list); len(got) != 3 {
		t.Errorf("folded: %q", got)
	}
}

// Whether a restart or its selection comes first, the run before it ends up behind it.
func TestRunLeftBySelectionIsFolded(t *testing.T) {
	list := newFolding(60, 20, true)
	list.Put(joblist.Row{Job: stillRuns("web", "", time.Hour)})
	list.Select("web")
	list.Put(joblist.Row{Job: ranUntil("web", time.Second, 0)})
	list.Put(joblist.Row{Job: stillRuns("web2", "web", time.Second)})
	if diff := cmp.Diff([]string{"web2", "web"}, names(list)); diff != "" {
		t.Fatalf("the selected job: %s", diff)
	}
	list.Select("web2")
	if diff := cmp.Diff([]string{"web2 ▸1"}, names(list)); diff != "" {
		t.Error(diff)
	}
}

// Records that name each other as restarts hide no job.
func TestRestartsInACircleAreShown(t *testing.T) {
	list := newFolding(60, 20, true)
	a, b := ranUntil("a", time.Hour, 0), ranUntil("b", time.Minute, 0)
	a.RestartedFrom, b.RestartedFrom = "b", "a"
	list.Put(joblist.Row{Job: a})
	list.Put(joblist.Row{Job: b})
	if diff := cmp.Diff([]string{"b", "a"}, names(list)); diff != "" {
		t.Error(diff)
	}
}

func TestFoldedView(t *testing.T) {
	for name, dark := range map[string]bool{"dark": true, "light": false} {
		for _, size := range [][2]int{{96, 20}, {56, 20}, {38, 9}, {20, 5}} {
			t.Run(fmt.Sprintf("%s %dx%d", name, size[0], size[1]), func(t *testing.T) {
				list := newFolding(size[0], size[1], dark)
				for _, r := range sample() {
					list.Put(r)
				}
				putEnded(list, 60)
				list.Put(joblist.Row{Job: stillRuns("web", "job 2", time.Minute)})
				list.Update(press("G"))
				golden.RequireEqual(t, list.View())
			})
		}
	}
}
