//go:build linux

package hosts_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hobjobs/hob/internal/storytest"
	"github.com/hobjobs/hob/internal/testtool"
)

// firstEdition is the commit of hob's first edition. Later versions must be able to read, write
// to and end its jobs.
const firstEdition = "3d94a51"

// TestJobsOfTheFirstEdition runs stories in which the first edition, built from this repository's
// history, starts jobs and this version takes them over.
func TestJobsOfTheFirstEdition(t *testing.T) {
	testtool.Need(t, "git", "tar", "sshd", "ssh", "setsid")
	if testing.Short() {
		t.Skip("-short")
	}
	older := buildCommit(t, firstEdition)
	storytest.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "older"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("OLD", older)
			return setupHosts(env, nil)
		},
	})
}

// buildCommit builds hob and hob-holder at a commit and returns the path of hob. In a checkout
// without that commit, the test is skipped, except in CI.
func buildCommit(t *testing.T, commit string) string {
	t.Helper()
	if err := exec.Command("git", "cat-file", "-e", commit+"^{commit}").Run(); err != nil {
		testtool.Missing(t, "needs commit "+commit+" in the history")
	}
	dir := t.TempDir()
	extract := exec.Command("sh", "-c", `cd "$(git rev-parse --show-toplevel)" && git archive "$0" | tar -x -C "$1"`, commit, dir)
	if out, err := extract.CombinedOutput(); err != nil {
		t.Fatalf("extract %s: %v\n%s", commit, err, out)
	}
	bin := filepath.Join(dir, "built")
	for try := 1; ; try++ { // its modules are downloaded, which may fail
		build := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-o", bin+string(os.PathSeparator), ".", "./cmd/hob-holder")
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
