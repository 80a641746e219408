//go:build unix

package plainfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
		{at("link"), "", ErrNotRegular},
		{at("full"), strings.Repeat("x", 100), nil},
		{at("empty"), "", nil},
		{at("long"), "", ErrTooLong},
		{at("missing"), "", fs.ErrNotExist},
		{at("pipe"), "", ErrNotRegular},
		{dir, "", ErrNotRegular},
		{"/dev/zero", "", ErrNotRegular},
	} {
		got, err := Read(tc.path, 100)
		if string(got) != tc.want || !errors.Is(err, tc.err) || (err != nil) != (tc.err != nil) {
			t.Errorf("Read(%s) = %d bytes, %v; want %d bytes, %v", filepath.Base(tc.path), len(got), err, len(tc.want), tc.err)
		}
	}
}

// A file that a user named may be a link, and the null device stands for none.
func TestReadLinked(t *testing.T) {
	dir := t.TempDir()
	plain, pipe, link := filepath.Join(dir, "plain"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	long, zero, toPipe := filepath.Join(dir, "long"), filepath.Join(dir, "zero"), filepath.Join(dir, "toPipe")
	if err := errors.Join(
		os.WriteFile(plain, []byte("words"), 0o600), os.WriteFile(long, make([]byte, 101), 0o600), syscall.Mkfifo(pipe, 0o600),
		os.Symlink(plain, link), os.Symlink("/dev/zero", zero), os.Symlink(pipe, toPipe)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		text string
		err  error
	}{
		plain: {"words", nil}, link: {"words", nil}, os.DevNull: {"", nil}, pipe: {"", ErrNotRegular}, toPipe: {"", ErrNotRegular},
		zero: {"", ErrNotRegular}, dir: {"", ErrNotRegular}, long: {"", ErrTooLong}, link + "s": {"", fs.ErrNotExist},
	} {
		got, err := ReadLinked(path, 100)
		if string(got) != want.text || !errors.Is(err, want.err) || (err != nil) != (want.err != nil) {
			t.Errorf("ReadLinked(%s) = %q, %v; want %q, %v", filepath.Base(path), got, err, want.text, want.err)
		}
	}
}

// However a file is opened, only a regular file is accepted, and no open blocks.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	plain, pipe, link := filepath.Join(dir, "plain"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(plain, []byte("words"), 0o600), syscall.Mkfifo(pipe, 0o600), os.Symlink(plain, link)); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(string) (io.Closer, error){
		"Open":             func(p string) (io.Closer, error) { return Open(p) },
		"OpenFile, both":   func(p string) (io.Closer, error) { return OpenFile(p, os.O_RDWR, 0) },
		"OpenFile, at end": func(p string) (io.Closer, error) { return OpenFile(p, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600) },
	} {
		for path, want := range map[string]error{plain: nil, pipe: ErrNotRegular, link: ErrNotRegular, "/dev/zero": ErrNotRegular} {
			f, err := open(path)
			if err == nil {
				err = f.Close()
			}
			if name == "OpenFile, at end" && path == pipe && errors.Is(err, syscall.ENXIO) {
				continue // it has no reader
			}
			if !errors.Is(err, want) {
				t.Errorf("%s(%s): %v, want %v", name, filepath.Base(path), err, want)
			}
		}
	}
}

// A file of /proc reports size 0 but has content: the content ends where reading it returns EOF.
func TestReadOfProcFile(t *testing.T) {
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

// A file that is too long is not read to find that out.
func TestLongFileIsNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40)); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Read(path, 64<<20); !errors.Is(err, ErrTooLong) {
		t.Errorf("read: %v", err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}
