//go:build unix

package recipe

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is a command that makes script a program for what follows; see onPath.
func program(name, script string) string {
	return "{ echo '#!/bin/sh'; echo " + Quote(script) + "; } >\"$bin/" + name + "\"; chmod +x \"$bin/" + name + `"`
}

// onPath makes bin a directory of programs.
func onPath(t *testing.T) string {
	return "bin=" + Quote(t.TempDir()) + "\nPATH=$bin:$PATH\n"
}

// A job that Slurm was not asked to end is not shown as being stopped.
func TestCancelThatFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, scancel, want string
		asked               bool
	}{
		{"accepted", "true", "ok\n", true},
		{"refused", "echo 'scancel: error: Access denied' >&2; exit 1", "no Access denied\n", false},
		{"controller that hangs", "exec sleep 60", "no the cluster's controller does not answer\n", false},
	} {
		dir := t.TempDir()
		mark := filepath.Join(dir, "ended_by")
		cmd := exec.Command("sh")
		cmd.Stdin = strings.NewReader(onPath(t) + ClusterPrelude() + "\nh_patience=1\n" + program("scancel", c.scancel) + "\necho '7 1' >" + Quote(dir) + "/slurm\n" + Cancel(dir, "a-b", "cli", "kill") + "\n")
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%s: the answer is %q, %v; want %q", c.name, out, err, c.want)
		}
		if _, err := os.Stat(mark); (err == nil) != c.asked {
			t.Errorf("%s: ended_by: %v", c.name, err)
		}
	}
}

// Each question to Slurm is work for its controller: clients that ask at the same time share one.
func TestClientsShareAnAnswerOfSlurm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, want string // before runs in the directory of the jobs
	}{
		{"first question", "", "now\nours|hob-t\n"},
		{"recent answer", "date +%s >.squeue; echo 'theirs|hob-t' >>.squeue", "now\ntheirs|hob-t\n"},
		{"old answer", "echo 1 >.squeue; echo 'theirs|hob-t' >>.squeue", "now\nours|hob-t\n"},
		{
			"another client asks",
			"mkdir .squeue.lock\nnap() { date +%s >.squeue; echo 'theirs|hob-t' >>.squeue; rmdir .squeue.lock; }",
			"now\ntheirs|hob-t\n",
		},
		{
			"another client was cut off",
			"mkdir .squeue.lock\nnap() { :; }",
			"now\nours|hob-t\n",
		},
		{"unanswered", program("squeue", "echo 'squeue: error: no route' >&2; exit 1"), "no no route\n"},
		{"controller that hangs", program("squeue", "exec sleep 60"), "no the cluster's controller does not answer\n"},
		{
			"controller that hangs, according to squeue",
			program("squeue", "echo 'slurm_load_jobs error: Socket timed out on send/recv operation' >&2; exit 1"),
			"no the cluster's controller does not answer\n",
		},
		{"directory that cannot be written", "cd ..; rmdir jobs", "now\nours|hob-t\n"},
	} {
		for _, sh := range shells {
			t.Run(c.name+"/"+sh, func(t *testing.T) {
				t.Parallel()
				path, err := exec.LookPath(sh)
				if err != nil {
					t.Skip("the tests of requests name the shells that are missing")
				}
				base := filepath.Join(t.TempDir(), "jobs")
				if err := os.Mkdir(base, 0o700); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(path)
				if sh == "busybox" {
					cmd.Args = append(cmd.Args, "sh")
				}
				cmd.Stdin = strings.NewReader(onPath(t) + ClusterPrelude() + "\nh_patience=1\n" +
					program("squeue", "echo '|hob-else'; echo 'ours|hob-t'") + "\ncd " + Quote(base) + "\n" + c.before + "\n" + Queue(base, 10*time.Second) + " | sed '1s/^[0-9][0-9]*$/now/' | grep -v else\n" +
					"[ ! -d .squeue.lock ] || echo locked\n")
				out, err := cmd.CombinedOutput()
				if err != nil || string(out) != c.want {
					t.Errorf("the answer is %q, %v; want %q", out, err, c.want)
				}
			})
		}
	}
}
