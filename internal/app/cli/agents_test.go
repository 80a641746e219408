package cli

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestServerInDeletedDirectoryHintsAtDir(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory in use cannot be deleted")
	}
	dir, err := os.MkdirTemp("", "hob")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	err = (&app{}).mcp(t.Context(), "")
	if err == nil || !strings.Contains(explain(err).hint, "--dir") || explain(err).exit != exitFailed {
		t.Errorf("%v", err)
	}
}
