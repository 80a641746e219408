//go:build linux

package local_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/jobdir"
)

// TestHolderBeside starts a job by a program in whose directory there may be a
// hob-holder, and looks which of the two the job's parent is.
func TestHolderBeside(t *testing.T) {
	t.Parallel()
	const refuses = "#!/bin/sh\ncat >/dev/null\necho '{\"error\":\"another version\",\"unknown\":true}' >&3\n"
	for _, c := range []struct {
		name string
		put  func(t *testing.T, path string) // what lies at path
		used bool
	}{
		{"none", func(*testing.T, string) {}, false},
		{"a good one", copyOfThis, true},
		{"of another version", program(refuses, "755"), false},
		{"that dies", program("#!/bin/sh\nexit 1\n", "755"), false},
		{"that is no program", program("\x7fELF rubbish", "755"), false},
		{"that is not executable", program(refuses, "644"), false},
		{"that anybody may write to", func(t *testing.T, path string) {
			copyOfThis(t, path)
			if err := os.Chmod(path, 0o777); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"behind a link", func(t *testing.T, path string) {
			copyOfThis(t, path+"-elsewhere")
			if err := os.Symlink(path+"-elsewhere", path); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"of another user", func(t *testing.T, path string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give a file away")
			}
			copyOfThis(t, path)
			if err := os.Chown(path, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			client, beside := filepath.Join(dir, "client"), filepath.Join(dir, "hob-holder")
			copyOfThis(t, client)
			c.put(t, beside)
			p := newPlace(t)
			cmd := exec.Command(client)
			cmd.Env = append(os.Environ(), "HOB_TEST_CLIENT=one", "HOB_TEST_ROOT="+p.root.Path(),
				"HOB_TEST_SCRIPT=readlink /proc/$PPID/exe")
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			job := strings.TrimSpace(string(out))
			eventually(t, "end", func() bool { return p.observe(t, job).Status.Finished() })
			log, err := os.ReadFile(filepath.Join(job, jobdir.OutputFile))
			want := client
			if c.used {
				want = beside
			}
			if err != nil || string(log) != want+"\n" {
				t.Errorf("the holder is %q, %v, want %s", log, err, want)
			}
		})
	}
}

// copyOfThis makes a copy of this program at path.
func copyOfThis(t *testing.T, path string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	program(string(data), "755")(t, path)
}

// program writes an executable text, with mode in octal.
func program(text, mode string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		// Written by another process: a fork of this one could hold it open for
		// writing while it is executed.
		cmd := exec.Command("/bin/sh", "-c", `umask 077 && cat >"$1" && chmod "$2" "$1"`, "sh", path, mode)
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}
