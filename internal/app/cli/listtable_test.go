package cli

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
)

// listOf returns the table of the list with these rows.
func listOf(rows [][6]string) *table {
	t := newTable("STATUS", "NAME", "WHAT", ">TIME", ">ENDED", "ID")
	for _, r := range rows {
		t.add(
			cell{text: r[0]}, cell{text: r[1]}, cell{text: r[2], cutEnd: true},
			cell{text: r[3], right: true}, cell{text: r[4], right: true}, cell{text: r[5]},
		)
	}
	return t
}

func aDay() [][6]string {
	return [][6]string{
		{"◆ input", "terraform apply", "Enter a value:", "31m", "", "fwbqx"},
		{"● running", "htop", "", "7m34s", "", "5hr7q"},
		{"● running", "web", "port 5173", "31m", "", "5kn5d"},
		{"● running", "shop/web", "port 25198", "31m", "", "nmwbq"},
		{"○ stale", "rsync backup", "on web1, unreachable 28m", "22s", "", "z6i7a"},
		{"● running", "train.py", "on gpu2", "32m", "", "7nm7n"},
		{"↻ restart", "worker", "failed 36 of 50, next in 48s", "", "", "qsvvd"},
		{"◷ queued", "smoke test", "after deploy prod", "", "", "48bxt"},
		{"✗ exit 1", "go test ./...", "TestCheckoutTotal: got 1799, want 1619", "2s", "32m ago", "nauh9"},
		{"✗ exit 1", "api", "port 5173 is in use by web", "0s", "32m ago", "xpwat"},
		{"✓ exit 0", "npm ci", "", "31s", "32m ago", "sici7"},
	}
}

func TestListFitsTheTerminal(t *testing.T) {
	short := [][6]string{{"● running", "npm run dev 構築", "ready", "7m34s", "", "7k2qm"}}
	for name, c := range map[string]struct {
		rows [][6]string
		cols int
		want []string
	}{
		"120 columns": {aDay(), 120, []string{
			"STATUS      NAME                               WHAT                                         TIME    ENDED  ID",
			"◆ input     terraform apply                    Enter a value:                                31m           fwbqx",
			"● running   htop                                                                           7m34s           5hr7q",
			"● running   web                                port 5173                                     31m           5kn5d",
			"● running   shop/web                           port 25198                                    31m           nmwbq",
			"○ stale     rsync backup                       on web1, unreachable 28m                      22s           z6i7a",
			"● running   train.py                           on gpu2                                       32m           7nm7n",
			"↻ restart   worker                             failed 36 of 50, next in 48s                                qsvvd",
			"◷ queued    smoke test                         after deploy prod                                           48bxt",
			"✗ exit 1    go test ./...                      TestCheckoutTotal: got 1799, want 1619         2s  32m ago  nauh9",
			"✗ exit 1    api                                port 5173 is in use by web                     0s  32m ago  xpwat",
			"✓ exit 0    npm ci                                                                           31s  32m ago  sici7",
		}},
		"80 columns": {aDay(), 80, []string{
			"STATUS      NAME                 WHAT                       TIME    ENDED  ID",
			"◆ input     terraform apply      Enter a value:              31m           fwbqx",
			"● running   htop                                           7m34s           5hr7q",
			"● running   web                  port 5173                   31m           5kn5d",
			"● running   shop/web             port 25198                  31m           nmwbq",
			"○ stale     rsync backup         on web1, unreachable 28m    22s           z6i7a",
			"● running   train.py             on gpu2                     32m           7nm7n",
			"↻ restart   worker               failed 36 of 50, next i…                  qsvvd",
			"◷ queued    smoke test           after deploy prod                         48bxt",
			"✗ exit 1    go test ./...        TestCheckoutTotal: got …     2s  32m ago  nauh9",
			"✗ exit 1    api                  port 5173 is in use by …     0s  32m ago  xpwat",
			"✓ exit 0    npm ci                                           31s  32m ago  sici7",
		}},
		"nothing has ended": {short, 60, []string{
			"STATUS      NAME            WHAT                 TIME  ID",
			"● running   npm run…v 構築  ready               7m34s  7k2qm",
		}},
		"no time": {short, 40, []string{
			"STATUS      NAME              ID",
			"● running   npm run dev 構築  7k2qm",
		}},
		"status, name and letters": {short, 28, []string{
			"STATUS      NAME       ID",
			"● running   npm …構築  7k2qm",
		}},
		"status and name": {short, 20, []string{
			"STATUS      NAME",
			"● running   npm …築",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tab := listOf(c.rows)
			if diff := cmp.Diff(c.want, tab.render(listWidths(tab, c.cols), false)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// At any width no line is wider than the terminal, and the name is there.
func TestListKeepsTheName(t *testing.T) {
	long := append(aDay(), [6]string{"◷ queued", "restarting in 39s (38 of 50)", "failed 38×: connection refused · in 52s", "", "", "u2y78"})
	for cols := 16; cols <= 200; cols++ {
		tab := listOf(slices.Clone(long))
		lines := tab.render(listWidths(tab, cols), false)
		for _, line := range lines {
			if w := cells.Width(line); w > cols {
				t.Fatalf("%d columns: a line of %d: %q", cols, w, line)
			}
		}
		if tab.column("NAME") < 0 {
			t.Errorf("%d columns: no name: %q", cols, lines[0])
		}
	}
}

func TestListLeavesOutOldEnds(t *testing.T) {
	at := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	var jobs []engine.Job
	for i := range 30 {
		j := engine.Job{Request: engine.Request{ID: engine.ID(fmt.Sprintf("job-%05d", i)), CreatedAt: at}, State: engine.State{Status: engine.Exited}}
		j.Exit = engine.Exit{Status: engine.Exited, Code: new(int), At: at}
		jobs = append(jobs, j)
	}
	jobs[29].Status, jobs[29].Exit = engine.Running, engine.Exit{}
	jobs[0].RestartedFrom = jobs[1].ID
	for name, c := range map[string]struct {
		all         bool
		lines, want int
	}{
		"all":                {true, 24, 30},
		"a screen":           {false, 24, 21},
		"few lines":          {false, 6, 6},
		"no terminal":        {false, 0, 29},
		"more than there is": {false, 90, 29},
	} {
		got := listRows(jobs, c.all, c.lines)
		if len(got) != c.want || got[0].ID != jobs[29].ID {
			t.Errorf("%s: %d jobs, %s first; want %d", name, len(got), got[0].ID, c.want)
		}
	}
}

func TestTimeInListHasFiveColumns(t *testing.T) {
	for ran, want := range map[time.Duration]string{
		0: "0s", 7*time.Minute + 34*time.Second: "7m34s", 31 * time.Minute: "31m", 6*time.Hour + 2*time.Minute: "6h2m",
		23*time.Hour + 59*time.Minute: "23h", 123 * 24 * time.Hour: "123d",
	} {
		j := engine.Job{State: engine.State{Status: engine.Exited}}
		j.StartedAt = time.Unix(1, 0)
		j.Exit.At = j.StartedAt.Add(ran)
		if got := timeOf(j, j.Exit.At); got != want {
			t.Errorf("%s: %q, want %q", ran, got, want)
		}
	}
}

// A program that reads the list must not take a job for running because nothing else is known.
func TestPlainListNamesUnreachableJobs(t *testing.T) {
	for name, c := range map[string]struct {
		job  engine.Job
		want string
	}{
		"runs":               {engine.Job{State: engine.State{Status: engine.Running, Link: engine.LinkOK}}, "running"},
		"may run":            {engine.Job{State: engine.State{Status: engine.Running, Link: engine.LinkUnreachable}}, "unreachable"},
		"waits, perhaps":     {engine.Job{State: engine.State{Status: engine.Queued, Link: engine.LinkUnreachable}}, "unreachable"},
		"had ended, we know": {engine.Job{State: engine.State{Status: engine.Failed, Link: engine.LinkUnreachable}}, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plainStatus(c.job); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPortsAreNotCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		w    int
		want string
	}{
		"there is room":           {25, "GET /api/products · :5173"},
		"a narrow column":         {20, "GET /api/pr… · :5173"},
		"ports need half of it":   {16, "GET /ap… · :5173"},
		"only room for the ports": {12, "GET /api/pr…"},
	} {
		t.Run(name, func(t *testing.T) {
			what := cell{text: "GET /api/products · :5173", cutEnd: true, kept: " · :5173"}
			if got := what.shortened(c.w, "…"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
