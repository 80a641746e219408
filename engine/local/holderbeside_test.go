//go:build linux

package local_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/jobdir"
)

// TestHolderBeside starts a job with a program that may have a hob-holder in its directory, and
// checks which of the two is the job's parent.
func TestHolderBeside(t *testing.T) {
	t.Parallel()
	const refuses = "#!/bin/sh\ncat >/dev/null\necho '{\"error\":\"another version\",\"unknown\":true}' >&3\n"
	for _, c := range []struct {
		name   string
		client func(t *testing.T, path string)
		put    func(t *testing.T, path string) // creates the file at path
		used   bool
	}{
		{"none", copyOfThis, func(*testing.T, string) {}, false},
		{"a good one", copyOfThis, copyOfThis, true},
		{"of the same build", copyOfBuild('1'), copyOfBuild('1'), true},
		{"of another build", copyOfBuild('1'), copyOfBuild('2'), false},
		{"of a build that is not known", copyOfBuild('1'), copyOfThis, true},
		{"of a build, for who does not know its own", copyOfThis, copyOfBuild('1'), true},
		{"of another version", copyOfThis, program(refuses, "755"), false},
		{"that dies", copyOfThis, program("#!/bin/sh\nexit 1\n", "755"), false},
		{"that is no program", copyOfThis, program("\x7fELF rubbish", "755"), false},
		{"that is not executable", copyOfThis, program(refuses, "644"), false},
		{"that anybody may write to", copyOfThis, func(t *testing.T, path string) {
			copyOfThis(t, path)
			if err := os.Chmod(path, 0o777); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"behind a link", copyOfThis, func(t *testing.T, path string) {
			copyOfThis(t, path+"-elsewhere")
			if err := os.Symlink(path+"-elsewhere", path); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"of another user", copyOfThis, func(t *testing.T, path string) {
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
			c.client(t, client)
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
	program(thisProgram(t), "755")(t, path)
}

// copyOfBuild copies this program and changes its recorded build to n.
func copyOfBuild(n byte) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		text := thisProgram(t)
		info, ok := debug.ReadBuildInfo()
		if !ok {
			t.Fatal("this program does not say how it was built")
		}
		mod := func(version string) string { return "mod\t" + info.Main.Path + "\t" + version + "\t" }
		was := mod(info.Main.Version)
		if !strings.Contains(text, was) {
			t.Fatalf("no %q in this program", was)
		}
		is := mod("v" + strings.Repeat(string(n), len(info.Main.Version)-1))
		program(strings.ReplaceAll(text, was, is), "755")(t, path)
	}
}

func thisProgram(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// program writes an executable text file; mode is octal.
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
