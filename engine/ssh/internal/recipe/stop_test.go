//go:build unix

package recipe

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

func TestStop(t *testing.T) {
	ignoring := `trap '' TERM; (trap '' TERM; while :; do sleep 0.1; done) & echo ready; while :; do sleep 0.1; done`
	cases := []struct {
		name, script, killed string
		grace                time.Duration
		code                 int
	}{
		{"polite", "echo ready; sleep 60; echo no", "TERM", patience / 2, 143},
		{"with a child", "sleep 60 & echo ready; wait", "TERM", patience / 2, 143},
		{"own code", "trap 'exit 3' TERM; echo ready; while :; do sleep 0.1; done", "TERM", patience / 2, 3},
		{"ignores TERM", ignoring, "KILL", 300 * time.Millisecond, 137},
		{"at once", "echo ready; sleep 60", "KILL", -1, 137},
	}
	eachShell(t, func(t *testing.T, p *place) {
		for _, c := range cases {
			j := p.job(c.script)
			dir := p.start(j).Dir
			p.until(j.ID, "ready", func(e *Entry) bool { return e.Sizes["output.log"] >= 6 })
			s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: c.grace, By: "cli", Reason: "kill"}))))
			e := p.list(j.ID)
			if s.Killed != c.killed || e.Code == nil || *e.Code != c.code {
				t.Errorf("%s: %+v, code %s; want %s and %d", c.name, s, show(e.Code), c.killed, c.code)
			}
			if e.EndedBy == nil || e.EndedBy.By != "cli" || e.EndedBy.Reason != "kill" {
				t.Errorf("%s: ended by %+v", c.name, e.EndedBy)
			}
			if e.Group {
				t.Errorf("%s: the group still runs", c.name)
			}
			if s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: c.grace, By: "cli", Reason: "kill"})))); s.Why != "dead" {
				t.Errorf("%s: the second time: %+v", c.name, s)
			}
		}
	})
}

func TestStopFindsWhatLeftTheGroup(t *testing.T) {
	testtool.Need(t, "setsid")
	eachShell(t, func(t *testing.T, p *place) {
		for _, keep := range []bool{true, false} {
			j := p.job("setsid sh -c 'echo $$; exec sleep 61' & sleep 60")
			j.Env = map[string]string{"HOB_JOB_ID": j.ID}
			dir := p.start(j).Dir
			p.until(j.ID, "the stray", func(e *Entry) bool { return e.Sizes["output.log"] > 0 })
			stray, err := strconv.Atoi(strings.TrimSpace(p.file(j.ID, "output.log")))
			if err != nil {
				t.Fatal(err)
			}
			p.ask(Stop(dir, j.ID, StopOptions{Grace: time.Second, By: "cli", Reason: "kill", KeepDaemons: keep}))
			alive := syscall.Kill(stray, 0) == nil && !zombie(stray)
			if alive != keep {
				t.Errorf("keep %v: the stray is alive: %v", keep, alive)
			}
			if keep {
				syscall.Kill(stray, syscall.SIGKILL)
			}
		}
	})
}

// A stop looks for what left the group, but what leaves it only then, or was just
// becoming another program and so had no environment to be known by, is missed
// the first time.
func TestStopFindsWhatLeavesTheGroupMeanwhile(t *testing.T) {
	testtool.Need(t, "setsid")
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job(`trap 'setsid sh -c "echo \$\$ >\"$SAID\"; exec sleep 63" & until [ -s "$SAID" ]; do sleep 0.05; done; exit 4' TERM
: >"$UP"; while :; do sleep 0.1; done`)
		said, up := filepath.Join(p.home, "said"), filepath.Join(p.home, "up")
		j.Env = map[string]string{"HOB_JOB_ID": j.ID, "SAID": said, "UP": up}
		dir := p.start(j).Dir
		for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(up); err == nil {
				break
			} else if time.Now().After(end) {
				t.Fatal("the job does not begin")
			}
		}
		s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: patience / 2, By: "cli", Reason: "kill"}))))
		data, err := os.ReadFile(said)
		if err != nil {
			t.Fatal(err)
		}
		stray, err := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		if syscall.Kill(stray, 0) == nil && !zombie(stray) {
			t.Error("what left the group while it was stopped is alive")
			syscall.Kill(stray, syscall.SIGKILL)
		}
		if e := p.list(j.ID); s.Killed != "TERM" || e.Code == nil || *e.Code != 4 {
			t.Errorf("%+v, code %s", s, show(e.Code))
		}
	})
}

func zombie(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(data), ") Z ")
}

func TestSurvivorsAreNamed(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job(`sh -c 'echo up >"$UP"; exec sleep 62' & until [ -s "$UP" ]; do sleep 0.05; done; exit 4`)
		j.Env = map[string]string{"HOB_JOB_ID": j.ID, "UP": filepath.Join(p.home, "up")}
		dir := p.start(j).Dir
		e := p.ended(j.ID)
		if e.Code == nil || *e.Code != 4 || len(e.Left) != 1 || !strings.Contains(e.Left[0].Command, "sleep 62") {
			t.Fatalf("code %s, left %+v", show(e.Code), e.Left)
		}
		if s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: patience / 2, By: "cli", Reason: "kill"})))); s.Killed != "TERM" {
			t.Errorf("ending the survivor: %+v", s)
		}
		if e := p.list(j.ID); e.EndedBy != nil || *e.Code != 4 {
			t.Errorf("the end was rewritten: %+v", e)
		}
	})
}

func TestWrapperKilled(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("echo ready; sleep 60")
		dir := p.start(j).Dir
		e := p.list(j.ID)
		syscall.Kill(e.Wrapper.PID, syscall.SIGKILL)
		p.until(j.ID, "the wrapper's death", func(e *Entry) bool { return e.WrapLive == "" })
		if e := p.list(j.ID); e.Live != e.Job.Start {
			t.Errorf("the job died with its wrapper: %+v", e)
		}
		s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: patience / 2, By: "cli", Reason: "kill"}))))
		if e := p.list(j.ID); s.Killed != "TERM" || e.Code == nil || *e.Code != 143 {
			t.Errorf("%+v, code %s", s, show(e.Code))
		}
	})
}

func TestForgedIdentityIsNotSignalled(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("sleep 60")
		dir := p.start(j).Dir
		real := p.file(j.ID, "pid")
		f := strings.Fields(real)
		numbers := func(pid string) string { return strings.Join([]string{pid, f[1], f[2], f[3]}, " ") }
		for forged, name := range map[string]string{
			f[0] + " 12 " + f[2] + " " + f[3]:        "reused",
			f[0] + " " + f[1] + " 0000-boot " + f[3]: "reboot",
			numbers("1"):                             "badpid", numbers("0"): "badpid", numbers("-1"): "badpid", numbers("-" + f[0]): "badpid", numbers("x"): "badpid",
		} {
			if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(forged+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: time.Second, By: "cli", Reason: "kill"})))); s.Why != name {
				t.Errorf("%q: %+v, want %s", forged, s, name)
			}
			if got := strings.TrimSpace(p.ask(Signal(dir, j.ID, "INT", "me"))); got != "no "+name {
				t.Errorf("%q: signal says %q, want %s", forged, got, name)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(real), 0o600); err != nil {
			t.Fatal(err)
		}
		if e := p.list(j.ID); e.Live != e.Job.Start {
			t.Error("it was signalled")
		}
		p.ask(Stop(dir, j.ID, StopOptions{Grace: -1, By: "cli", Reason: "kill"}))
	})
}

func TestTimeout(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("trap '' TERM; echo ready; while :; do sleep 0.1; done")
		j.Timeout, j.Grace = 10*time.Second, 300*time.Millisecond // its trap is set by then
		p.start(j)
		e := p.ended(j.ID)
		if e.Code == nil || *e.Code != 137 || e.EndedBy == nil || e.EndedBy.Reason != "timeout" {
			t.Errorf("code %s, ended by %+v", show(e.Code), e.EndedBy)
		}
	})
}

func TestSignals(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		j := p.job("trap 'echo got HUP' HUP; trap 'echo got INT; exit 5' INT; echo ready; while :; do sleep 0.1; done")
		dir := p.start(j).Dir
		p.until(j.ID, "ready", func(e *Entry) bool { return e.Sizes["output.log"] >= 6 })
		p.ask(Signal(dir, j.ID, "HUP", "me"))
		p.until(j.ID, "HUP", func(e *Entry) bool { return e.Sizes["output.log"] >= 14 })
		p.ask(Signal(dir, j.ID, "STOP", "me"))
		p.until(j.ID, "the pause", func(e *Entry) bool { return e.State == "T" })
		p.ask(Signal(dir, j.ID, "CONT", "me"))
		p.ask(Signal(dir, j.ID, "INT", "me"))
		if e := p.ended(j.ID); e.Code == nil || *e.Code != 5 {
			t.Errorf("code %s, want 5", show(e.Code))
		}
		if got := strings.TrimSpace(p.ask(Signal(dir, j.ID, "INT", "me"))); got != "over" {
			t.Errorf("a signal to an ended job: %q", got)
		}
	})
}

// No process of a job may be left, however it ended.
func TestWatchdogEndsWithTheJob(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		testtool.Need(t, "pgrep")
		for _, how := range []string{"exit", "kill", "timeout", "deleted", "wrapper killed", "wrapper killed, then it", "both killed, no watchdog"} {
			j := p.job("echo ready; exec sleep 60")
			j.Limit, j.Stdin = 3_000_000, true
			switch how {
			case "exit":
				j.Script = "true"
			case "timeout":
				j.Timeout = 300 * time.Millisecond
			case "wrapper killed":
				j.Timeout = time.Hour // for a watchdog, also where no log can be trimmed
			case "both killed, no watchdog":
				j.Limit = 0
			}
			dir := p.start(j).Dir
			if how != "exit" && how != "timeout" {
				p.output(j.ID, "ready\n")
			}
			switch how {
			case "timeout":
				p.ended(j.ID)
			case "kill":
				p.ask(Stop(dir, j.ID, StopOptions{Grace: time.Second, By: "cli", Reason: "kill"}))
			case "deleted":
				e := p.list(j.ID)
				os.RemoveAll(dir)
				syscall.Kill(-e.Job.PID, syscall.SIGKILL)
			case "wrapper killed":
				e := p.list(j.ID)
				syscall.Kill(e.Wrapper.PID, syscall.SIGKILL)
				syscall.Kill(-e.Job.PID, syscall.SIGKILL)
			case "both killed, no watchdog":
				e := p.list(j.ID)
				syscall.Kill(e.Wrapper.PID, syscall.SIGSTOP) // it must not see the end of the job
				syscall.Kill(-e.Job.PID, syscall.SIGKILL)
				syscall.Kill(e.Wrapper.PID, syscall.SIGKILL)
			case "wrapper killed, then it":
				syscall.Kill(p.list(j.ID).Wrapper.PID, syscall.SIGKILL)
				p.ask(Stop(dir, j.ID, StopOptions{Grace: time.Second, By: "cli", Reason: "kill"}))
			}
			end := time.Now().Add(patience)
			for exec.Command("pgrep", "-f", dir+"/run super").Run() == nil {
				if time.Now().After(end) {
					t.Fatalf("%s: a process of the wrapper is still there", how)
				}
				time.Sleep(250 * time.Millisecond) // it reads about every process
			}
		}
	})
}
