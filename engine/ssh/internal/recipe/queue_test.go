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
		{"unanswered", "squeue() { echo 'squeue: error: no route' >&2; return 1; }", "no no route\n"},
		{"directory that cannot be written", "cd ..; rmdir jobs", "now\nours|hob-t\n"},
	} {
		for _, sh := range shells {
			path, err := exec.LookPath(sh)
			if err != nil {
				continue // the tests of requests name the shells that are missing
			}
			base := filepath.Join(t.TempDir(), "jobs")
			if err := os.Mkdir(base, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(path)
			if sh == "busybox" {
				cmd.Args = append(cmd.Args, "sh")
			}
			cmd.Stdin = strings.NewReader(ClusterPrelude() + `
squeue() { echo '|hob-else'; echo 'ours|hob-t'; }
cd ` + Quote(base) + "\n" + c.before + "\n" + Queue(base, 10*time.Second) + " | sed '1s/^[0-9][0-9]*$/now/' | grep -v else\n" +
				"[ ! -d .squeue.lock ] || echo locked\n")
			out, err := cmd.CombinedOutput()
			if err != nil || string(out) != c.want {
				t.Errorf("%s, %s: the answer is %q, %v; want %q", c.name, sh, out, err, c.want)
			}
		}
	}
}
