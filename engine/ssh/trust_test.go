//go:build unix

package ssh

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/sshtest"
)

// Where other users decide what the jobs of a host are, hob does not use it.
func TestStateDirThatOthersControl(t *testing.T) {
	t.Parallel()
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(s *sshtest.Server) { s.Env = append(s.Env, "HOB_STATE_DIR="+filepath.Join(open, "hob")) })
	_, err := r.e.Start(r.ctx(), engine.Spec{Script: "echo no", Host: "box"})
	if err == nil || !strings.Contains(err.Error(), open+" can be changed by other users") {
		t.Errorf("a start: %v", err)
	}
	if hosts := r.b.Hosts(); len(hosts) != 1 || !hosts[0].Attention || !strings.Contains(hosts[0].Hint, "chmod go-w "+open) {
		t.Errorf("hosts: %+v", hosts)
	}
	var last Step
	if r.b.Check(r.ctx(), "box", func(s Step) { last = s }) || last.Name != "shell" || !strings.Contains(last.Hint, "[hosts.box] state_dir") {
		t.Errorf("the check ends with %+v", last)
	}
}

// A directory for jobs that others have come to control since is not acted on.
func TestJobInADirectoryThatOthersControl(t *testing.T) {
	t.Parallel()
	tmp := filepath.Join(t.TempDir(), "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(s *sshtest.Server) {
		s.Env = append(s.Env, "HOB_STATE_DIR=", "XDG_STATE_HOME=", "HOME=", "TMPDIR="+tmp)
	})
	j := r.start("exec sleep 60")
	r.e.Close()
	if err := os.Chmod(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	r.open()
	if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err == nil || !strings.Contains(err.Error(), tmp+" can be changed by other users") {
		t.Errorf("kill: %v", err)
	}
	if err := os.Chmod(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err != nil {
		t.Errorf("kill, later: %v", err)
	}
}
