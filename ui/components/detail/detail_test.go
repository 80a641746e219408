package detail_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/detail"
)

var now = time.Date(2026, 3, 1, 14, 14, 42, 0, time.UTC)

func newDetail(j engine.Job, w, h int) *detail.Model {
	styles := themes.Default(true).Styles(themes.Unicode())
	m := detail.New(keymap.Default().Detail, styles, detail.Options{Home: "/home/me", Input: "a attach · i send line"})
	m.SetNow(now)
	m.SetSize(w, h)
	m.SetJob(j)
	return m
}

func running() engine.Job {
	cpu := 3.2
	return engine.Job{
		Request: engine.Request{
			ID: "npm-run-dev-7k2qm", Name: "npm run dev", Command: []string{"npm", "run", "dev", "--", "--title", "it's on"},
			Dir: "/home/me/src/shop", Kind: engine.KindPTY, Stdin: engine.InputPipe,
			LogLimit: 1 << 30,
			Grace:    record.InMilliseconds(5 * time.Second), Timeout: record.InMilliseconds(30 * time.Minute), CreatedBy: "cli", EnvNames: []string{"PORT"},
		},
		State: engine.State{
			Status: engine.Running, Backgrounded: true, Leader: engine.Identity{PID: 48211},
			StartedAt: now.Add(-12*time.Minute - 31*time.Second), Size: engine.Size{Cols: 120, Rows: 38},
			Output:   84 << 10,
			Deadline: now.Add(17 * time.Minute),
		},
		CPU: &cpu, RSS: 212 << 20,
		OutputPath: "/home/me/.local/state/hob/jobs/npm-run-dev-7k2qm/output.log",
	}
}

func failed() engine.Job {
	j := running()
	code := 2
	j.Status, j.Exit = engine.Exited, engine.Exit{
		Status: engine.Exited, Code: &code, Reason: engine.ReasonExit, At: j.StartedAt.Add(44 * time.Second),
		Survivors: []engine.Process{{PID: 99, Command: "node server.js"}}, Usage: engine.Usage{User: record.InMilliseconds(1200 * time.Millisecond), MaxRSS: 96 << 20},
	}
	return j
}

func remote() engine.Job {
	j := running()
	j.Host, j.Link, j.LinkError, j.StaleSince = "gpu2", engine.LinkUnreachable, "gpu2: no route to host", now.Add(-3*time.Minute)
	j.Ports, j.Waiting = []int{5173}, true
	j.StartedAt = now.Add(-30 * time.Hour)
	return j
}

// signalled is a job without a terminal that a signal ended: a script with streams
// of its own, whose log reached its cap.
func signalled() engine.Job {
	j := running()
	j.Kind, j.Size, j.Command, j.Script = engine.KindFile, engine.Size{}, nil, "cd build && make -j8 all\n./run --all"
	j.OutputPath, j.StdoutPath, j.StderrPath = "", "/home/me/.local/state/hob/jobs/make-x2345/stdout.log", "/home/me/.local/state/hob/jobs/make-x2345/stderr.log"
	j.Dropped, j.Output, j.RestartedFrom = 3<<30, 4<<30, "make-aaaaa"
	code := 139
	j.Status, j.Exit = engine.Killed, engine.Exit{
		Status: engine.Killed, Code: &code, Signal: "SIGSEGV", Core: true, Reason: engine.ReasonSignal, At: j.StartedAt.Add(time.Minute),
	}
	return j
}

func TestView(t *testing.T) {
	for name, j := range map[string]engine.Job{"running": running(), "failed": failed(), "remote": remote(), "signalled": signalled()} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for _, size := range [][2]int{{64, 20}, {40, 26}, {20, 5}} {
				fmt.Fprintf(&b, "%dx%d\n", size[0], size[1])
				for line := range strings.SplitSeq(ansi.Strip(newDetail(j, size[0], size[1]).View()), "\n") {
					b.WriteString(line + "|\n")
				}
			}
			golden.RequireEqual(t, b.String())
		})
	}
}

// The list cuts a question that is too long for its row. The detail beside it has room for all of it.
func TestBriefShowsWhatAProgramNeeds(t *testing.T) {
	report := engine.ProgramReport{State: engine.ProgramBlocked, Kind: engine.NeedsPermission, Message: "May I run: kubectl rollout restart?"}
	for name, tt := range map[string]struct {
		state engine.State
		want  string
	}{
		"a permission":    {engine.State{Program: &engine.Program{ProgramReport: report}}, "blocked: permission · May I run: kubectl rollout\nrestart?"},
		"a failed check":  {engine.State{Health: &engine.Health{State: engine.Unhealthy, Failures: 3, Output: "exit status 1"}}, "check fails: exit status 1"},
		"nothing to tell": {engine.State{Program: &engine.Program{ProgramReport: engine.ProgramReport{State: engine.ProgramIdle, Message: "at its prompt"}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			j := running()
			j.Program, j.Health = tt.state.Program, tt.state.Health
			m := newDetail(j, 48, 10)
			m.SetForm(detail.Brief)
			var shown []string
			for line := range strings.SplitSeq(ansi.Strip(m.View()), "\n") {
				shown = append(shown, strings.TrimRight(line, " "))
			}
			if got := strings.TrimRight(strings.Join(shown[3:], "\n"), "\n"); got != tt.want {
				t.Errorf("after three lines the detail shows %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDetailHasAllReportsAndTheLastCommand(t *testing.T) {
	reports := []engine.ProgramReport{
		{State: engine.ProgramWorking, App: "demo", Percent: new(40)},
		{ID: "tests", State: engine.ProgramDone, App: "demo", Title: "Tests", Message: "all pass"},
		{ID: "tests/unit", State: engine.ProgramBlocked, Kind: engine.NeedsSecret},
	}
	tree := []string{"reports   demo · working 40%", "            tests · done · Tests · all pass", "              unit · blocked (auth)"}
	command := &engine.LastCommand{Code: 3}
	for name, tt := range map[string]struct {
		state engine.State
		want  []string
	}{
		"reports": {engine.State{Program: &engine.Program{Reports: reports}}, tree},
		"a shell": {engine.State{LastCommand: command}, []string{"reports   the last command exited 3"}},
		"both": {
			engine.State{Program: &engine.Program{Reports: reports[:1]}, LastCommand: command},
			[]string{"reports   demo · working 40%", "          the last command exited 3"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := running()
			j.Program, j.LastCommand = tt.state.Program, tt.state.LastCommand
			var shown []string
			for line := range strings.SplitSeq(ansi.Strip(newDetail(j, 60, 20).View()), "\n") {
				shown = append(shown, strings.TrimRight(line, " "))
			}
			if want := strings.Join(tt.want, "\n"); !strings.Contains(strings.Join(shown, "\n"), want) {
				t.Errorf("the detail is\n%s\nwant in it\n%s", strings.Join(shown, "\n"), want)
			}
		})
	}
}

// Of a job on a host the directory may not be known.
func TestHostWithoutADirectory(t *testing.T) {
	j := remote()
	j.Dir, j.Cwd, j.Link, j.Waiting = "", "", engine.LinkOK, false
	view := ansi.Strip(newDetail(j, 64, 20).View())
	if !strings.Contains(view, "host      gpu2") || strings.Contains(view, "dir ") {
		t.Errorf("not the host alone in\n%s", view)
	}
}

func TestPortsAreLinks(t *testing.T) {
	j := running()
	j.Ports = []int{5173}
	if view := newDetail(j, 64, 20).View(); !strings.Contains(view, "http://localhost:5173/") {
		t.Errorf("no link in %q", view)
	}
}

func TestScrolls(t *testing.T) {
	m := newDetail(failed(), 40, 4)
	total := m.Lines(40)
	m.Update(tea.KeyPressMsg{Code: 'G', Text: "G"})
	if m.More() != 0 || !strings.Contains(ansi.Strip(m.View()), "PORT") {
		t.Errorf("the end is not shown: %d more, %q", m.More(), ansi.Strip(m.View()))
	}
	m.Update(tea.KeyPressMsg{Code: 'g', Text: "g"})
	if m.More() != total-4 {
		t.Errorf("%d more below the top of %d", m.More(), total)
	}
	other := running()
	other.ID = "other-aaaaa"
	m.Scroll(3)
	m.SetJob(other)
	if !strings.Contains(ansi.Strip(m.View()), "● running") {
		t.Errorf("another job does not begin at its top: %q", ansi.Strip(m.View()))
	}
}

func TestSizes(t *testing.T) {
	for _, w := range []int{0, 1, 5, 12, 17, 40, 200} {
		for _, h := range []int{0, 1, 30} {
			for _, j := range []engine.Job{running(), failed(), remote(), {}} {
				m := newDetail(j, w, h)
				for _, line := range strings.Split(m.View(), "\n") {
					if got := cells.Width(line); h > 0 && got != w {
						t.Errorf("%dx%d: a line is %d wide: %q", w, h, got, line)
					}
				}
			}
		}
	}
}

// What has no room beside the badge stands below: the id is what every verb takes.
func TestIDIsAlwaysThere(t *testing.T) {
	for w := 30; w <= 120; w += 5 {
		for _, j := range []engine.Job{running(), failed(), remote(), signalled()} {
			if view := ansi.Strip(newDetail(j, w, 60).View()); !strings.Contains(view, string(j.ID)) {
				t.Errorf("no id in %d columns:\n%s", w, view)
			}
		}
	}
}

func TestJobThatWasKilledInAQueueDidNotRun(t *testing.T) {
	j := running()
	j.StartedAt, j.Status = time.Time{}, engine.Killed
	j.Exit = engine.Exit{Status: engine.Killed, Reason: engine.ReasonKill, EndedBy: "cli", At: now}
	view := ansi.Strip(newDetail(j, 64, 20).View())
	if first, _, _ := strings.Cut(view, "\n"); !strings.Contains(first, "stopped before it started") {
		t.Errorf("it shows\n%s", view)
	}
}
