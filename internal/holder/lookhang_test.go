//go:build linux || darwin

package holder

import (
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool"
)

// gone returns the identity of a process that has ended.
func gone(t *testing.T) proc.Identity {
	t.Helper()
	cmd := exec.Command("sleep", "100")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := proc.IdentityOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return id
}

// A job whose process is gone is not reported as running unless its holder says so.
func TestLookAtJobWithoutProcess(t *testing.T) {
	leader := gone(t)
	silent := filepath.Join(testtool.TempDir(t), "s")
	listener, err := net.Listen("unix", silent) // accepts no connection
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for name, tc := range map[string]struct {
		socket func(h *Holder) string
		want   record.Link
	}{
		"holder answers":     {func(h *Holder) string { return h.state.Socket }, record.LinkNone},
		"holder hangs":       {func(*Holder) string { return silent }, record.LinkUnreachable},
		"socket is gone":     {func(*Holder) string { return silent + ".gone" }, record.LinkUnreachable},
		"there is no socket": {func(*Holder) string { return "" }, record.LinkUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newOpened(t, Config{})
			if err := h.Listen(); err != nil {
				t.Fatal(err)
			}
			if err := h.Started(leader, leader.PID, time.Now(), time.Time{}); err != nil {
				t.Fatal(err)
			}
			st, err := jobdir.ReadState(h.cfg.Dir)
			if err != nil {
				t.Fatal(err)
			}
			st.Socket = tc.socket(h)
			if err := jobdir.WriteState(h.cfg.Dir, &st); err != nil {
				t.Fatal(err)
			}
			s, err := Look(h.cfg.Dir)
			if err != nil || s.Status != record.Running || s.Link != tc.want || (s.LinkError == "") != (tc.want == record.LinkNone) {
				t.Errorf("%s, link %q (%s), %v", s.Status, s.Link, s.LinkError, err)
			}
		})
	}
}

// Many jobs may have holders of which none answers, and all are asked within the time of one.
func TestManyHoldersAreAskedTogether(t *testing.T) {
	leader := gone(t)
	const jobs = 20
	socket := filepath.Join(testtool.TempDir(t), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go answerTogether(listener, jobs)
	var dirs []string
	for range jobs {
		h := newOpened(t, Config{})
		if err := h.Started(leader, leader.PID, time.Now(), time.Time{}); err != nil {
			t.Fatal(err)
		}
		st, err := jobdir.ReadState(h.cfg.Dir)
		if err != nil {
			t.Fatal(err)
		}
		st.Socket = socket
		if err := jobdir.WriteState(h.cfg.Dir, &st); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, h.cfg.Dir)
	}
	states, err := LookAll(t.Context(), dirs, false)
	if err != nil || len(states) != jobs {
		t.Fatalf("%d states, %v", len(states), err)
	}
	for _, s := range states {
		if s.Status != record.Running || s.Link != record.LinkNone {
			t.Errorf("%s, link %q (%s)", s.Status, s.Link, s.LinkError)
		}
	}
}

// answerTogether greets n clients of a holder when all have connected, and answers each.
func answerTogether(l net.Listener, n int) {
	var clients []net.Conn
	for range n {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		clients = append(clients, nc)
	}
	for _, nc := range clients {
		greetOnce(nc)
	}
	for _, nc := range clients {
		_, _ = io.Copy(io.Discard, nc)
	}
}
