//go:build linux

package hosts_test

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hobjobs/hob/internal/storytest"
	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/testtool/stage"
)

// TestJobsOfTheFirstEdition runs stories in which the first edition, built from this repository's
// history, starts jobs and this version takes them over.
func TestJobsOfTheFirstEdition(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "sshd", "ssh", "setsid")
	if testing.Short() {
		t.Skip("-short")
	}
	older := stage.FirstEdition(t)
	storytest.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "older"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("OLD", older)
			return setupHosts(env, nil)
		},
	})
}
