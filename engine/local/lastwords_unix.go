//go:build linux || darwin

package local

import (
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

// openLastWords makes standard error the lock of the job in dir, so that a holder
// that fails leaves its reason there. Without that it stays as it is.
func openLastWords(dir string) {
	f, err := plainfile.OpenFile(filepath.Join(dir, jobdir.LockFile), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	defer f.Close()
	_ = redirect(int(f.Fd()), 2)
}
