package recipe

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

// detached is a command in a session of its own with an empty environment, which writes its
// number to the file $1.
const detached = `env -i "PATH=$PATH" setsid sh -c 'echo $$ >"$0"; exec sleep 613' `

// A process that left the group and cleared its environment is still the job's: it is
// below the job's processes, or writes to its logs.
func TestStopEndsDetachedProcessesWithoutTheVariable(t *testing.T) {
	testtool.Need(t, "setsid")
	cases := []struct{ name, script string }{
		{"its parent runs", detached + `"$PIDS/a" >/dev/null 2>&1 & sleep 60`},
		{"its grandparent runs", `sh -c '` + strings.ReplaceAll(detached, "'", `'\''`) + `"$PIDS/a"; :' >/dev/null 2>&1 & sleep 60`},
		{"its parent is detached", `setsid sh -c '` + strings.ReplaceAll(detached, "'", `'\''`) + `"$PIDS/a"; :' >/dev/null 2>&1 & sleep 60`},
		{"its parent has ended, it writes to the log", `(` + detached + `"$PIDS/a" &); sleep 60`},
		{"started when the job is stopped", `trap '` + strings.ReplaceAll(detached, "'", `'\''`) + `"$PIDS/a" >/dev/null 2>&1 & wait' TERM; echo up; while :; do sleep 0.1; done`},
	}
	eachShell(t, func(t *testing.T, p *place) {
		for _, c := range cases {
			pids := t.TempDir()
			j := p.job(c.script)
			j.Env = map[string]string{"HOB_JOB_ID": j.ID, "PIDS": pids}
			dir := p.start(j).Dir
			stop := Stop(dir, j.ID, StopOptions{Grace: 500 * time.Millisecond, By: "cli", Reason: "kill"})
			if strings.HasPrefix(c.script, "trap") {
				p.output(j.ID, "up\n")
			} else {
				p.awaitPID(filepath.Join(pids, "a"))
			}
			s := ParseStop([]byte(p.ask(stop)))
			if pid := p.awaitPID(filepath.Join(pids, "a")); s.Killed == "" || s.Stuck || lives(pid) {
				t.Errorf("%s: still running: %v; %+v", c.name, lives(pid), s)
			}
		}
	})
}

func TestStopNamesSparedDaemonsWithoutTheVariable(t *testing.T) {
	testtool.Need(t, "setsid")
	eachShell(t, func(t *testing.T, p *place) {
		pids := t.TempDir()
		j := p.job(detached + `"$PIDS/a" >/dev/null 2>&1 & sleep 60`)
		j.Env = map[string]string{"HOB_JOB_ID": j.ID, "PIDS": pids}
		dir := p.start(j).Dir
		pid := p.awaitPID(filepath.Join(pids, "a"))
		s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: patience / 2, By: "cli", Reason: "kill", KeepDaemons: true}))))
		if !lives(pid) || len(s.Left) != 1 || s.Left[0].PID != pid {
			t.Errorf("still running: %v; %+v", lives(pid), s)
		}
	})
}

func TestSurvivorsWithoutTheVariableAreNamed(t *testing.T) {
	testtool.Need(t, "setsid")
	eachShell(t, func(t *testing.T, p *place) {
		for where, script := range map[string]string{"in a session of its own": detached, "in the job's group": strings.Replace(detached, "setsid ", "", 1)} {
			pids := t.TempDir()
			j := p.job(script + `"$PIDS/a" & until [ -s "$PIDS/a" ]; do sleep 0.1; done; exit 4`)
			j.Env = map[string]string{"HOB_JOB_ID": j.ID, "PIDS": pids}
			dir := p.start(j).Dir
			pid := p.awaitPID(filepath.Join(pids, "a"))
			e := p.ended(j.ID)
			if e.Code == nil || *e.Code != 4 || len(e.Left) != 1 || e.Left[0].PID != pid {
				t.Errorf("%s: code %s, left %+v", where, show(e.Code), e.Left)
			}
			if s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: patience / 2, By: "cli", Reason: "kill"})))); s.Killed != "TERM" || lives(pid) {
				t.Errorf("%s: ending the survivor: still running: %v; %+v", where, lives(pid), s)
			}
		}
	})
}

// A job within the job has a holder of its own, and a program that only reads the job's
// log is not the job's.
func TestStopSparesProcessesThatAreNotTheJobs(t *testing.T) {
	testtool.Need(t, "setsid")
	eachShell(t, func(t *testing.T, p *place) {
		pids := t.TempDir()
		sleep, err := exec.LookPath("sleep")
		if err != nil {
			t.Fatal(err)
		}
		testtool.WriteScript(t, filepath.Join(pids, "nested"), "echo $$ >\"${0%/*}/a\"\nexec \"${0%/*}/hob-holder\" 614")
		if err := os.Symlink(sleep, filepath.Join(pids, "hob-holder")); err != nil {
			t.Fatal(err)
		}
		j := p.job(`setsid "$PIDS/nested" & sleep 60`)
		j.Env = map[string]string{"HOB_JOB_ID": j.ID, "PIDS": pids}
		dir := p.start(j).Dir
		holder := p.awaitPID(filepath.Join(pids, "a"))
		p.ask(`until tr '\0' '\n' </proc/` + strconv.Itoa(holder) + `/cmdline | grep -q '/hob-holder$'; do nap; done`)
		log, err := os.Open(filepath.Join(dir, "output.log"))
		if err != nil {
			t.Fatal(err)
		}
		reader := exec.Command(sleep, "615")
		reader.Stdout = log // cannot be written to
		if err := reader.Start(); err != nil {
			t.Fatal(err)
		}
		log.Close()
		t.Cleanup(func() {
			_ = reader.Process.Kill()
			_ = reader.Wait()
		})
		s := ParseStop([]byte(p.ask(Stop(dir, j.ID, StopOptions{Grace: patience / 2, By: "cli", Reason: "kill"}))))
		if s.Killed != "TERM" || !lives(holder) || !lives(reader.Process.Pid) {
			t.Errorf("%+v; the holder runs: %v, the reader: %v", s, lives(holder), lives(reader.Process.Pid))
		}
	})
}
