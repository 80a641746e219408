//go:build unix

package ssh

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

const bootFile = "/proc/sys/kernel/random/boot_id"

// bootable is a host that can be started again: the sh of this machine, whose
// sessions read its boot from a file of the test.
type bootable struct {
	env  []string
	boot string // the file

	mu    sync.Mutex
	lines []*shell.Program
}

func newBootable(t *testing.T) *bootable {
	t.Helper()
	b := &bootable{env: append(os.Environ(), remoteEnv(t)...), boot: filepath.Join(t.TempDir(), "boot")}
	id, err := os.ReadFile(bootFile)
	if err != nil {
		t.Skipf("this machine has no name for its boot: %v", err)
	}
	b.setBoot(t, string(id))
	return b
}

func (b *bootable) setBoot(t *testing.T, id string) {
	t.Helper()
	if err := os.WriteFile(b.boot, []byte(id), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (b *bootable) reach(context.Context, string) (shell.Transport, error) {
	l := shell.NewLocal("sh", b.env)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, l)
	return patched(l, func(prelude string) string { return strings.ReplaceAll(prelude, bootFile, b.boot) }), nil
}

// cut ends all connections.
func (b *bootable) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.lines {
		l.Close()
	}
}

// A program that keeps running notices that a host was restarted, and then takes no process
// there for one of its jobs, even if it has the same pid.
func TestRebootUnderARunningProgram(t *testing.T) {
	t.Parallel()
	for name, survives := range map[string]bool{"its process is gone": false, "another process is just like it": true} {
		t.Run(name, func(t *testing.T) {
			p := newBootable(t)
			r := &rig{T: t, state: t.TempDir()}
			r.b = New(withTransports(p.reach), WithPatience(patient))
			var err error
			if r.e, err = engine.New(engine.WithStateDir(r.state), engine.WithClient("test"), engine.WithBackend(r.b)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.e.Close() })
			j := r.start("exec sleep 300")
			t.Cleanup(func() { endGroup(j.Leader.PID) })
			for range 3 { // so that it is known well
				if got, err := r.e.Handle(j.ID).Facts(r.ctx()); err != nil || got.Status != engine.Running || got.Leader.PID <= 1 {
					t.Fatalf("%v: %s, pid %d", err, got.Status, got.Leader.PID)
				}
			}
			p.setBoot(t, "00000000-0000-4000-8000-000000000000\n")
			p.cut()
			if !survives {
				wrapper, err := os.ReadFile(filepath.Join(r.b.HostDir(engine.Record{ID: j.ID, Job: j}), "wrapper"))
				if err != nil {
					t.Fatal(err)
				}
				pid, _, _ := strings.Cut(string(wrapper), " ")
				if n, err := strconv.Atoi(pid); err != nil || n <= 1 || syscall.Kill(n, syscall.SIGKILL) != nil {
					t.Fatalf("its wrapper is %q", wrapper)
				}
				endGroup(j.Leader.PID)
			}
			exit := r.wait(j.ID)
			if exit.Status != engine.Lost || exit.Reason != engine.ReasonReboot || exit.Code != nil {
				t.Errorf("it ended as %+v", exit)
			}
			if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err == nil {
				t.Error("it can be killed")
			}
			if survives && syscall.Kill(j.Leader.PID, 0) != nil {
				t.Error("what has its number was signalled")
			}
		})
	}
}
