package session

import (
	"os"
	"path/filepath"
	"testing"
)

func TestProjectOf(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := projectOf(deep); got != deep {
		t.Errorf("without git: %s", got)
	}
	if err := os.WriteFile(filepath.Join(root, "a", ".git"), []byte("gitdir: elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := projectOf(deep); got != filepath.Join(root, "a") {
		t.Errorf("in a work tree: %s", got)
	}
}
