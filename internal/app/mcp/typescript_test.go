//go:build unix

package mcp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

// The official TypeScript client shares no code with the SDK of the server, so it detects
// mistakes that both ends of that SDK make alike.
func TestTypeScriptClient(t *testing.T) {
	testtool.Need(t, "node", "npm", "mkfifo", "stty")
	if testing.Short() {
		t.Skip("-short: what it adds is another client")
	}
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "typescript"))); err != nil {
		t.Fatal(err)
	}
	for try := 1; ; try++ { // the registry may be slow
		install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--fetch-retries=5")
		install.Dir = dir
		out, err := install.CombinedOutput()
		if err == nil {
			break
		}
		t.Log(string(out))
		if try == 3 {
			testtool.Missing(t, "needs the packages of testdata/typescript")
		}
	}
	h := newHome(t)
	play := exec.Command("node", filepath.Join(dir, "play.mjs"), os.Args[0])
	play.Dir, play.Env = h.project, h.env
	if out, err := play.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
