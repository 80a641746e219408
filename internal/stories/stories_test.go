//go:build unix

package stories_test

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hobjobs/hob/internal/storytest"
)

func TestMain(m *testing.M) { storytest.Main(m) }

// TestScripts runs the stories in testdata/script.
func TestScripts(t *testing.T) {
	storytest.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script")})
}
