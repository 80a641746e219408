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
)

// The host's clock is hours off and is set back by as many while the job runs; its
// time zone and language are others. Times here are right all the same.
func TestTheHostsClockMayBeWrong(t *testing.T) {
	if _, err := os.Stat("/proc/uptime"); err != nil {
		t.Skip("without an uptime the host's date is all there is")
	}
	real, err := exec.LookPath("date")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	back := filepath.Join(bin, "set-back")
	script := fmt.Sprintf("#!/bin/sh\noff=25200\n[ -e %s ] && off=-10000\necho $(($(%s +%%s) + off))\n", back, real)
	if err := os.WriteFile(filepath.Join(bin, "date"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(s *sshtest.Server) {
		s.Env = append(s.Env, "PATH="+bin+":"+os.Getenv("PATH"), "TZ=Asia/Kathmandu", "LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8")
	})
	before := time.Now()
	j := r.start("echo ready; : >"+back+"; sleep 1; exit 3", func(s *engine.Spec) { s.Timeout = time.Hour })
	exit := r.wait(j.ID)
	after := time.Now()
	j, err = r.e.Get(r.ctx(), string(j.ID))
	if err != nil {
		t.Fatal(err)
	}
	// The host tells hundredths of seconds.
	const slack = 50 * time.Millisecond
	if j.StartedAt.Before(before.Add(-slack)) || j.StartedAt.After(after) || exit.At.Before(j.StartedAt) || exit.At.After(after.Add(slack)) {
		t.Errorf("between %v and %v it ran from %v to %v", before, after, j.StartedAt, exit.At)
	}
	if ran := exit.At.Sub(j.StartedAt); ran < time.Second-slack {
		t.Errorf("it ran for %v, but it slept for a second", ran)
	}
	if exit.Code == nil || *exit.Code != 3 || j.Output != 6 {
		t.Errorf("code %v, %d bytes", exit.Code, j.Output)
	}
}
