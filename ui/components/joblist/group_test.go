package joblist_test

import (
	"fmt"
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

func newGrouping(w, h int, dark bool) *joblist.Model {
	name := "light"
	if dark {
		name = "dark"
	}
	theme, err := themes.Named(name, dark)
	if err != nil {
		panic(err)
	}
	list := joblist.New(keymap.Default().List, theme.Styles(themes.Unicode()), joblist.Options{Fold: true, Groups: true})
	list.SetSize(w, h)
	list.SetNow(now)
	list.SetFocus(true)
	return list
}

// of makes a job one of a group.
func of(group string, j engine.Job) joblist.Row {
	j.Labels = map[string]string{"group": group, "project": "/src/" + group, "process": j.Name}
	return joblist.Row{Job: j}
}

func putProjects(list *joblist.Model) {
	list.Put(of("shop", stillRuns("web", "", 2*time.Hour)))
	list.Put(joblist.Row{Job: stillRuns("tunnel", "", 3*time.Hour)})
	list.Put(of("shop", ranUntil("migrate", time.Hour, 0)))
	list.Put(of("shop", ranUntil("worker", time.Minute, 1)))
	list.Put(of("shop", stillRuns("api", "old api", time.Hour)))
	list.Put(of("shop", ranUntil("old api", 2*time.Hour, 0)))
	list.Put(joblist.Row{Job: ranUntil("lint", time.Minute, 0)})
	list.Put(of("blog", ranUntil("site", 3*time.Minute, 0)))
	list.Put(of("blog", ranUntil("css", 2*time.Minute, 0)))
	list.Put(of("alone", stillRuns("single", "", 4*time.Hour)))
}

func TestJobsOfAGroupStandTogether(t *testing.T) {
	list := newGrouping(70, 20, true)
	putProjects(list)
	unfolded := []string{"▾ shop", "api ▸1", "web", "worker •", "migrate", "tunnel", "single", "lint", "▸ blog"}
	if diff := cmp.Diff(unfolded, names(list)); diff != "" {
		t.Fatal(diff)
	}
	if j, ok := list.Selected(); !ok || j.ID != "api" {
		t.Errorf("a new list selects %q, not the first job", j.ID)
	}

	// The usual keys fold it, from any of its rows, and its row stands for all of its jobs.
	list.Select("worker")
	list.Update(press("h"))
	folded := []string{"▸ shop", "tunnel", "single", "lint", "▸ blog"}
	if diff := cmp.Diff(folded, names(list)); diff != "" {
		t.Fatal(diff)
	}
	if on, open := list.OnFold(); !on || open {
		t.Errorf("the selection is on the group: %v, unfolded: %v", on, open)
	}
	if group, jobs := list.Folded(); group != "shop" || len(jobs) != 4 { // without the earlier run of api
		t.Errorf("%q stands for %d jobs", group, len(jobs))
	}
	if _, ok := list.Selected(); ok {
		t.Error("the row of a group is taken for a job")
	}

	// It stays folded whatever happens in it, unless one of its jobs is selected.
	list.Put(of("shop", ranUntil("web", time.Second, 1)))
	if diff := cmp.Diff(folded, names(list)); diff != "" {
		t.Error(diff)
	}
	if !list.Select("migrate") {
		t.Error("a job of a folded group cannot be selected")
	}
	if j, ok := list.Selected(); !ok || j.ID != "migrate" {
		t.Errorf("%q is selected", j.ID)
	}

	// A group whose jobs have all ended is folded, and unfolds.
	list.Update(press("G"))
	list.Update(press("l"))
	if got := names(list); got[len(got)-3] != "▾ blog" || got[len(got)-1] != "site" {
		t.Errorf("%q", got)
	}
}

// hob up starts the processes of a file from its top.
func TestRunningJobsOfAGroupAreInTheOrderOfTheirStart(t *testing.T) {
	list := newGrouping(70, 20, true)
	for i, name := range []string{"db", "api", "web"} {
		list.Put(of("shop", stillRuns(name, "", time.Hour-time.Duration(i)*time.Millisecond)))
	}
	list.Put(of("shop", ranUntil("css", time.Hour, 0)))
	list.Put(of("shop", ranUntil("migrate", time.Minute, 0)))
	if diff := cmp.Diff([]string{"▾ shop", "db", "api", "web", "migrate", "css"}, names(list)); diff != "" {
		t.Error(diff)
	}
}

func TestGroupShowsTheMarkOfStoppedJobs(t *testing.T) {
	list := newGrouping(24, 10, true)
	stopped := ranUntil("db", time.Minute, 0)
	stopped.Status, stopped.Exit.Status, stopped.Exit.EndedBy, stopped.Exit.Signal = engine.Killed, engine.Killed, "cli", "SIGTERM"
	stopped.Exit.Reason = engine.ReasonSignal
	list.Put(of("shop", stopped))
	list.Put(of("shop", ranUntil("api", time.Minute, 0)))
	if head := strings.Split(ansi.Strip(list.View()), "\n")[0]; !strings.Contains(head, "✓1 ■1") {
		t.Errorf("%q", head)
	}
}

// The rows of a group do not disappear under the cursor when it leaves the group.
func TestMarkOfAGroupShowsWhetherItsRowsAreVisible(t *testing.T) {
	list := newGrouping(70, 20, true)
	putProjects(list)
	list.Select("css")
	unfolded := []string{"lint", "▾ blog", "css", "site"}
	tail := func() []string { all := names(list); return all[len(all)-len(unfolded):] }
	if diff := cmp.Diff(unfolded, tail()); diff != "" {
		t.Fatal(diff)
	}
	list.Select("lint")
	if diff := cmp.Diff(unfolded, tail()); diff != "" {
		t.Error(diff)
	}
	list.Update(press("j"))
	list.Update(press("h"))
	if got := names(list); got[len(got)-1] != "▸ blog" {
		t.Errorf("folded: %q", got)
	}
}

func TestGroupsAreNotShownInOtherOrders(t *testing.T) {
	list := newGrouping(70, 20, true)
	putProjects(list)
	list.SetFilter("group:shop")
	if diff := cmp.Diff([]string{"web", "api", "worker •", "migrate", "old api"}, names(list)); diff != "" {
		t.Errorf("filtered by the group: %s", diff)
	}
	list.SetFilter("blog")
	if diff := cmp.Diff([]string{"css", "site"}, names(list)); diff != "" {
		t.Errorf("filtered by the name of the group: %s", diff)
	}
	list.SetFilter("")
	list.NextSort()
	for _, name := range names(list) {
		if name == "▾ shop" || name == "▸ shop" {
			t.Error("a group is shown in the order of starts")
		}
	}
}

func TestOldGroupsAreFoldedWithOldJobs(t *testing.T) {
	list := newGrouping(70, 40, true)
	putEnded(list, 12)
	for i := range 3 {
		list.Put(of("blog", ranUntil(fmt.Sprint("page ", i), time.Hour, 0)))
	}
	got := names(list)
	if got[len(got)-1] != "▸ 5 older" {
		t.Fatalf("%q", got)
	}
	list.Update(press("G"))
	list.Update(press("l"))
	if got := names(list); got[len(got)-1] != "▸ blog" {
		t.Errorf("unfolded: %q", got)
	}
}

func TestGroupView(t *testing.T) {
	for _, tt := range []struct {
		name   string
		w, h   int
		dark   bool
		folded bool
	}{
		{"wide_dark", 80, 14, true, false},
		{"wide_light", 80, 14, false, false},
		{"folded_dark", 60, 8, true, true},
		{"narrow_dark", 24, 10, true, false},
		{"tiny_dark", 11, 6, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := newGrouping(tt.w, tt.h, tt.dark)
			putProjects(list)
			if tt.folded {
				list.View()
				list.Update(press("h"))
				list.Update(press("G"))
			}
			golden.RequireEqual(t, list.View())
		})
	}
}
