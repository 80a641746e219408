//go:build unix

package ssh

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// The host's clock is hours off and is set back by as many while the job runs; its
// time zone and language are others. Times here are right all the same.
func TestWrongClockOfTheHost(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/uptime"); err != nil {
		t.Skip("without an uptime the host's date is all there is")
	}
	real, err := exec.LookPath("date")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	back := filepath.Join(bin, "set-back")
	testtool.WriteScript(t, filepath.Join(bin, "date"), fmt.Sprintf("off=25200\n[ -e %s ] && off=-10000\necho $(($(%s +%%s) + off))", back, real))
	r := newRig(t, func(s *sshtest.Server) {
		s.Env = append(s.Env, "PATH="+bin+":"+os.Getenv("PATH"), "TZ=Asia/Kathmandu", "LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8")
	})
	before := time.Now()
	j := r.start("echo ready; : >"+back+"; sleep 1; exit 3", func(s *engine.Spec) { s.Timeout = time.Hour })
	exit := r.wait(j.ID)
	after := time.Now()
	j, err = r.e.Handle(j.ID).Facts(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	// The host reports times in hundredths of seconds.
	const slack = 50 * time.Millisecond
	if j.StartedAt.Before(before.Add(-slack)) || j.StartedAt.After(after) || exit.At.Before(j.StartedAt) || exit.At.After(after.Add(slack)) {
		t.Errorf("between %v and %v it ran from %v to %v", before, after, j.StartedAt, exit.At)
	}
	// StartedAt and At are of two answers, which may have been under way for different times.
	if ran := exit.Ran.Duration(); ran < time.Second-slack || ran > after.Sub(before) {
		t.Errorf("it ran for %v, but it slept for a second", ran)
	}
	if exit.Code == nil || *exit.Code != 3 || j.Output != 6 {
		t.Errorf("code %v, %d bytes", exit.Code, j.Output)
	}
}

// How long a job has run is known to a program that has not reached its host, as long
// as this machine runs: the wall clock here may have been set since.
func TestUptimeIsRecorded(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/uptime"); err != nil {
		t.Skip("without an uptime there is only the wall clock")
	}
	r := newRig(t, nil)
	j := r.start("echo ready; sleep 60")
	j, err := r.e.Handle(j.ID).Facts(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		r.s.SetDown(false)
		r.open()
		if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err != nil {
			t.Error(err)
		}
	}()
	r.e.Close()
	r.s.SetDown(true)
	r.open()
	again, err := r.e.Handle(j.ID).Facts(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if again.Link != engine.LinkUnreachable || j.StartedUp == 0 || again.StartedUp != j.StartedUp {
		t.Errorf("link %s, the machine had run for %v at the start, want %v", again.Link, again.StartedUp, j.StartedUp)
	}
	record := filepath.Join(r.state, "jobs", string(j.ID))
	if err := changeState(engine.Record{Dir: record}, func(st *engine.State) { st.UpBoot = "another" }); err != nil {
		t.Fatal(err)
	}
	if again, err = r.e.Handle(j.ID).Facts(r.ctx()); err != nil || again.StartedUp != 0 {
		t.Errorf("after a reboot here: %v, %v", again.StartedUp, err)
	}
}
