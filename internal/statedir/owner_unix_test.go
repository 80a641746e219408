//go:build unix

package statedir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/internal/plainfile"
)

func TestDirectoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	owned := func(user int) error { return &plainfile.OwnerError{Owner: 54321, User: user} }
	for _, tc := range []struct {
		name, element string
		err           error
		text, hint    string
	}{
		{"root", "/x/hob", owned(0), "/x/hob: belongs to user 54321, not to ", "sudo -H"},
		{"another user", "/x/hob", owned(1234), "/x/hob: belongs to user 54321, not to ", "HOB_STATE_DIR"},
		{"on the way", "/x", owned(1234), "/x/hob: /x belongs to user 54321, not to ", "HOB_STATE_DIR"},
		{"writable", "/x", plainfile.ErrWritable, "/x/hob: /x can be changed by other users", "chmod go-w /x"},
	} {
		err := untrusted("/x/hob", &plainfile.ElementError{Element: tc.element, Err: tc.err})
		re := (*RootError)(nil)
		if !errors.As(err, &re) || !strings.Contains(re.Hint, tc.hint) {
			t.Errorf("%s: hint of %+v, want %q", tc.name, re, tc.hint)
		}
		if !strings.Contains(err.Error(), tc.text) || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.text)
		}
	}
}

// A directory that is created in one that others may write to could be replaced by them.
func TestDirectoryInOneThatOthersMayWriteTo(t *testing.T) {
	t.Parallel()
	open := filepath.Join(t.TempDir(), "open")
	if err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRoot(filepath.Join(open, "new", "hob")); !errors.Is(err, plainfile.ErrWritable) {
		t.Errorf("opened: %v", err)
	}
	if err := os.Chmod(open, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRoot(filepath.Join(open, "new", "hob"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil { // after it was checked
		t.Fatal(err)
	}
	if err := r.Make(); !errors.Is(err, plainfile.ErrWritable) {
		t.Errorf("created: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(open, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left there: %v", err)
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
