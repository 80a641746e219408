//go:build unix

package ssh

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// masterRig is a host with a ControlPath, and an engine that uses what is there.
func masterRig(t *testing.T) (r *rig, socket string) {
	t.Helper()
	testtool.Need(t, "ssh", "sshd")
	r = &rig{T: t, c: sshtest.NewClient(t), state: t.TempDir()}
	addr := sshtest.Sshd(t, r.c, remoteEnv(t))
	dir, err := os.MkdirTemp("", "cm") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket = filepath.Join(dir, "s")
	r.c.AddHost(t, "box", addr, "ControlPath "+socket)
	r.open()
	return r, socket
}

// A connection of the user's may end at any time, and leave its socket.
func TestControlMasterThatEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, r *rig, master *os.Process){
		"killed": func(t *testing.T, _ *rig, master *os.Process) {
			if err := master.Kill(); err != nil {
				t.Fatal(err)
			}
		},
		"by its user": func(t *testing.T, r *rig, _ *os.Process) { run(t, "ssh", "-F", r.c.ConfigFile, "-O", "exit", "box") },
	} {
		t.Run(name, func(t *testing.T) {
			r, socket := masterRig(t)
			master := startMaster(t, r)
			j := r.start("echo begun; read x; echo over", func(s *engine.Spec) { s.Stdin = true })
			if c, err := r.b.host("box").connect(r.ctx(), false); err != nil || !attached(c) {
				t.Fatalf("the master is not used: %v", err)
			}
			end(t, r, master)
			for late := time.Now().Add(patient); exec.Command("ssh", "-F", r.c.ConfigFile, "-O", "check", "box").Run() == nil; {
				if time.Now().After(late) {
					t.Fatal("the master still runs")
				}
				time.Sleep(20 * time.Millisecond)
			}
			if err := r.e.Handle(j.ID).Write(r.ctx(), []byte("on\n")); err != nil {
				// It is not known whether what was under way arrived.
				if err := r.e.Handle(j.ID).Write(r.ctx(), []byte("on\n")); err != nil {
					t.Fatal(err)
				}
			}
			r.wait(j.ID)
			if got := r.read(j.ID); got != "begun\nover\n" {
				t.Errorf("it printed %q", got)
			}
			if c, err := r.b.host("box").connect(r.ctx(), false); err != nil || attached(c) {
				t.Errorf("the master at %s is used after its end: %v", socket, err)
			}
		})
	}
}

// A socket that accepts connections but never responds is not used to reach the host.
func TestControlMasterThatIsSilent(t *testing.T) {
	t.Parallel() // it waits
	r, socket := masterRig(t)
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var taken atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() { // ends with ln
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			taken.Add(1)
		}
	})
	defer wg.Wait()
	defer ln.Close()
	if exit := r.wait(r.start("exit 3").ID); exit.Code == nil || *exit.Code != 3 {
		t.Errorf("it ended as %+v", exit)
	}
	c, err := r.b.host("box").connect(r.ctx(), false)
	if err != nil {
		t.Fatal(err)
	}
	c.Transport.Close()
	if exit := r.wait(r.start("exit 4").ID); exit.Code == nil || *exit.Code != 4 {
		t.Errorf("over another connection it ended as %+v", exit)
	}
	if n := taken.Load(); n != 1 {
		t.Errorf("the silent socket was tried %d times", n)
	}
}

// A master whose network is gone takes sessions that never answer.
func TestControlMasterThatHangs(t *testing.T) {
	t.Parallel() // it waits
	r, _ := masterRig(t)
	master := startMaster(t, r)
	h := r.b.host("box")
	c, err := h.connect(r.ctx(), false)
	if err != nil || !attached(c) {
		t.Fatalf("the master is not used: %v", err)
	}
	if err := master.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := h.ask(r.ctx(), quick, "echo", askOptions{limit: 100 * time.Millisecond}); !errors.Is(err, engine.ErrUnreachable) {
		t.Fatalf("a master that is stopped answers: %v", err)
	}
	if err := master.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if exit := r.wait(r.start("exit 3").ID); exit.Code == nil || *exit.Code != 3 {
		t.Errorf("it ended as %+v", exit)
	}
	if c, err := h.connect(r.ctx(), false); err != nil || attached(c) {
		t.Errorf("it is used again at once: %v", err)
	}
}

// startMaster makes a connection of the user's to the host, and waits until others
// can use it.
func startMaster(t *testing.T, r *rig) *os.Process {
	t.Helper()
	master := exec.Command("ssh", "-F", r.c.ConfigFile, "-M", "-N", "box")
	if err := master.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = master.Process.Kill() // it may have ended
		_ = master.Wait()
	})
	for late := time.Now().Add(patient); exec.Command("ssh", "-F", r.c.ConfigFile, "-O", "check", "box").Run() != nil; {
		if time.Now().After(late) {
			t.Fatal("the master does not listen")
		}
		time.Sleep(20 * time.Millisecond)
	}
	return master.Process
}

func attached(c *conn.Conn) bool {
	t, ok := c.Transport.(*client.Transport)
	return ok && t.Attached
}
