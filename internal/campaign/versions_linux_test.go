package campaign

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/statedir"
)

// A stranger is a holder of a protocol that this hob does not support. It is written out byte by
// byte, since its messages are frozen: the beginning of the greeting and the frame that stops the
// job.
type stranger struct {
	t       *testing.T
	dir     string
	job     *exec.Cmd
	lock    *jobdir.FileLock
	stopped chan struct{}
}

const (
	frameHello = 0x01
	frameError = 0x03
	frameOK    = 0x02
	frameStop  = 0x80
)

// newStranger creates the directory of a job that such a holder holds; it supports the protocols
// from low to high.
func newStranger(t *testing.T, w *world, low, high uint16) *stranger {
	t.Helper()
	s := &stranger{t: t, job: exec.Command("sleep", "1000"), stopped: make(chan struct{})}
	if err := s.job.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.job.Process.Kill()
		_ = s.job.Wait()
	})
	jobID, err := proc.IdentityOf(s.job.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	self, err := proc.IdentityOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	root, err := statedir.OpenRoot(w.State)
	if err != nil {
		t.Fatal(err)
	}
	meta := jobdir.Meta{
		Request: record.Request{
			Token: statedir.NewToken(), Name: "stranger", Command: []string{"sleep", "1000"}, Dir: "/", Backend: "local", Kind: "pty",
			Stdin: "pty", InitialSize: record.Size{Cols: 80, Rows: 24}, Grace: 5000, ClientMachine: proc.MachineID(), CreatedAt: time.Now(), CreatedBy: "cli",
		},
	}
	if s.dir, err = root.Create(&meta, "stranger", nil); err != nil {
		t.Fatal(err)
	}
	if s.lock, err = jobdir.Lock(s.dir); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(w.Runtime, "stranger")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	if err := jobdir.WriteState(s.dir, &record.State{
		Machine: proc.MachineID(), BootID: proc.BootID(), PIDNS: proc.PIDNamespace(), Holder: self, Leader: jobID,
		Socket: socket, Protocol: int(high), StartedAt: time.Now(), Backgrounded: true, Size: meta.InitialSize,
	}); err != nil {
		t.Fatal(err)
	}
	hello := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte("hob\x00"), low), high)
	hello = fmt.Appendf(hello, `{"id":%q,"boot_id":%q,"pid":%d,"invented_later":[1]}`, filepath.Base(s.dir), proc.BootID(), os.Getpid())
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(c, hello)
		}
	}()
	return s
}

// serve sends the greeting, stops the job on request, and refuses every other instruction.
func (s *stranger) serve(c net.Conn, hello []byte) {
	defer c.Close()
	send := func(kind byte, payload []byte) {
		_, _ = c.Write(append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(payload))), payload...))
	}
	send(frameHello, hello)
	for {
		var head [5]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head[1:]))); err != nil {
			return
		}
		if head[0] != frameStop {
			send(frameError, []byte(`{"code":"unknown_instruction","message":"not in my protocol"}`))
			continue
		}
		_ = s.job.Process.Kill()
		_ = s.job.Wait()
		st, err := jobdir.ReadState(s.dir)
		if err == nil {
			code := 137
			st.Exit = record.Exit{At: time.Now(), Status: "killed", Code: &code, Signal: "SIGKILL", Reason: "kill", EndedBy: "cli"}
			err = jobdir.Finish(s.dir, &st)
		}
		if err != nil {
			s.t.Error(err)
		}
		close(s.stopped)
		send(frameOK, []byte(`{}`))
		s.lock.Close()
		return
	}
}

// TestHoldersOfOtherVersions uses holders of an older and of a later protocol: their jobs are
// listed with their real state, can be read and can be ended; other operations fail with the reason
// and do no harm.
func TestHoldersOfOtherVersions(t *testing.T) {
	for _, tc := range []struct {
		name      string
		low, high uint16
	}{{"older", 0, 0}, {"later", 40, 41}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := newStranger(t, w, tc.low, tc.high)
			if err := os.WriteFile(filepath.Join(s.dir, "output.log"), []byte("words\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			j, ok, err := w.find("stranger")
			if err != nil || !ok || j.Status != "running" {
				t.Fatalf("%v, %v, %v", j, ok, err)
			}
			if out := w.Must(t, "log", j.ID); out != "words" {
				t.Errorf("log: %q", out)
			}
			for _, verb := range [][]string{{"write", j.ID, "x"}, {"screen", j.ID}} {
				_, code, err := w.Ask(verb...)
				if code != 1 && code != 4 || !strings.Contains(err.Error(), "version") && !strings.Contains(err.Error(), "protocol") {
					t.Errorf("hob %v: code %d, %v", verb, code, err)
				}
			}
			if j, _, err := w.find("stranger"); err != nil || j.Status != "running" {
				t.Fatalf("after what it refused: %v, %v", j, err)
			}
			if _, _, err := w.Ask("kill", j.ID); err != nil {
				t.Fatalf("kill: %v", err)
			}
			select {
			case <-s.stopped:
			default:
				t.Error("kill returned before the job had ended")
			}
			if j, _, err := w.find("stranger"); err != nil || j.Status != "killed" || j.Code == nil || *j.Code != 137 {
				t.Errorf("after the kill: %v, %v", j, err)
			}
		})
	}
}
