package joblist_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/joblist"
)

// rowsOf returns what a list shows, without styles, headings and blanks at the end of lines.
func rowsOf(list *joblist.Model) []string {
	var rows []string
	for line := range strings.SplitSeq(ansi.Strip(list.View()), "\n") {
		if line = strings.TrimRight(line, " "); line != "" && !strings.HasPrefix(line, " Status") {
			rows = append(rows, line)
		}
	}
	return rows
}

func newWith(o joblist.Options, w, h int) *joblist.Model {
	list := joblist.New(keymap.Default().List, themes.Default(true).Styles(themes.Unicode()), o)
	list.SetSize(w, h)
	list.SetNow(now)
	return list
}

// failed returns a job that failed some minutes ago for the given reason.
func failed(id, name, reason string, minutes int) engine.Job {
	at := now.Add(-time.Duration(minutes) * time.Minute)
	code := 1
	return engine.Job{
		Request: engine.Request{ID: engine.ID(id), Name: name, CreatedAt: at.Add(-time.Second)},
		State: engine.State{
			Status: engine.Exited, StartedAt: at.Add(-time.Second),
			Exit: engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: &code, Summary: reason, At: at},
		},
	}
}

func TestWhat(t *testing.T) {
	job := func(s engine.State) engine.Job {
		return engine.Job{Request: engine.Request{ID: "x-aaaaa", Name: "x", CreatedAt: now.Add(-time.Minute)}, State: s}
	}
	for name, tt := range map[string]struct {
		job  engine.Job
		want string
	}{
		"needs input": {job(engine.State{Status: engine.Running, StartedAt: now, Waiting: true, Line: "Password:"}), "▌◆ input     x            Password:                               0s"},
		"a program that says how far it is": {
			job(engine.State{
				Status:    engine.Running,
				StartedAt: now,
				Line:      "drawn on its screen",
				Progress:  &engine.Progress{State: "normal", Percent: 70},
				Program:   &engine.Program{ProgramReport: engine.ProgramReport{State: engine.ProgramWorking, Message: "tests"}},
			}),
			"▌● running   x            ██████░░  70%  tests                    0s",
		},
		"a program that is blocked": {
			job(engine.State{
				Status:    engine.Running,
				StartedAt: now,
				Program:   &engine.Program{ProgramReport: engine.ProgramReport{State: engine.ProgramBlocked, Kind: engine.NeedsPermission}},
			}),
			"▌◆ input     x            blocked: needs a permission             0s",
		},
		"a loop": {
			job(engine.State{Status: engine.Queued, Runs: &engine.Runs{Failures: 3, NextAt: now.Add(52 * time.Second)}}),
			"▌↻ restart   x            restarts · in 52s                       1m",
		},
		"a loop in a run": {
			job(engine.State{Status: engine.Running, StartedAt: now, Runs: &engine.Runs{Count: 4, Failures: 3}}),
			"▌↻ restart   x            restarts                                1m",
		},
		"of the output": {job(engine.State{Status: engine.Running, StartedAt: now, Line: "\x1b[31mtick\x1b[m\u202e"}), "▌● running   x            tick                                    0s"},
		"a failed health check": {
			job(engine.State{Status: engine.Running, StartedAt: now, Health: &engine.Health{State: engine.Unhealthy, Failures: 3, Output: "exit status 1"}}),
			"▌● unhealthy x            check fails: exit status 1              0s",
		},
		"nothing": {job(engine.State{Status: engine.Running, StartedAt: now}), "▌● running   x                                                    0s"},
		"queued":  {job(engine.State{Status: engine.Queued, Pending: &engine.Pending{Name: "default", Position: 1}}), "▌◷ queued    x            next in default                         1m"},
	} {
		t.Run(name, func(t *testing.T) {
			list := newList(69, 3, themes.Unicode())
			list.Put(joblist.Row{Job: tt.job})
			if diff := cmp.Diff([]string{tt.want}, rowsOf(list)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A screen that avoids motion shows no lines that change all the time.
func TestLastLineIsLeftOutWhereMotionIsReduced(t *testing.T) {
	list := newWith(joblist.Options{Minutes: true}, 68, 3)
	for _, j := range []engine.Job{
		{Request: engine.Request{ID: "a-aaaaa", Name: "a"}, State: engine.State{Status: engine.Running, Waiting: true, Line: "Password:"}},
		{Request: engine.Request{ID: "b-aaaaa", Name: "b"}, State: engine.State{Status: engine.Running, Line: "tick"}, Ports: []int{80}},
	} {
		list.Put(joblist.Row{Job: j})
	}
	view := strings.Join(rowsOf(list), "\n")
	if !strings.Contains(view, "Password:") || strings.Contains(view, "tick") || !strings.Contains(view, "port 80") {
		t.Errorf("the list is\n%s", view)
	}
}

// There is no column that would be empty in all visible rows.
func TestEmptyColumnIsNotDrawn(t *testing.T) {
	list := newList(69, 3, themes.Unicode())
	j := engine.Job{Request: engine.Request{ID: "x-aaaaa", Name: "a name that is far too long for a column of a row"}, State: engine.State{Status: engine.Running, StartedAt: now}}
	list.Put(joblist.Row{Job: j})
	if rows := rowsOf(list); !strings.Contains(rows[0], "for a column of") {
		t.Errorf("the row is %q", rows)
	}
	j.Line = "tick"
	list.Put(joblist.Row{Job: j})
	if rows := rowsOf(list); !strings.Contains(rows[0], "a name that is far to… tick") {
		t.Errorf("the row is %q", rows)
	}
}

func TestAlikeJobsAreJoined(t *testing.T) {
	list := newWith(joblist.Options{Fold: true}, 73, 12)
	for _, j := range []engine.Job{
		failed("lint-1", "lint", "3 problems", 1),
		failed("lint-2", "lint", "3 problems", 2),
		failed("lint-3", "lint", "3 problems", 3),
		failed("lint-4", "lint", "4 problems", 4),
		failed("api-1", "api", "3 problems", 5),
		failed("lint-5", "lint", "4 problems", 6),
	} {
		list.Put(joblist.Row{Job: j})
	}
	want := []string{
		"▌✗ exit 1    lint •  ×3   3 problems                              1m ago",
		" ✗ exit 1    lint •       4 problems                              4m ago",
		" ✗ exit 1    api •        3 problems                              5m ago",
		" ✗ exit 1    lint •       4 problems                              6m ago",
	}
	if diff := cmp.Diff(want, rowsOf(list)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]engine.ID{"lint-2", "lint-3"}, list.Alike()); diff != "" {
		t.Error(diff)
	}

	list.Update(press("l"))
	want = []string{
		"▌✗ exit 1    lint • ▾2    3 problems                              1m ago",
		" ✗ exit 1      lint •     3 problems                              2m ago",
		" ✗ exit 1      lint •     3 problems                              3m ago",
	}
	if diff := cmp.Diff(want, rowsOf(list)[:3]); diff != "" {
		t.Error(diff)
	}
	if alike := list.Alike(); alike != nil {
		t.Errorf("unfolded, %v are behind the row", alike)
	}

	list.Update(press("h"))
	list.Select("lint-2") // the selected job has a row
	if j, _ := list.Selected(); j.ID != "lint-2" || len(rowsOf(list)) != 5 {
		t.Errorf("selected %s in\n%s", j.ID, strings.Join(rowsOf(list), "\n"))
	}
}

// Words are found as they are; only if no job has them, letters in names are.
func TestFilterFindsWords(t *testing.T) {
	list := newList(73, 12, themes.Unicode())
	for name, command := range map[string]string{
		"css": "npx tailwindcss --build", "db": "postgres", "docker build": "docker build .", "terraform apply": "/src/bin/ask.sh",
	} {
		j := engine.Job{Request: engine.Request{ID: engine.ID(name), Name: name, Command: strings.Fields(command)}, State: engine.State{Status: engine.Running, StartedAt: now}}
		if name == "db" {
			j.CreatedBy = "claude-code"
		}
		list.Put(joblist.Row{Job: j})
	}
	for filter, want := range map[string][]string{
		"ssh":       {},
		"db":        {"db"},
		"dbl":       {"docker build"},
		"claude":    {"db"},
		"by:claude": {"db"},
		"ask":       {"terraform apply"},
		"Docker":    {"docker build"},
	} {
		list.SetFilter(filter)
		got := []string{}
		for _, j := range list.Passed() {
			got = append(got, j.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", filter, diff)
		}
	}
	list.SetFilter("build")
	want := []string{
		" ● running   css           …ndcss --build                             0s",
		"▌● running   docker build                                             0s",
	}
	if diff := cmp.Diff(want, rowsOf(list)); diff != "" {
		t.Error(diff)
	}
}
