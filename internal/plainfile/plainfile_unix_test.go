//go:build unix

package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, content string) {
		if err := os.WriteFile(at(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("short", "words")
	write("full", strings.Repeat("x", 100))
	write("empty", "")
	write("long", strings.Repeat("x", 101))
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("short"), at("link")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		path, want string
		err        error
	}{
		{at("short"), "words", nil},
		{at("link"), "", ErrNotPlain},
		{at("full"), strings.Repeat("x", 100), nil},
		{at("empty"), "", nil},
		{at("long"), "", ErrTooLong},
		{at("missing"), "", fs.ErrNotExist},
		{at("pipe"), "", ErrNotPlain},
		{dir, "", ErrNotPlain},
		{"/dev/zero", "", ErrNotPlain},
	} {
		got, err := Read(tc.path, 100)
		if string(got) != tc.want || !errors.Is(err, tc.err) || (err != nil) != (tc.err != nil) {
			t.Errorf("Read(%s) = %d bytes, %v; want %d bytes, %v", filepath.Base(tc.path), len(got), err, len(tc.want), tc.err)
		}
	}
}

// A file of /proc says that it is empty and is not: its content ends where
// reading it does.
func TestReadOfAFileThatHidesItsSize(t *testing.T) {
	const path = "/proc/self/status"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no /proc here")
	}
	if got, err := Read(path, 64<<10); err != nil || !strings.Contains(string(got), "Pid:") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Read(path, 20); !errors.Is(err, ErrTooLong) {
		t.Errorf("bounded: %v", err)
	}
}
