//go:build linux || darwin

package local

import (
	"os"
	"path/filepath"

	"github.com/hobjobs/hob/internal/plainfile"
)

// openLastWords makes standard error the holder's log. Without one it stays as it
// is.
func openLastWords(dir string) {
	f, err := plainfile.OpenFile(filepath.Join(dir, holderLog), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_ = redirect(int(f.Fd()), 2)
}

// dropLastWords removes a log in which there is nothing.
func dropLastWords(dir string) {
	path := filepath.Join(dir, holderLog)
	if info, err := os.Lstat(path); err == nil && info.Size() == 0 {
		_ = os.Remove(path)
	}
}
