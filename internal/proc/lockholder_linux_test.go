package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// The processes that a program with a lock runs have the lock, too. The program is named, not one of them.
func TestLockHolderIsTheOldest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), "sleep", "1000")
	child.ExtraFiles = []*os.File{f}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	if p, ok := LockHolder(path); !ok || p.PID != os.Getpid() {
		t.Errorf("the lock is held by %d, %t; want %d", p.PID, ok, os.Getpid())
	}
}

// Numbers of processes begin again at the lowest, so a younger process may have a lower one.
func TestOldestFirst(t *testing.T) {
	procs := oldestFirst([]Process{{PID: 301, Start: 900}, {PID: 302, Start: 700}, {PID: 32760, Start: 700}, {PID: 400, Start: 100}})
	var got []int
	for _, p := range procs {
		got = append(got, p.PID)
	}
	if want := []int{400, 302, 32760, 301}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
