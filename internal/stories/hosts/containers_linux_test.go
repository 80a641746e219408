package hosts_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/storytest"
	"github.com/hobjobs/hob/internal/testtool"
)

// TestContainerScripts runs the stories in testdata/containers in a container of each kind, without hob-holder there
// and with it; the condition holder is true then, and $HOLDER is its file. The programs that enter containers are
// stand-ins; the container has processes, mounts and a home directory of its own, and the files of this machine.
func TestContainerScripts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short")
	}
	testtool.NeedMounts(t)
	testtool.Need(t, "nsenter", "mount", "setsid")
	built := sshtest.BuildHolder(t)
	for _, kind := range []struct{ host, program, args string }{
		{"docker:web", "docker", "exec -i -- web sh"},
		{"podman:web", "podman", "exec -i -- web sh"},
		{"kubectl:prod/web/app", "kubectl", "exec -i -n prod -c app web -- sh"},
	} {
		for name, holder := range map[string]string{"scripts": "", "holder": built} {
			t.Run(kind.program+" "+name, func(t *testing.T) {
				storytest.Run(t, testscript.Params{
					Dir: filepath.Join("testdata", "containers"),
					Setup: func(env *testscript.Env) error {
						env.Setenv("HOST", kind.host)
						env.Setenv("HOLDER", holder)
						return setupContainer(env, kind.program, kind.args)
					},
					Condition: func(name string) (bool, error) {
						if name != "holder" {
							return false, fmt.Errorf("unknown condition %q", name)
						}
						return holder != "", nil
					},
					Cmds: map[string]func(*testscript.TestScript, bool, []string){"container": cmdContainer},
				})
			})
		}
	}
}

type containerKey struct{}

// container is the container of a story.
type container struct {
	pidFile string    // has the process id of its init while it runs
	init    *exec.Cmd // nil: it is stopped
}

// setupContainer starts a container, which the program enters when it is called with args.
func setupContainer(env *testscript.Env, program, args string) error {
	c := &container{pidFile: filepath.Join(env.WorkDir, "init")}
	env.Values[containerKey{}] = c
	env.Defer(func() { _ = c.stop() }) // its end is that of all its jobs
	if err := storytest.Setup(env); err != nil {
		return err
	}
	bin, home := filepath.Join(env.WorkDir, "bin"), filepath.Join(env.WorkDir, "inside")
	enter := fmt.Sprintf(`#!/bin/sh
[ "$*" = '%s' ] || { echo "called as $*" >&2; exit 64; }
[ -f '%s' ] || { echo 'Error: No such container: web' >&2; exit 1; }
exec nsenter -t "$(cat '%[2]s')" -m -p env -i PATH="$PATH" HOME='%[3]s' sh
`, args, c.pidFile, home)
	err := errors.Join(os.Mkdir(bin, 0o700), os.Mkdir(home, 0o700),
		testtool.WriteProgram(filepath.Join(bin, program), enter))
	if err != nil {
		return err
	}
	env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
	return c.start()
}

func (c *container) start() error {
	init := exec.Command("sh", "-c", "mount -t proc proc /proc && echo up && exec sleep 100000")
	init.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:   syscall.CLONE_NEWPID,
		Unshareflags: syscall.CLONE_NEWNS,
	}
	out, err := init.StdoutPipe()
	if err == nil {
		err = init.Start()
	}
	if err != nil {
		return err
	}
	c.init = init
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return os.WriteFile(c.pidFile, []byte(strconv.Itoa(init.Process.Pid)), 0o600)
}

// stop ends the container with all its processes.
func (c *container) stop() error {
	if c.init == nil {
		return nil
	}
	err := errors.Join(os.Remove(c.pidFile), c.init.Process.Kill())
	_ = c.init.Wait() // killed
	c.init = nil
	return err
}

// cmdContainer stops the container of a story, or starts it again.
func cmdContainer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: container stop|start")
	}
	c := ts.Value(containerKey{}).(*container)
	switch args[0] {
	case "stop":
		ts.Check(c.stop())
	case "start":
		ts.Check(c.start())
	default:
		ts.Fatalf("unknown container command %q", args[0])
	}
}
