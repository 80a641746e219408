//go:build unix

package jobdir

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// An index that is not what it should be makes nobody wait and costs no memory. The
// next compaction makes room for another one.
func TestIndexThatIsNoPlainFile(t *testing.T) {
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
			_ = r.AddToIndex(full("a-22222")) // it may say that it cannot, and says it at once
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
