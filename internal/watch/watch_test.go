package watch_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobjobs/hob/internal/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func told(t *testing.T, w *watch.Watcher, what string) {
	t.Helper()
	select {
	case <-w.C:
	case <-time.After(20 * time.Second):
		t.Fatalf("not told of %s", what)
	}
}

func TestChangesAreTold(t *testing.T) {
	dir := t.TempDir()
	w := watch.Dir(dir)
	defer w.Close()
	sub := filepath.Join(dir, "a")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	told(t, w, "a new entry")
	if err := os.Rename(sub, filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	told(t, w, "a rename")
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	told(t, w, "a removal")
}

func TestADirectoryThatComesLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	w := watch.Dir(dir)
	defer w.Close()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	told(t, w, "the directory")
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	told(t, w, "an entry in it")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	told(t, w, "its removal")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	told(t, w, "its return")
}

func TestCloseEndsTheChannel(t *testing.T) {
	w := watch.Dir(t.TempDir())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for range w.C { // ends
	}
	if err := w.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}
