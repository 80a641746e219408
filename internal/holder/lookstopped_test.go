//go:build linux || darwin

package holder

import (
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool"
)

// startSleeper starts a process that stands for a holder and does nothing. If stop is set, it stops the process.
func startSleeper(t *testing.T, stop bool) proc.Identity {
	t.Helper()
	cmd := exec.Command("sleep", "100")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	id, err := proc.IdentityOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if !stop {
		return id
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for !proc.Stopped(id) {
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	return id
}

// A job whose holder is stopped is unreachable, whatever its records say. A holder that looks as usual is only
// asked to verify that it does not hang.
func TestLookAtStoppedHolder(t *testing.T) {
	const never, patient = 20 * time.Millisecond, time.Minute
	for name, tc := range map[string]struct {
		stopped  bool
		verify   bool
		patience time.Duration
		accepted func(holder proc.Identity, nc net.Conn) // called when a client connects
		link     record.Link
		asked    int32
	}{
		"it does not answer": {true, false, never, nil, record.LinkUnreachable, 1},
		"it answers meanwhile": {true, false, patient, func(_ proc.Identity, nc net.Conn) {
			greetOnce(nc)
		}, record.LinkNone, 1},
		"it continues meanwhile": {true, false, patient, func(id proc.Identity, nc net.Conn) {
			_ = proc.Signal(id, syscall.SIGCONT)
			for proc.Stopped(id) {
				time.Sleep(time.Millisecond)
			}
			nc.Close()
		}, record.LinkNone, 1},
		"it runs":                     {false, false, patient, nil, record.LinkNone, 0},
		"it runs and does not answer": {false, true, never, nil, record.LinkUnreachable, 1},
		"it runs and answers": {false, true, patient, func(_ proc.Identity, nc net.Conn) {
			greetOnce(nc)
		}, record.LinkNone, 1},
		"it runs and its socket fails": {false, true, patient, func(_ proc.Identity, nc net.Conn) {
			nc.Close()
		}, record.LinkNone, 1},
		"it waits for its disk": {false, true, patient, func(_ proc.Identity, nc net.Conn) {
			greetWith(nc, Facts{DiskSince: time.Now()})
		}, record.LinkUnreachable, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			socket := filepath.Join(testtool.TempDir(t), "s")
			listener, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			h := newOpened(t, Config{})
			if err := h.Started(startSleeper(t, false), 0, time.Now(), time.Time{}); err != nil {
				t.Fatal(err)
			}
			st, err := jobdir.ReadState(h.cfg.Dir)
			if err != nil {
				t.Fatal(err)
			}
			st.Holder, st.Socket = startSleeper(t, tc.stopped), socket
			if err := jobdir.WriteState(h.cfg.Dir, &st); err != nil {
				t.Fatal(err)
			}
			var asked atomic.Int32
			go func() {
				for {
					nc, err := listener.Accept()
					if err != nil {
						return
					}
					asked.Add(1)
					defer nc.Close() // until the end of the test
					if tc.accepted != nil {
						go tc.accepted(st.Holder, nc)
					}
				}
			}()
			states, err := lookAll(t.Context(), []string{h.cfg.Dir}, func(string) bool { return tc.verify }, patience{stopped: tc.patience, running: tc.patience, all: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			s := states[h.cfg.Dir]
			if s.Status != record.Running || s.Link != tc.link {
				t.Errorf("%s, link %q (%s)", s.Status, s.Link, s.LinkError)
			}
			for end := time.Now().Add(time.Minute); asked.Load() < tc.asked && time.Now().Before(end); {
				time.Sleep(time.Millisecond) // its connection may not have been accepted yet
			}
			if got := asked.Load(); got != tc.asked {
				t.Errorf("asked %d times, want %d", got, tc.asked)
			}
			remedy := "kill -CONT " + strconv.Itoa(st.Holder.PID)
			if (s.LinkError == "") != (tc.link == record.LinkNone) || strings.Contains(s.LinkError, remedy) != (tc.stopped && s.LinkError != "") {
				t.Errorf("link error %q", s.LinkError)
			}
		})
	}
}
