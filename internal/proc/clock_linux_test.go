package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

func TestParseOffsets(t *testing.T) {
	got := parseOffsets("monotonic     1000000         5\nboottime            -2         0\n")
	if want := (clockOffsets{running: 1_000_000*time.Second + 5, sinceBoot: -2 * time.Second}); got != want {
		t.Errorf("offsets %v, want %v", got, want)
	}
	if got := parseOffsets("something new\nmonotonic many 0\n"); got != (clockOffsets{}) {
		t.Errorf("of invalid input: %v", got)
	}
}

// TestClocksInTimeNamespace reads the clocks, and the start of a process, in a time namespace that is
// years ahead.
func TestClocksInTimeNamespace(t *testing.T) {
	if os.Getenv("HOB_TEST_CLOCKS") != "" {
		os.Stdout.WriteString("clocks " + strconv.FormatInt(int64(RunningAt(time.Now())), 10) + " " + strconv.FormatInt(int64(SinceBoot()), 10) + "\n")
		parent, err := IdentityOf(1)
		os.Stdout.WriteString(fmt.Sprintln("first", parent.Start, err))
		return
	}
	testtool.NeedRoot(t)
	testtool.Need(t, "unshare")
	before, beforeBoot := RunningAt(time.Now()), SinceBoot()
	cmd := exec.Command("unshare", "--fork", "--time", "--monotonic", "100000000", "--boottime", "200000000",
		os.Args[0], "-test.run", "^TestClocksInTimeNamespace$")
	cmd.Env = append(os.Environ(), "HOB_TEST_CLOCKS=yes")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("no time namespace: %v: %s", err, out)
	}
	after, afterBoot := RunningAt(time.Now()), SinceBoot()
	first, err := IdentityOf(1)
	if want := fmt.Sprintln("first", first.Start, err); !strings.Contains(string(out), want) {
		t.Errorf("process 1 has another identity there: %s, want %s", out, want)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[0] != "clocks" {
			continue
		}
		running, _ := strconv.ParseInt(f[1], 10, 64)
		boot, _ := strconv.ParseInt(f[2], 10, 64)
		if r, b := time.Duration(running), time.Duration(boot); r < before || r > after || b < beforeBoot || b > afterBoot {
			t.Errorf("there %v and %v, here %v to %v and %v to %v", r, b, before, after, beforeBoot, afterBoot)
		}
		return
	}
	t.Errorf("no clocks in output %q", out)
}
