//go:build unix

package sshtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BuildHolder builds hob-holder for this machine, and returns its path. That takes seconds, so tests that
// need it are parts of one.
func BuildHolder(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: builds hob-holder")
	}
	file := filepath.Join(t.TempDir(), "hob-holder")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", file, "github.com/hobjobs/hob/cmd/hob-holder")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as in a release: it runs on hosts with another C library
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}
