//go:build unix

package statedir

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// An index that is not a regular file must not block readers or exhaust their memory. The
// next compaction deletes it.
func TestIndexIsNotARegularFile(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"pipe":           func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"endless device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"directory":      func(path string) error { return os.Mkdir(path, 0o700) },
		"a terabyte": func(path string) error {
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			defer f.Close()
			return f.Truncate(1 << 40)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := madeRoot(t)
			if err := replace(filepath.Join(r.path, indexName)); err != nil {
				t.Fatal(err)
			}
			if n := r.Index().Len(); n != 0 {
				t.Errorf("it has %d jobs", n)
			}
			_ = r.AddToIndex(full("a-22222")) // may fail, but must not block
			if err := r.compactIndex(func(string) bool { return true }); err != nil {
				t.Fatal(err)
			}
			if err := r.AddToIndex(full("b-22222")); err != nil {
				t.Fatal(err)
			}
			if r.Index().Find("b-22222") == nil {
				t.Error("what was added afterwards is not there")
			}
		})
	}
}
