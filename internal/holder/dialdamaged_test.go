//go:build linux || darwin

package holder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Without a usable state.json a holder cannot be found, and the client learns at once what is wrong
// with the file.
func TestDialWithDamagedState(t *testing.T) {
	for name, tc := range map[string]struct {
		replace func(path string) error
		says    string
	}{
		"pipe": {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "state.json: not a regular file"},
		"socket": {func(path string) error {
			fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err == nil {
				err = errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Close(fd))
			}
			return err
		}, "state.json: not a regular file"},
		"directory": {func(path string) error { return os.Mkdir(path, 0o700) }, "state.json: not a regular file"},
		"link":      {func(path string) error { return os.Symlink("/dev/zero", path) }, "state.json: not a regular file"},
		"empty":     {func(path string) error { return os.WriteFile(path, nil, 0o600) }, "state.json: unexpected end of JSON input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newOpened(t, Config{})
			if err := h.Listen(); err != nil {
				t.Fatal(err)
			}
			if err := h.Started(startSleeper(t, false), 0, time.Now(), time.Time{}); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(h.cfg.Dir, jobdir.StateFile)
			if err := errors.Join(os.Remove(path), tc.replace(path)); err != nil {
				t.Fatal(err)
			}
			_, err := Dial(t.Context(), h.cfg.Dir)
			if !errors.Is(err, ErrNoSocket) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}
