//go:build unix

package jobdir

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestOwners(t *testing.T) {
	if err := ownedBy("/x", 1000, 1000); err != nil {
		t.Errorf("our own: %v", err)
	}
	for self, hint := range map[int]string{0: "sudo -H", 1234: "HOB_STATE_DIR"} {
		err := ownedBy("/x", 54321, self)
		re := (*RootError)(nil)
		if !errors.As(err, &re) || !strings.Contains(re.Hint, hint) || !strings.Contains(err.Error(), "user 54321") || !strings.Contains(err.Error(), userName(self)) {
			t.Errorf("as %d: %v", self, err)
		}
	}
}

func TestAFullDiskIsNoMatterOfRights(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		syscall.ENOSPC: "make room",
		syscall.EDQUOT: "make room",
		syscall.EACCES: "write to",
	} {
		re := (*RootError)(nil)
		if got := unusable("/x", &fs.PathError{Op: "open", Path: "/x", Err: err}); !errors.As(got, &re) || !strings.Contains(re.Hint, want) {
			t.Errorf("%v: %+v", err, re)
		}
	}
}
