package proc

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/testtool"
)

// openTTY opens a new terminal and returns its master and the path of its slave.
func openTTY(t *testing.T) (master *os.File, slave string) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	return master, filepath.Join("/dev/pts", strconv.Itoa(n))
}

// startOnTTY starts a job on a new terminal, whose output is discarded.
func startOnTTY(t *testing.T, script string) (tr *tree, master *os.File) {
	t.Helper()
	master, path := openTTY(t)
	slave, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	tr = startTree(t, script, func(cmd *exec.Cmd) {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		cmd.Env = append(cmd.Env, "TERM=xterm", "HOME=/nonexistent", "LESSHISTFILE=-", "PYENV_VERSION=")
		cmd.SysProcAttr.Setctty = true
	})
	drained := make(chan struct{})
	go func() {
		io.Copy(io.Discard, master)
		close(drained)
	}()
	t.Cleanup(func() {
		// This runs before the cleanup of startTree, so the job must be ended here.
		tr.end()
		tr.close()
		<-drained
	})
	return tr, master
}

func membersOf(t *testing.T, tr *tree) []Process {
	t.Helper()
	procs, err := Members(tr.ref)
	if err != nil {
		t.Fatal(err)
	}
	return procs
}

func TestWaitsForInputOnTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte(strings.Repeat("line\n", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, needs, script string
		want                Input
	}{
		{"cat", "cat", `exec cat`, InputRead},
		{"below a shell", "cat", `cat; :`, InputRead},
		{"foreground job of a shell", "bash", `bash -c 'set -m; cat; :'`, InputRead},
		{"read of a shell", "bash", `exec bash -c 'read x'`, InputRead},
		{"the terminal by name", "cat", `exec cat </dev/tty`, InputRead},
		{"no echo", "stty", `stty -echo; exec cat`, InputRead},
		{"input of Python", "python3", `exec python3 -c 'input("name? ")'`, InputRead},
		{"a thread of Python", "python3", `exec python3 -c 'import threading; threading.Thread(target=input).start()'`, InputRead},
		{"prompt of bash", "bash", `exec bash --norc --noprofile -i`, InputPolled},
		{"prompt of Node", "node", `exec node -e 'require("readline").createInterface({input: process.stdin, output: process.stdout}).question("ok? ", () => {})'`, InputPolled},
		{"select of Python", "python3", `exec python3 -c 'import select; select.select([0], [], [])'`, InputPolled},
		{"poll of Python", "python3", `exec python3 -c 'import select; p = select.poll(); p.register(0, select.POLLIN); p.poll()'`, InputPolled},
		{"vim", "vim", `exec vim -u NONE -i NONE -n ` + file, InputPolled},
		{"less", "less", `exec less ` + file, InputRead},
	} {
		t.Run(tc.name, func(t *testing.T) {
			testtool.Need(t, tc.needs)
			tr, master := startOnTTY(t, tc.script)
			src, err := TTYSource(int(master.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			waitUntil(t, "waits as expected", func() bool { return new(Scanner).WaitsForInput(membersOf(t, tr), src) == tc.want })
			other := Source{TTY: src.TTY + 1}
			if got := new(Scanner).WaitsForInput(membersOf(t, tr), other); got != InputNone {
				t.Errorf("waits for another terminal: %d", got)
			}
		})
	}
}

func TestWaitsForInputNone(t *testing.T) {
	for _, tc := range []struct {
		name, script, comm string
	}{
		{"sleep", `exec sleep 1000`, "sleep"},
		{"stdin is elsewhere", `exec cat </dev/zero >/dev/null`, "cat"},
		{"a pipe between processes", `exec sh -c 'sleep 1000 | cat'`, "cat"},
		{"only in the background", `bash -c 'set -m; cat & exec sleep 1000'`, "sleep"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr, master := startOnTTY(t, tc.script)
			src, err := TTYSource(int(master.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			waitUntil(t, tc.comm+" runs", func() bool {
				for _, p := range membersOf(t, tr) {
					if p.Comm == tc.comm {
						return true
					}
				}
				return false
			})
			for range 20 {
				if got := new(Scanner).WaitsForInput(membersOf(t, tr), src); got != InputNone {
					t.Fatalf("waits: %d", got)
				}
			}
		})
	}
}

func TestWaitsForInputOnPipe(t *testing.T) {
	r, w := pipe(t)
	tr := startTree(t, `cat; :`, func(cmd *exec.Cmd) { cmd.Stdin = r })
	src, err := new(Scanner).SourceOf(tr.ref.Leader.PID, 0)
	if err != nil || src.Ino == 0 || src.TTY != 0 {
		t.Fatalf("source %+v, %v", src, err)
	}
	waitUntil(t, "cat reads the pipe", func() bool { return new(Scanner).WaitsForInput(membersOf(t, tr), src) == InputRead })
	w.Close()
	tr.assertAllGone()
}

func TestSourceOfFile(t *testing.T) {
	tr := startTree(t, stay) // its input is /dev/null
	tr.pids(1)
	if src, err := new(Scanner).SourceOf(tr.ref.Leader.PID, 0); err != nil || src != (Source{}) {
		t.Errorf("source %+v, %v", src, err)
	}
	if _, err := new(Scanner).SourceOf(tr.ref.Leader.PID, 99); !errors.Is(err, ErrGone) {
		t.Errorf("a descriptor that is not open: %v", err)
	}
}

// On a machine with many terminals, their numbers need more than eight bits.
func TestTTYSourceWithLargeNumber(t *testing.T) {
	for {
		master, path := openTTY(t)
		n, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			t.Fatal(err)
		}
		if n < 256 {
			continue
		}
		slave, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer slave.Close()
		var st unix.Stat_t
		if err := unix.Fstat(int(slave.Fd()), &st); err != nil {
			t.Fatal(err)
		}
		got, err := TTYSource(int(master.Fd()))
		if want := sourceFrom(&st, 0); got != want || err != nil || want == (Source{}) {
			t.Errorf("terminal %d: source of the master %+v, %v, of the slave %+v", n, got, err, want)
		}
		return
	}
}

// A process of another user, such as sudo, cannot be inspected.
func TestWaitsForInputOfAnotherUser(t *testing.T) {
	testtool.NeedRoot(t)
	for script, want := range map[string]Input{`exec cat`: InputUnseen, `exec sleep 1000`: InputUnseen, `echo $$ >&3; kill -STOP $$; :`: InputNone} {
		tr, _ := startOnTTY(t, script)
		waitUntil(t, "expected result for "+script, func() bool {
			cmd := exec.Command("/proc/self/exe") // the directory of the binary may not be accessible
			cmd.Env = []string{roleVariable + "=inspector", "PROC_TEST_PID=" + strconv.Itoa(tr.ref.Leader.PID)}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			return strings.TrimSpace(string(out)) == strconv.Itoa(int(want))
		})
	}
}

func TestWaitsForInputByKernelFunction(t *testing.T) {
	if data, err := os.ReadFile("/proc/self/wchan"); err != nil || len(data) == 0 {
		t.Skip("no names of kernel functions")
	}
	r, _ := pipe(t)
	onPipe := startTree(t, `exec cat`, func(cmd *exec.Cmd) { cmd.Stdin = r })
	onTerminal, _ := startOnTTY(t, `exec cat`)
	asleep, _ := startOnTTY(t, `exec sleep 1000`)
	inspect := func(tr *tree) (string, Input) {
		p, err := Stat(tr.ref.Leader.PID)
		if err != nil {
			t.Fatal(err)
		}
		src, err := sourceOf(p, 0)
		if err != nil {
			t.Fatal(err)
		}
		w := waiter{p: p, src: src, r: &reader{}}
		return p.Comm, w.sleeps("")
	}
	for _, tr := range []*tree{onPipe, onTerminal} {
		waitUntil(t, "read detected", func() bool { _, in := inspect(tr); return in == InputRead })
	}
	waitUntil(t, "sleep runs", func() bool { comm, _ := inspect(asleep); return comm == "sleep" })
	if _, in := inspect(asleep); in != InputNone {
		t.Errorf("sleep waits: %d", in)
	}
}
