//go:build linux || darwin

package holder

import (
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
