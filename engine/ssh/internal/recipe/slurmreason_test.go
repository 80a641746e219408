//go:build unix

package recipe

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// On a busy node Slurm writes why it ends a job only after it has sent the signal. The record of the end has the
// reason nevertheless, unless a client of hob has ended the job.
func TestReasonThatSlurmWritesLate(t *testing.T) {
	t.Parallel()
	const limit = "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***"
	for name, tc := range map[string]struct{ before, output, want string }{
		"in time":                  {"", limit, "timeout slurm"},
		"late":                     {"kill slurm 1 0", limit, "timeout slurm"},
		"by scancel":               {"kill slurm 1 0", "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 ***", "kill slurm"},
		"no reason":                {"kill slurm 1 0", "", "kill slurm"},
		"a client has ended it":    {"kill cli 1 0", limit, "kill cli"},
		"it ended by itself":       {"", "", ""},
		"another reason was known": {"preempted slurm 1 0", limit, "preempted slurm"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ended := filepath.Join(dir, "ended_by")
			if tc.before != "" {
				if err := os.WriteFile(ended, []byte(tc.before+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "slurm.out"), []byte(tc.output+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			c := exec.Command("sh")
			c.Stdin = strings.NewReader(ClusterPrelude() + "\nooms() { h_OOMS=0; }\nh_d=" + Quote(dir) + " h_rc=143 h_signaled=\nslurm_end")
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			got, err := os.ReadFile(ended)
			if err != nil && tc.want != "" {
				t.Fatal(err)
			}
			if words := strings.Fields(string(got)); strings.Join(words[:min(2, len(words))], " ") != tc.want {
				t.Errorf("ended by %q, want %q", got, tc.want)
			}
		})
	}
}
