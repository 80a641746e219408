//go:build unix

package recipe

import (
	"os/exec"
	"strings"
	"testing"
)

func TestWrapperWaitsUntilRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	for _, sh := range []string{"sh", "bash"} {
		dir := t.TempDir() + "/a job"
		run := func(script string) string {
			t.Helper()
			c := exec.Command(sh)
			c.Stdin = strings.NewReader(ClusterPrelude() + "\nh_d=" + Quote(dir) + "\nmkdir -p \"$h_d\"\n" + script)
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v: %s", sh, err, out)
			}
			return string(out)
		}
		if got := run(WasAsked(dir, "m")); got != "no\n" {
			t.Errorf("%s: before the request: %q", sh, got)
		}
		// The answer is received when the wrapper looks for the second time.
		got := run("(\n" + Asked(dir, "m", WasAsked(dir, "m")) + "\n)\n" +
			"nap() {\n" + Received(dir, "m") + "\n}\nslurm_answered; echo $h_turn\n" + WasAsked(dir, "m"))
		if got != "asked\n1\nno\n" {
			t.Errorf("%s: with a request: %q", sh, got)
		}
		// The session of this request has ended before its answer was received.
		run(Asked(dir, "n", "true"))
		if got := run("slurm_answered; echo $h_turn\n" + WasAsked(dir, "n")); got != "0\nasked\n" {
			t.Errorf("%s: with a request of a session that has ended: %q", sh, got)
		}
	}
}
