package stage

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

// firstEdition is the commit of hob's first edition. Later versions must be able to read, write
// to and end its jobs.
const firstEdition = "3d94a51"

// FirstEdition builds hob's first edition from this repository's history and returns the path of hob,
// with its hob-holder beside it. In a checkout without the history the test is skipped, except in CI.
func FirstEdition(t testing.TB) string {
	t.Helper()
	return buildCommit(t, firstEdition)
}

// buildCommit builds hob and hob-holder at a commit and returns the path of hob. In a checkout
// without that commit, the test is skipped, except in CI.
func buildCommit(t testing.TB, commit string) string {
	t.Helper()
	testtool.Need(t, "git", "tar", "flock")
	if err := exec.Command("git", "cat-file", "-e", commit+"^{commit}").Run(); err != nil {
		testtool.Missing(t, "needs commit "+commit+" in the history")
	}
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Fatal(err)
	}
	checkout, dir := strings.TrimSpace(string(top)), t.TempDir()
	extract := exec.Command("sh", "-c", `cd "$2" && git archive "$0" | tar -x -C "$1"`, commit, dir, checkout)
	if out, err := extract.CombinedOutput(); err != nil {
		t.Fatalf("extract %s: %v\n%s", commit, err, out)
	}
	bin := filepath.Join(dir, "built")
	for try := 1; ; try++ { // its modules are downloaded, which may fail
		// One at a time: tests of two packages need it, and the second finds everything compiled.
		build := exec.Command("flock", checkout, "go", "build", "-buildvcs=false", "-trimpath", "-o", bin+string(os.PathSeparator), ".", "./cmd/hob-holder")
		build.Dir = dir
		out, err := build.CombinedOutput()
		if err == nil {
			return filepath.Join(bin, "hob")
		}
		if try == 3 {
			t.Fatal(fmt.Errorf("build %s: %w\n%s", commit, err, out))
		}
	}
}
