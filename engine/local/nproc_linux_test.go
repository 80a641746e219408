package local_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// TestTooManyProcesses starts jobs as a user with a limit on threads and processes, beginning with
// too few to start anything. Wherever it fails, the error and the record report it, and nothing is
// left behind.
func TestTooManyProcesses(t *testing.T) {
	t.Parallel()
	const limits = 22
	first := 1_000_000 + os.Getpid()*limits // a different user each time, since dead processes count until they are reaped
	client, home := otherUser(t, first)
	seen := map[engine.Status]int{}
	for limit := range limits {
		uid := first + limit
		root := filepath.Join(home, strconv.Itoa(limit))
		cmd := client(uid, "HOB_TEST_KIND=pty", "HOB_TEST_ROOT="+root, "HOB_TEST_SCRIPT=:",
			"HOB_TEST_NPROC="+strconv.Itoa(limit), "TMPDIR="+home)
		var said bytes.Buffer
		cmd.Stderr = &said
		err := cmd.Run()
		if err != nil && said.Len() == 0 {
			t.Errorf("limit %d: %v, and nothing was said", limit, err)
		}
		eventually(t, "no process is left", func() bool { return !owns(t, uid) })
		jobs, _ := filepath.Glob(filepath.Join(root, "jobs", "*"))
		if err == nil && len(jobs) != 1 {
			t.Errorf("limit %d: there are %d jobs", limit, len(jobs))
		}
		if len(jobs) == 0 {
			continue
		}
		if err := os.Chown(root, 0, 0); err != nil { // to inspect them from here
			t.Fatal(err)
		}
		p := openPlace(t, root)
		for _, dir := range jobs {
			o := p.observe(t, dir)
			seen[o.Status]++
			switch {
			case o.Status == engine.Exited && *o.Exit.Code == 0:
			case o.Status == engine.Failed && *o.Exit.Code == 126 && strings.Contains(o.Exit.Error, "ulimit -u"):
			case o.Status == engine.Lost && o.Exit.Code == nil:
			default:
				t.Errorf("limit %d: the job is %s, %+v", limit, o.Status, o.Exit)
			}
		}
	}
	t.Log(seen)
}

// otherUser returns a client that runs as a user with any uid, and a directory in which all users
// may create files.
func otherUser(t *testing.T, uid int) (client func(uid int, env ...string) *exec.Cmd, home string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	top := shortDir(t)
	exe := filepath.Join(top, "client")
	copyOfThis(t, exe)
	for path, mode := range map[string]os.FileMode{top: 0o755, exe: 0o755} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	home = filepath.Join(top, "home")
	if err := errors.Join(os.Mkdir(home, 0o700), os.Chmod(home, 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	as := func(uid int, name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
		return cmd
	}
	if err := as(uid, "/bin/sh", "-c", `test -x "$0"`, exe).Run(); err != nil {
		t.Skipf("another user cannot reach %s", exe)
	}
	return func(uid int, env ...string) *exec.Cmd {
		cmd := as(uid, exe)
		cmd.Dir = "/"
		cmd.Env = append([]string{"HOB_TEST_CLIENT=one", "PATH=/bin:/usr/bin"}, env...)
		return cmd
	}, home
}

// If the directory exists but cannot be entered, the error is about it, not about the command.
func TestClosedDirectory(t *testing.T) {
	t.Parallel()
	const uid = 65534
	client, home := otherUser(t, uid)
	closed := filepath.Join(home, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(home, "state")
	if out, err := client(uid, "HOB_TEST_ROOT="+root, "HOB_TEST_SCRIPT=:", "TMPDIR="+closed).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chown(root, 0, 0); err != nil { // to inspect it from here
		t.Fatal(err)
	}
	p := openPlace(t, root)
	jobs, _ := filepath.Glob(filepath.Join(root, "jobs", "*"))
	if len(jobs) != 1 {
		t.Fatalf("there are %d jobs", len(jobs))
	}
	if o := p.observe(t, jobs[0]); o.Status != engine.Failed || *o.Exit.Code != 126 || o.Exit.Error != "directory "+closed+": permission denied" {
		t.Errorf("the job is %s, %+v", o.Status, o.Exit)
	}
}

// owns reports whether the user has a live process.
func owns(t *testing.T, uid int) bool {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != uid {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		_, state, ok := strings.Cut(string(stat), ") ")
		if err == nil && ok && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X") {
			return true
		}
	}
	return false
}
