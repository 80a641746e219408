//go:build unix

package security

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/internal/testtool/stage"
)

// TestFilesArePrivate creates all kinds of files of hob with a permissive and a common umask, and
// checks their modes.
func TestFilesArePrivate(t *testing.T) {
	for _, umask := range []string{"000", "022"} {
		t.Run("umask "+umask, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			hob := func(args ...string) {
				t.Helper()
				cmd := s.Command(args...)
				under := &exec.Cmd{
					Path: "/bin/sh", Dir: cmd.Dir, Env: cmd.Env,
					Args: append([]string{"sh", "-c", `umask ` + umask + `; program=$1; shift; exec "$program" "$@"`, "sh", cmd.Path}, args...),
				}
				if out, err := under.CombinedOutput(); err != nil {
					t.Fatalf("hob %v: %v: %s", args, err, out)
				}
			}
			hob("run", "-b", "-n", "terminal", "-e", "TOKEN=x", "-c", "echo up; exec sleep 1000")
			hob("run", "-b", "-n", "file", "--no-pty", "-c", "echo up; exec sleep 1000")
			hob("run", "-b", "-n", "split", "--split", "-c", "echo up; echo bad >&2; exec sleep 1000")
			hob("run", "-n", "through", "-c", "echo through")
			hob("poll", "--wait", "10s", "terminal")
			hob("wait", "--for", "up", "terminal")
			hob("write", "terminal", "word", "--enter")
			for _, file := range []string{"meta.json", "state.json", "output.log", "times", "lock", "events"} {
				awaitFile(t, s, "terminal-*", file)
			}
			awaitFile(t, s, "split-*", "stderr.log")
			checkPrivate(t, s)
			hob("kill", "--grace", "0s", "terminal", "file", "split")
			hob("list")
			hob("clear", "--finished")
			hob("clear", "--undo")
			awaitFile(t, s, "terminal-*", "exit_code")
			checkPrivate(t, s)
		})
	}
}

func awaitFile(t *testing.T, s *stage.Stage, job, name string) {
	t.Helper()
	err := stage.Eventually(name+" of "+job, func() bool {
		found, _ := filepath.Glob(filepath.Join(s.State, "jobs", job, name))
		return len(found) > 0
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkPrivate checks the owner and the mode of all files of hob.
func checkPrivate(t *testing.T, s *stage.Stage) {
	t.Helper()
	seen := 0
	for _, root := range []string{s.State, filepath.Join(s.Runtime, "hob")} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return nil // it was removed meanwhile
			}
			seen++
			want := fs.FileMode(0o600)
			if d.IsDir() {
				want = 0o700
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("%s has mode %04o, want %04o", path, got, want)
			}
			if st := info.Sys().(*syscall.Stat_t); int(st.Uid) != os.Geteuid() {
				t.Errorf("%s belongs to %d", path, st.Uid)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if seen < 15 {
		t.Errorf("only %d files: the test does not check the right directories", seen)
	}
}
