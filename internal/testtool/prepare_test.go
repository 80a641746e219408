package testtool

import (
	"os"
	"os/exec"
	"testing"
)

func TestPrepareRestoresIgnoredSignals(t *testing.T) {
	const inside = "HOB_TEST_IGNORED"
	if os.Getenv(inside) != "" {
		Prepare()
		out, err := exec.Command("sh", "-c", "for s in HUP INT QUIT; do trap \"echo $s\" $s; kill -$s $$; done").Output()
		if err != nil || string(out) != "HUP\nINT\nQUIT\n" {
			t.Errorf("a shell traps %q (%v), want HUP, INT and QUIT", out, err)
		}
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `trap '' HUP INT QUIT; exec "$0" -test.run "$1"`, exe, "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), inside+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
