package jobdir_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// On a full disk only a part of an entry is written. Later entries must be readable.
func TestTimesAfterPartialWrite(t *testing.T) {
	dir := t.TempDir()
	w, err := jobdir.CreateTimes(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	began, size := time.UnixMilli(1_700_000_000_000), record.Size{Cols: 80, Rows: 24}
	add := func(i int) error {
		return w.Add(int64(i)*1000, began.Add(time.Duration(i)*time.Second), size)
	}
	for i := range 10 {
		if err := add(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := withFileLimit(t, filepath.Join(dir, jobdir.TimesFile), 2, func() error { return add(10) }); err == nil {
		t.Fatal("the entry was not cut")
	}
	const many = 5000 // more than a block
	for i := 11; i < many; i++ {
		if err := add(i); err != nil {
			t.Fatal(err)
		}
	}
	r, err := jobdir.OpenTimes(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := 11; i < many; i += 7 {
		m, ok := r.At(int64(i)*1000 + 1)
		if want := began.Add(time.Duration(i) * time.Second); !ok || !m.At.Equal(want) {
			t.Fatalf("entry %d is of %v, %v; want %v", i, m.At, ok, want)
		}
	}
}

// withFileLimit calls f while this process can write files only up to the size of the file
// at path plus more bytes.
func withFileLimit(t *testing.T, path string, more int64, f func() error) error {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	limit := unix.Rlimit{Cur: uint64(fi.Size() + more), Max: old.Max}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
			t.Error(err)
		}
	}()
	return f()
}
