//go:build linux || darwin

package jobdir

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHolds(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, MetaFile), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	holder, slow, fast := NewHolds(dir), NewHolds(dir), NewHolds(dir)
	defer holder.Close()
	first := func(name string, want int64) {
		t.Helper()
		if got := holder.FirstHeld(name, 100, 200); got != want {
			t.Errorf("%s: the first byte held is %d, want %d", name, got, want)
		}
	}
	hold := func(h *Holds, name string, off int64) {
		t.Helper()
		if err := h.Hold(name, off); err != nil {
			t.Fatal(err)
		}
	}
	first(StdoutFile, 200)
	hold(fast, StdoutFile, 0)
	hold(slow, StdoutFile, 0)
	first(StdoutFile, 100)
	first(StderrFile, 200)
	hold(fast, StdoutFile, 170)
	hold(slow, StdoutFile, 130)
	hold(slow, StdoutFile, 110) // an offset before the last one
	hold(slow, StderrFile, 150)
	first(StdoutFile, 130)
	first(StderrFile, 150)
	slow.Close()
	first(StdoutFile, 170)
	first(StderrFile, 200)
	fast.Close()
	first(StdoutFile, 200)
}
