package watch_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/watch"
)

func TestFilesReportsWhatIsWrittenToThem(t *testing.T) {
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
	case <-time.After(10 * time.Second):
		t.Error("no change is reported")
	}
}
