//go:build unix

package ssh

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// A host that has what the check asks for and nothing else runs jobs; one that
// lacks any of it is told so.
func TestCheckKnowsWhatJobsNeed(t *testing.T) {
	testtool.Need(t, "setsid")
	bin := t.TempDir()
	for _, tool := range append(required(), "sh", "setsid") {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	env := append(remoteEnv(t), "PATH="+bin)
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = env })
	c := sshtest.ClientOf(t, "box", s)
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	var steps []Step
	if !b.Check(t.Context(), "box", func(s Step) { steps = append(steps, s) }) {
		t.Fatalf("steps %+v", steps)
	}
	if tools := steps[len(steps)-2]; tools.Name != "tools" || !strings.Contains(tools.Text, "no mkfifo") {
		t.Errorf("step %+v", tools)
	}
	for _, tool := range required() {
		file := filepath.Join(bin, tool)
		if err := os.Rename(file, file+".gone"); err != nil {
			t.Fatal(err)
		}
		var last Step
		if b.Check(t.Context(), "box", func(s Step) { last = s }) || last.Name != "tools" || !strings.HasSuffix(last.Text, ": "+tool) || last.Hint == "" {
			t.Errorf("without %s: last step %+v", tool, last)
		}
		if err := os.Rename(file+".gone", file); err != nil {
			t.Fatal(err)
		}
	}
}

// The job of a check is kept where those of the host are.
func TestCheckTriesTheStateDir(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	sshtest.Write(t, file, "")
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = remoteEnv(t) })
	c := sshtest.ClientOf(t, "box", s)
	b := New(WithConfigFile(c.ConfigFile), withSettings(HostSettings{StateDir: file}))
	defer b.Close()
	var last Step
	want := "cannot make the directory " + file + "/jobs: Not a directory"
	if b.Check(t.Context(), "box", func(s Step) { last = s }) || last.Name != "job" || !strings.HasSuffix(last.Text, want) {
		t.Errorf("no directory can be made there: last step %+v, want %q", last, want)
	}
}

// An account that runs no shell is told apart from one that is refused.
func TestCheckOfAnAccountWithoutShell(t *testing.T) {
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Shell = remoteEnv(t), "echo" })
	c := sshtest.ClientOf(t, "box", s)
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	var last Step
	if b.Check(t.Context(), "box", func(s Step) { last = s }) || last.Name != "shell" || !strings.Contains(last.Text, shell.Command) || !strings.Contains(last.Hint, "run sh") {
		t.Errorf("last step %+v", last)
	}
}
