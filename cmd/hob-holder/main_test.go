package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// maxInit is how many bytes the package initialization of this module may allocate in a holder. There
// is one holder for each job, so a table that is built at the start costs its memory once a job.
const maxInit = 1 << 10

var traced = regexp.MustCompile(`(?m)^init (github\.com/hobjobs/\S+) .* (\d+) bytes, \d+ allocs$`)

func TestHolderInitializesLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: compiles hob-holder")
	}
	program := filepath.Join(t.TempDir(), "hob-holder")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program) // it exits: nothing is sent to it
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, _ := cmd.CombinedOutput() // it fails for the same reason
	all := traced.FindAllSubmatch(out, -1)
	if len(all) == 0 {
		t.Fatalf("no trace:\n%s", out)
	}
	sum := 0
	for _, m := range all {
		n, err := strconv.Atoi(string(m[2]))
		if err != nil {
			t.Fatal(err)
		}
		if sum += n; n > maxInit/2 {
			t.Errorf("package %s allocates %d bytes", m[1], n)
		}
	}
	if sum > maxInit {
		t.Errorf("our packages allocate %d bytes, want at most %d:\n%s", sum, maxInit, out)
	}
}
