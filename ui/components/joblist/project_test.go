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
	"github.com/hobjobs/hob/ui/components/joblist"
)

var shopProject = joblist.Project{
	Name:   "shop",
	Labels: map[string]string{"group": "shop", "project": "/src/shop"},
	Order:  []string{"web", "worker", "scheduler", "css", "mailer"},
}

// newShop is a list of other jobs and of a project whose processes were started in another order than that
// of its file.
func newShop(w, h int) *joblist.Model {
	list := newGrouping(w, h, true)
	list.SetProject(&shopProject)
	putProjects(list)
	for _, id := range []engine.ID{"migrate", "worker", "api", "old api", "web"} {
		list.Drop(id)
	}
	mailer := ranUntil("mailer", 19*time.Minute, 1)
	mailer.StartedAt = mailer.Exit.At.Add(-2 * time.Second)
	mailer.Exit.Summary = "dial tcp 127.0.0.1:6379: refused"
	list.Put(of("shop", mailer))
	for _, name := range []string{"css", "scheduler", "worker", "old web"} {
		list.Put(of("shop", stillRuns(name, "", 19*time.Minute)))
	}
	old := of("shop", ranUntil("old web", 20*time.Minute, 1))
	old.Job.Labels["process"], old.Job.Seen = "web", true
	list.Put(old)
	web := of("shop", stillRuns("web", "old web", 19*time.Minute))
	web.Job.Ports, web.Job.Line = []int{25198}, "GET / 200"
	list.Put(web)
	return list
}

func TestListOfAProject(t *testing.T) {
	var b strings.Builder
	for _, size := range [][2]int{{44, 9}, {78, 7}, {120, 20}, {28, 7}, {16, 7}, {5, 3}, {1, 1}} {
		list := newShop(size[0], size[1])
		fmt.Fprintf(&b, "%dx%d\n", size[0], size[1])
		for line := range strings.SplitSeq(list.View(), "\n") {
			if got := ansi.StringWidth(line); got != size[0] {
				t.Errorf("%dx%d: a row of %d columns", size[0], size[1], got)
			}
			b.WriteString(ansi.Strip(line) + "|\n")
		}
	}
	golden.RequireEqual(t, b.String())
}

func TestProjectIsInTheOrderOfItsFile(t *testing.T) {
	list := newShop(60, 20)
	if on, open := list.OnFold(); !on || !open {
		t.Errorf("a new list selects the row of the project: %v, unfolded: %v", on, open)
	}
	order := func() []string {
		var all []string
		for _, name := range names(list) {
			all = append(all, strings.Fields(strings.Trim(name, "▾ "))[0])
		}
		return all
	}
	inFile := []string{"shop", "web", "worker", "scheduler", "css", "mailer"}
	if diff := cmp.Diff(inFile, order()); diff != "" {
		t.Error(diff)
	}
	// A failure moves no row, and a job that is not in the file comes last.
	list.Put(of("shop", ranUntil("worker", time.Second, 1)))
	list.Put(of("shop", stillRuns("console", "", time.Hour)))
	if diff := cmp.Diff(append(inFile, "console"), order()); diff != "" {
		t.Error(diff)
	}
	if all, shown := list.Len(); all != 7 || shown != 7 || list.Total() != 11 { // with the earlier run of web
		t.Errorf("%d jobs, %d shown, %d in all", all, shown, list.Total())
	}
	group, n, counts := list.Narrowed()
	if group != "shop" || n != 6 || counts.Running != 4 || counts.Failed != 2 {
		t.Errorf("%q with %d processes: %+v", group, n, counts)
	}

	list.SetProject(nil)
	if group, _, _ := list.Narrowed(); group != "" || len(order()) < 10 {
		t.Errorf("without the project: %q, %q", group, order())
	}
	list.SetFilter("group:shop")
	if group, n, _ := list.Narrowed(); group != "shop" || n != 7 {
		t.Errorf("with a filter: %q with %d jobs", group, n)
	}
	list.SetFilter("group:o")
	if group, n, _ := list.Narrowed(); group != "" {
		t.Errorf("a filter that finds several groups: %q with %d jobs", group, n)
	}
}

// A project with one process has a row of its own, too, and stays unfolded when all have ended.
func TestProjectWithOneProcess(t *testing.T) {
	list := newGrouping(60, 10, true)
	list.SetProject(&joblist.Project{Name: "alone", Labels: map[string]string{"group": "alone"}})
	putProjects(list)
	list.Put(of("alone", ranUntil("single", time.Hour, 0)))
	if diff := cmp.Diff([]string{"▾ alone", "single"}, names(list)); diff != "" {
		t.Error(diff)
	}
	list.SetProject(&joblist.Project{Name: "none", Labels: map[string]string{"group": "none"}})
	if got := ansi.Strip(list.View()); !strings.Contains(got, "No jobs yet.") {
		t.Errorf("a project without jobs:\n%s", got)
	}
}

func TestClickOnAGroupFoldsItAtItsMark(t *testing.T) {
	list := newShop(60, 20)
	list.View()
	for _, c := range []struct {
		x    int
		open bool
	}{{8, true}, {1, false}, {8, false}, {1, true}} {
		if list.Click(c.x, 0) {
			t.Error("the row of a group is taken for a job")
		}
		if on, open := list.OnFold(); !on || open != c.open {
			t.Errorf("after a click at %d: on the row %v, unfolded %v", c.x, on, open)
		}
	}
}
