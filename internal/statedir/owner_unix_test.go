//go:build unix

package statedir

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/internal/plainfile"
)

func TestDirectoryOfAnotherUser(t *testing.T) {
	if err := explainOwner("/x", nil); err != nil {
		t.Errorf("same user: %v", err)
	}
	for self, hint := range map[int]string{0: "sudo -H", 1234: "HOB_STATE_DIR"} {
		err := explainOwner("/x", &plainfile.OwnerError{Owner: 54321, User: self})
		re := (*RootError)(nil)
		if !errors.As(err, &re) || !strings.Contains(re.Hint, hint) || !strings.Contains(err.Error(), "/x: belongs to user 54321, not to ") || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("as %d: %v", self, err)
		}
	}
}

func TestHintOfFullDisk(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		syscall.ENOSPC: "free disk space",
		syscall.EDQUOT: "free disk space",
		syscall.EACCES: "write to",
	} {
		re := (*RootError)(nil)
		if got := unusable("/x", &fs.PathError{Op: "open", Path: "/x", Err: err}); !errors.As(got, &re) || !strings.Contains(re.Hint, want) {
			t.Errorf("%v: %+v", err, re)
		}
	}
}

// A umask that removes the owner's own permissions creates directories that only root can
// use. The hint names this cause.
func TestHintOfDirectoryThatDeniesItsOwner(t *testing.T) {
	t.Parallel()
	refused := &fs.PathError{Op: "mkdir", Path: "jobs", Err: syscall.EACCES}
	for mode, want := range map[fs.FileMode]string{0: "umask", 0o100: "umask", 0o700: "write to"} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		re := (*RootError)(nil)
		if got := unusable(dir, refused); !errors.As(got, &re) || !strings.Contains(re.Hint, want) {
			t.Errorf("mode %o: %+v", mode, re)
		}
		if err := os.Chmod(dir, 0o700); err != nil { // so that it can be removed
			t.Fatal(err)
		}
	}
}
