package logfile

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// blocks returns the number of bytes that a file occupies on disk.
func blocks(t *testing.T, path string) int64 {
	t.Helper()
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

// Writes to /dev/full fail as on a full disk. Later its descriptor is replaced by that of a
// real file, as if disk space had been freed.
func TestWriterOnFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	w, err := NewWriter(full, Config{Limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"lost ", "too"} {
		if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatalf("Write = %d, %v; a full disk must not reach the caller", n, err)
		}
	}
	st := w.Stats()
	if st.Lost != 8 || st.Size != 0 {
		t.Errorf("stats = %+v, want 8 bytes lost to ENOSPC", st)
	}

	log := appendTo(t, false)
	if err := syscall.Dup3(int(log.Fd()), int(full.Fd()), syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, "kept\n")
	if st := w.Stats(); st.Lost != 8 || st.Size != 5 {
		t.Errorf("stats = %+v, want 8 lost and 5 written", st)
	}
	if got, _ := os.ReadFile(log.Name()); string(got) != "kept\n" {
		t.Errorf("log = %q", got)
	}
}
