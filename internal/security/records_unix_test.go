//go:build unix

package security

import (
	"errors"
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
		"a terabyte": huge, "directory": directory, "twelve megabytes": func(path string) error {
			return os.WriteFile(path, []byte(`{"version":1,"script":"`+strings.Repeat("x", 12<<20)+`"}`), 0o600)
		},
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

// TestHostileFiles replaces files that hob reads and did not write. Commands must end, with the reason.
func TestHostileFiles(t *testing.T) {
	kinds := map[string]struct {
		create func(path string) error
		why    string
	}{
		"pipe":           {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file"},
		"endless device": {func(path string) error { return os.Symlink("/dev/zero", path) }, "not a regular file"},
		"directory":      {func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		"three gigabytes": {func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 3<<30))
		}, "too long (more than "},
	}
	for _, tc := range []struct {
		file     string
		commands [][]string
		code     int
	}{
		{".config/hob/config.toml", [][]string{{"config"}}, 1},
		{".config/hob/config.toml", [][]string{{"run", "true"}}, -1}, // with the defaults, and a warning
		{"Procfile", [][]string{{"up", "--check"}}, 2},
		{"process-compose.yaml", [][]string{{"up", "--check"}}, 2},
		{".vscode/tasks.json", [][]string{{"up", "--check"}}, 2},
		{".env", [][]string{{"up", "--check"}}, 0}, // the file is noted
		{".ssh/known_hosts", [][]string{{"list"}, {"hosts", "check", "localhost"}}, -1},
		{".ssh/config", [][]string{{"list"}, {"hosts", "check", "localhost"}}, -1},
		{".claude.json", [][]string{{"setup", "claude", "--dry-run"}}, -1},
	} {
		for name, kind := range kinds {
			t.Run(tc.file+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				path := filepath.Join(s.Dir, tc.file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), kind.create(path)); err != nil {
					t.Fatal(err)
				}
				if tc.file == ".env" {
					if err := os.WriteFile(filepath.Join(s.Dir, "Procfile"), []byte("web: true\n"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				for _, command := range tc.commands {
					out, code, err := s.Ask(command...)
					if err != nil && code == 0 {
						t.Errorf("hob %v: %v", command, err) // it was killed
					}
					if tc.code < 0 {
						continue
					}
					if err != nil {
						out += err.Error()
					}
					if code != tc.code || !strings.Contains(out, kind.why) {
						t.Errorf("hob %v: code %d, want %d with %q: %s", command, code, tc.code, kind.why, out)
					}
				}
			})
		}
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
