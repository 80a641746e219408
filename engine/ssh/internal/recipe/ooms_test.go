//go:build unix

package recipe

import (
	"os/exec"
	"strings"
	"testing"
)

// The kernel's count is one of the job only if Slurm has made a control group for it.
func TestKillsForMemoryAreThoseOfTheJob(t *testing.T) {
	t.Parallel()
	for group, want := range map[string]string{
		"4:memory:/slurm_n1/uid_0/job_7/step_batch/task_0":                            "3",
		"0::/system.slice/slurmstepd.scope/job_7/step_batch/user/task_0":              "3",
		"0::/system.slice/slurmstepd.scope/job_77/step_batch/user/task_0":             "0",
		"0::/system.slice/slurmd.service":                                             "0",
		"5:cpu:/job_7/step_batch\n4:memory:/system.slice/slurmd.service\n0::/unified": "0",
	} {
		script := ClusterPrelude() + "\ncat() { echo " + Quote(group) + "; }\ngrep() { echo oom_kill 3; }\nSLURM_JOB_ID=7; ooms; echo $h_OOMS"
		c := exec.Command("sh")
		c.Stdin = strings.NewReader(script)
		if out, err := c.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %q, %v, want %s", group, out, err, want)
		}
	}
}
