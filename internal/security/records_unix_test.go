//go:build unix

package security

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool/stage"
)

// runJob runs a job until its end and returns its id.
func runJob(t *testing.T, s *stage.Stage, name string) string {
	t.Helper()
	id := s.Must(t, "run", "-b", "-n", name, "echo", "words of "+name)
	s.Must(t, "wait", id)
	return id
}

// TestHostileRecords replaces the records of jobs by other types of files. A job runs as the same user
// and can do that. Other jobs must not be affected.
func TestHostileRecords(t *testing.T) {
	replace := func(path string, by func(string) error) error {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
		return by(path)
	}
	link := func(to string) func(string) error {
		return func(path string) error { return os.Symlink(to, path) }
	}
	fifo := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	huge := func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Truncate(1 << 40)
	}
	directory := func(path string) error { return os.Mkdir(path, 0o700) }
	for name, by := range map[string]func(string) error{
		"pipe": fifo, "endless device": link("/dev/zero"), "link to itself": func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"a terabyte": huge, "directory": directory,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			healthy := runJob(t, s, "healthy")
			for _, file := range []string{"meta.json", "state.json", "exit_code", "events", "lock", "times"} {
				id := runJob(t, s, "bad-"+strings.ReplaceAll(file, ".", "-"))
				if err := replace(filepath.Join(dirOf(s, id), file), by); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Remove(filepath.Join(s.State, "index")); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			out := s.Must(t, "list", "-q")
			if !strings.Contains(out, healthy) {
				t.Errorf("the healthy job is not listed:\n%s", out)
			}
			s.Must(t, "prompt")
			if got := s.Must(t, "log", healthy); got != "words of healthy" {
				t.Errorf("log of the healthy job: %q", got)
			}
			for _, id := range strings.Fields(out) {
				// Commands on a damaged job must not block.
				for _, command := range []string{"status", "kill"} {
					begin := time.Now()
					_, _, _ = s.Ask(command, id)
					if time.Since(begin) >= stage.Patience {
						t.Errorf("hob %s %s did not end", command, id)
					}
				}
			}
			s.Must(t, "clear", "--finished")
		})
	}
}

// TestLinksAreNotFollowed replaces a job by a symbolic link to another directory. Clearing and sweeping
// must not delete files there.
func TestLinksAreNotFollowed(t *testing.T) {
	s := newStage(t)
	id := runJob(t, s, "job")
	precious := filepath.Join(s.Dir, "precious")
	if err := os.Rename(dirOf(s, id), precious); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(precious, dirOf(s, id)); err != nil {
		t.Fatal(err)
	}
	_, _, _ = s.Ask("clear", id)
	_, _, _ = s.Ask("clear", "--finished")
	_, _, _ = s.Ask("remove", id)
	// The next sweep deletes the trash like this.
	_ = os.RemoveAll(filepath.Join(s.State, "trash"))
	data, err := os.ReadFile(filepath.Join(precious, "output.log"))
	if err != nil || !strings.Contains(string(data), "words of job") {
		t.Errorf("the target of the link: %q, %v", data, err)
	}
}
