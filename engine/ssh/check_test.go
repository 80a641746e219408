//go:build unix

package ssh

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/build"
	"github.com/hobjobs/hob/internal/localjob"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// A host that has exactly what the check requires runs jobs; one that lacks any of it fails the
// check with the reason.
func TestCheckReportsMissingTools(t *testing.T) {
	t.Parallel()
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
	if tools := steps[len(steps)-3]; tools.Name != "tools" || !strings.Contains(tools.Text, "no mkfifo") {
		t.Errorf("step %+v", tools)
	}
	for _, tool := range required() {
		file := filepath.Join(bin, tool)
		if err := os.Rename(file, file+".gone"); err != nil {
			t.Fatal(err)
		}
		if last := failedStep(t, b); last.Name != "tools" || !strings.HasSuffix(last.Text, ": "+tool) || last.Hint == "" {
			t.Errorf("without %s: last step %+v", tool, last)
		}
		if err := os.Rename(file+".gone", file); err != nil {
			t.Fatal(err)
		}
	}
}

// What only the scripts need is not missing on a host where hob-holder runs new jobs.
func TestCheckOfToolsWithHolder(t *testing.T) {
	holder := recipe.Holder{Program: "/hob-holder", Build: build.Version(), Launch: localjob.Version}
	for name, tc := range map[string]struct {
		host, setting string
		holders       []recipe.Holder
		lacks         bool
	}{
		"no holder":         {"box", HolderAsk, nil, true},
		"holder":            {"box", HolderAsk, []recipe.Holder{holder}, false},
		"unused holder":     {"box", HolderNever, []recipe.Holder{holder}, true},
		"jobs of a cluster": {"slurm:box", HolderAsk, []recipe.Holder{holder}, true},
	} {
		b := New(withSettings(HostSettings{Holder: tc.setting}))
		defer b.Close()
		host := recipe.Host{Programs: recipe.Programs{Holders: tc.holders}}
		k := checker{b: b, host: tc.host, conn: &conn.Conn{Host: host}}
		if lacks := k.scriptsLack(); (len(lacks) > 0) != tc.lacks {
			t.Errorf("%s: %q", name, lacks)
		}
	}
}

// A host whose logind kills a session's processes at logout is recognized, unless the account is
// exempt.
func TestCheckReportsKillUserProcesses(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	real, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	group, spared := filepath.Join(bin, "group"), filepath.Join(bin, "spared")
	for name, script := range map[string]string{
		"cat":    `[ "$*" != /proc/self/cgroup ] || set -- ` + group + "\nexec " + real + ` "$@"`,
		"busctl": `case $5 in *Processes) echo "b true" ;; *Exclude*) exec cat ` + spared + ` ;; *) echo "as 0" ;; esac`,
		"id":     "echo ann",
	} {
		file := filepath.Join(bin, name)
		testtool.WriteScript(t, file, script)
	}
	env := append(remoteEnv(t), "PATH="+bin+":"+os.Getenv("PATH"))
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = env })
	c := sshtest.ClientOf(t, "box", s)
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	for _, tc := range []struct {
		group, spared string
		ends          bool
	}{
		{"0::/user.slice/user-1000.slice/session-3.scope", `as 1 "root"`, true},
		{"0::/user.slice/user-1000.slice/session-3.scope", `as 2 "root" "ann"`, false},
		{"0::/system.slice/ssh.service", `as 1 "root"`, false},
	} {
		sshtest.Write(t, group, tc.group+"\n")
		sshtest.Write(t, spared, tc.spared+"\n")
		var tools Step
		ok := b.Check(t.Context(), "box", func(s Step) {
			if s.Name == "tools" {
				tools = s
			}
		})
		if !ok || strings.Contains(tools.Text, "KillUserProcesses=yes") != tc.ends {
			t.Errorf("%+v: %+v", tc, tools)
		}
	}
}

// failedStep expects the check of the host box to fail and returns its last step.
func failedStep(t *testing.T, b *Backend) (last Step) {
	t.Helper()
	if b.Check(t.Context(), "box", func(s Step) { last = s }) {
		t.Error("the check passed")
	}
	return last
}

// The job of a check is kept where those of the host are.
func TestCheckTriesTheStateDir(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	sshtest.Write(t, file, "")
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = remoteEnv(t) })
	c := sshtest.ClientOf(t, "box", s)
	b := New(WithConfigFile(c.ConfigFile), withSettings(HostSettings{StateDir: file}))
	defer b.Close()
	want := "cannot create the directory " + file + "/jobs: Not a directory"
	if last := failedStep(t, b); last.Name != "job" || !strings.HasSuffix(last.Text, want) {
		t.Errorf("no directory can be created there: last step %+v, want %q", last, want)
	}
}

// What the start-up files of the login shell print, and how long they take, does not
// affect jobs.
func TestStartUpFilesOfTheLoginShell(t *testing.T) {
	t.Parallel()
	for name, profile := range map[string]string{
		"prints":                   "echo Welcome; echo 'and so on' >&2; printf 'no line feed'",
		"prints much":              "head -c 100000 /dev/zero | tr '\\0' x",
		"takes its time":           "sleep 0.3; echo ready",
		"leaves something running": "sleep 2 & echo $!",
		"sets odd options":         "set -u; umask 0; cd /; IFS=x; export IFS; alias ls='ls --color'; CDPATH=/; export CDPATH",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			login := filepath.Join(t.TempDir(), "login")
			testtool.WriteScript(t, login, profile+"\nexec /bin/sh \"$@\"")
			r := newRig(t, func(s *sshtest.Server) { s.Shell = login })
			j := r.start("echo out; exit 7")
			if exit := r.wait(j.ID); exit.Code == nil || *exit.Code != 7 || r.read(j.ID) != "out\n" {
				t.Errorf("exit %+v, output %q", exit, r.read(j.ID))
			}
		})
	}
}

// Start-up files that prevent commands from running are reported as the cause.
func TestStartUpFilesThatPreventCommands(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]string{
		"echo this account has expired; exit 1":                      "this account has expired",
		"echo open terminal failed: not a terminal >&2; exit 1":      "not a terminal",
		"exec echo fatal: Interactive git shell is not enabled. >&2": "git shell",
		"exec cat >/dev/null <&-":                                    "sh does not respond",
	} {
		login := filepath.Join(t.TempDir(), "login")
		testtool.WriteScript(t, login, profile)
		s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Shell = remoteEnv(t), login })
		c := sshtest.ClientOf(t, "box", s)
		b := New(WithConfigFile(c.ConfigFile))
		if last := failedStep(t, b); last.Name != "shell" || !strings.Contains(last.Text, want) || !strings.Contains(last.Hint, "run sh") {
			t.Errorf("%s: last step %+v", profile, last)
		}
		b.Close()
	}
}

// A connection that breaks during the check is not attributed to the account.
func TestCheckOfAConnectionThatBreaks(t *testing.T) {
	login := filepath.Join(t.TempDir(), "login")
	begun := filepath.Join(t.TempDir(), "begun")
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	testtool.WriteScript(t, login, "echo >"+begun+"\nexec cat")
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Shell = remoteEnv(t), login })
	c := sshtest.ClientOf(t, "box", s)
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	cut := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(begun)
		s.Cut()
		cut <- err
	}()
	if last := failedStep(t, b); last.Name != "shell" || !strings.Contains(last.Hint, "broke") {
		t.Errorf("last step %+v", last)
	}
	if err := <-cut; err != nil {
		t.Error(err)
	}
}

// An account that runs no shell is distinguished from one that is refused.
func TestCheckOfAnAccountWithoutShell(t *testing.T) {
	t.Parallel()
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Shell = remoteEnv(t), "echo" })
	c := sshtest.ClientOf(t, "box", s)
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	if last := failedStep(t, b); last.Name != "shell" || !strings.Contains(last.Text, shell.Command) || !strings.Contains(last.Hint, "run sh") {
		t.Errorf("last step %+v", last)
	}
}
