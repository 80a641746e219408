package watch_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
	"github.com/hobjobs/hob/internal/watch"
)

func TestMain(m *testing.M) { os.Exit(testtool.RunWithoutLeaks(m)) }

func waitForChange(t *testing.T, w *watch.Watcher, what string) {
	t.Helper()
	select {
	case <-w.C:
	case <-time.After(time.Minute):
		t.Fatalf("%s: no notification", what)
	}
}

func TestDirReportsChanges(t *testing.T) {
	dir := t.TempDir()
	w := watch.Dir(dir)
	defer w.Close()
	sub := filepath.Join(dir, "a")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	waitForChange(t, w, "a new entry")
	if err := os.Rename(sub, filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	waitForChange(t, w, "a rename")
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	waitForChange(t, w, "a removal")
}

func TestDirReportsDirectoryCreatedLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	w := watch.Dir(dir)
	defer w.Close()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	waitForChange(t, w, "the directory")
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	waitForChange(t, w, "an entry in it")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	waitForChange(t, w, "its removal")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	waitForChange(t, w, "its second creation")
}

func TestCloseClosesTheChannel(t *testing.T) {
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

func TestFilesReportsWrites(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := watch.Files(dir)
	defer w.Close()
	if _, err := f.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-w.C:
	case <-time.After(time.Minute):
		t.Error("no notification")
	}
}
