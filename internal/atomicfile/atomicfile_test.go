package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWriteAndCreate(t *testing.T) {
	type writer func(string, []byte, ...Option) error
	tests := map[string]struct {
		write   writer
		before  string // existing content; "" is no file
		opts    []Option
		want    string
		mode    fs.FileMode
		wantErr error
	}{
		"write makes a file":            {write: Write, want: "new", mode: 0o600},
		"write replaces":                {write: Write, before: "old", want: "new", mode: 0o600},
		"write flushed":                 {write: Write, before: "old", opts: []Option{Sync()}, want: "new", mode: 0o600},
		"create makes a file":           {write: Create, want: "new", mode: 0o600},
		"create flushed":                {write: Create, opts: []Option{Sync()}, want: "new", mode: 0o600},
		"create leaves what is there":   {write: Create, before: "old", want: "old", mode: 0o600, wantErr: fs.ErrExist},
		"create leaves it when flushed": {write: Create, before: "old", opts: []Option{Sync()}, want: "old", mode: 0o600, wantErr: fs.ErrExist},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "state.json")
			if tt.before != "" {
				if err := os.WriteFile(path, []byte(tt.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := tt.write(path, []byte("new"), tt.opts...); !errors.Is(err, tt.wantErr) {
				t.Fatalf("error = %v, want %v", err, tt.wantErr)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("content = %q, want %q", got, tt.want)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if runtime.GOOS != "windows" && info.Mode().Perm() != tt.mode {
				t.Errorf("mode = %v, want %v", info.Mode().Perm(), tt.mode)
			}
			if diff := cmp.Diff([]string{"state.json"}, names(t, dir)); diff != "" {
				t.Errorf("directory (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorsLeaveNoFiles(t *testing.T) {
	t.Run("target is a directory", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "meta.json"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := Write(filepath.Join(dir, "meta.json"), []byte("x")); err == nil {
			t.Error("a directory was replaced by a file")
		}
		if diff := cmp.Diff([]string{"meta.json"}, names(t, dir)); diff != "" {
			t.Errorf("directory (-want +got):\n%s", diff)
		}
	})
	t.Run("no such directory", func(t *testing.T) {
		err := Write(filepath.Join(t.TempDir(), "gone", "meta.json"), nil)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error = %v, want one that matches fs.ErrNotExist", err)
		}
	})
}

// Root writes into any directory, so if the test runs as root, a file in place of the directory
// causes the error.
func TestDirectoryNotWritable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "jobs")
	if os.Geteuid() == 0 {
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	} else if err := os.Mkdir(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "state.json")
	err := Write(path, []byte("x"))
	if err == nil {
		t.Fatal("no error")
	}
	prefix := fmt.Sprintf("write %s: cannot create a file in %s: ", path, dir)
	if got := err.Error(); len(got) <= len(prefix) || got[:len(prefix)] != prefix {
		t.Errorf("error = %q, want it to begin with %q", got, prefix)
	}
}

func TestConcurrentCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claim")
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			switch err := Create(path, fmt.Appendf(nil, "writer %d", i)); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Errorf("loser's error = %v, want fs.ErrExist", err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d writers succeeded, want 1", won.Load())
	}
}

// A reader beside a writer sees one of the contents, complete.
func TestReadersSeeCompleteContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	contents := [][]byte{make([]byte, 64<<10), make([]byte, 8)}
	for i := range contents[0] {
		contents[0][i] = 'a'
	}
	if err := Write(path, contents[0]); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 200 {
			if err := Write(path, contents[i%2]); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 200 {
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(contents[0]) && len(got) != len(contents[1]) {
			t.Fatalf("read %d bytes, a part of a write", len(got))
		}
	}
	wg.Wait()
}

// A reserve becomes the file itself: no new file is created, and none is left over.
func TestWriteUsesReserve(t *testing.T) {
	for name, write := range map[string]func(string, []byte, ...Option) error{"write": Write, "create": Create} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "state.json")
			if err := Reserve(path, 4096); err != nil {
				t.Fatal(err)
			}
			reserve, err := os.Stat(reserveOf(path))
			if err != nil {
				t.Fatal(err)
			}
			if err := write(path, []byte("new"), FromReserve(), Sync()); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil || !os.SameFile(info, reserve) {
				t.Errorf("another file than the reserve was written: %v", err)
			}
			if got, err := os.ReadFile(path); string(got) != "new" {
				t.Errorf("content = %q, %v", got, err)
			}
			if diff := cmp.Diff([]string{"state.json"}, names(t, dir)); diff != "" {
				t.Errorf("directory (-want +got):\n%s", diff)
			}
		})
	}
}

// On a disk that is now full, existing space would not be granted again.
func TestReserveKeepsExistingReserve(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	if err := Reserve(path, 4096); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(reserveOf(path), slices.Repeat([]byte{1}, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		size int
		want byte
	}{{4096, 1}, {4097, 0}} {
		if err := Reserve(path, tt.size); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(reserveOf(path)); err != nil || len(got) < tt.size || got[0] != tt.want {
			t.Errorf("reserve for %d: %d bytes of %d, %v", tt.size, len(got), got[0], err)
		}
	}
}

// A reserve that cannot be written is treated as missing.
func TestBrokenReserve(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	if err := os.Mkdir(reserveOf(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("new"), FromReserve()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); string(got) != "new" {
		t.Errorf("content = %q, %v", got, err)
	}
}
