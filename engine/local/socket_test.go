//go:build linux || darwin

package local_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/hobjobs/hob/engine"
)

func dialRaw(t testing.TB, s started) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", s.state(t).Socket)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSocketIsPrivate(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "sleep 1000"})
	path := s.state(t).Socket
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
}

func TestSocketIsRestored(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: "echo here; read x"})
	s.printed(t, "here")
	for _, remove := range []func(string) error{os.Remove, func(path string) error { return os.RemoveAll(filepath.Dir(path)) }} {
		if err := remove(s.state(t).Socket); err != nil {
			t.Fatal(err)
		}
		if _, err := s.run.Screen(t.Context()); err != nil {
			t.Errorf("screen without the socket: %v", err)
		}
	}
}

func TestSocketIsRemovedWithHolder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "true"})
	s.wait(t)
	path := s.state(t).Socket
	eventually(t, "the socket is removed", func() bool {
		_, err := os.Lstat(path)
		return os.IsNotExist(err)
	})
}

func TestLongStateDir(t *testing.T) {
	t.Setenv("TMPDIR", shortDir(t)) // the place of its socket
	dir := filepath.Join(shortDir(t), "a-directory-with-a-very-long-name-that-leaves-no-room-for-a-socket-of-any-name-whatever-it-is")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p := openPlace(t, filepath.Join(dir, "state"))
	s := p.start(t, engine.Spec{PTY: true, Script: "echo here; read x"})
	s.printed(t, "here")
	if _, err := s.run.Screen(t.Context()); err != nil {
		t.Errorf("screen: %v", err)
	}
}
