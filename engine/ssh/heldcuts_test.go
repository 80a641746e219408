//go:build unix

package ssh

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// newHeldRig returns a rig whose host has hob's holder, program.
func newHeldRig(t *testing.T, program string, configure func(*sshtest.Server)) *rig {
	t.Helper()
	home := testtool.TempDir(t)
	r := newRig(t, func(s *sshtest.Server) {
		s.Env = append(s.Env, "HOME="+home, "XDG_DATA_HOME=", "XDG_RUNTIME_DIR=")
		configure(s)
	})
	if _, err := r.b.InstallHolder(r.ctx(), "box", program); err != nil {
		t.Fatal(err)
	}
	return r
}

// endLater ends a job when the test is over.
func (r *rig) endLater(j engine.Job) {
	r.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patient)
		defer cancel()
		if _, err := r.e.Handle(j.ID).Stop(ctx, engine.StopOptions{Grace: engine.KillNow}); err != nil {
			r.Error(err)
		}
	})
}

// With hob's holder a start that is cut off runs once or not at all, too.
func testHolderStartsOnce(t *testing.T, program string) {
	for _, manner := range []sshtest.Manner{sshtest.OpenSSH, sshtest.Dropbear} {
		t.Run(string(manner), func(t *testing.T) {
			r := newHeldRig(t, program, func(s *sshtest.Server) { s.Manner = manner })
			// Logging in, a session, the request and its answer.
			r.cutAtAnyByte(18<<10 + len(recipe.Prelude()))
			r.cutAtEach("", "token", "owner", "meta.json", "claim", "output.log", "state.json", "exit_code")
		})
	}
	t.Run("attach with one session", func(t *testing.T) {
		t.Parallel()
		r := newHeldRig(t, program, func(s *sshtest.Server) { s.MaxSessions = 1 })
		j := r.start(`stty -icanon -echo; echo ready; dd bs=1 count=3 2>/dev/null | od -An -c; stty size; read x; exit 6`, onTerminal)
		v := r.attach(j.ID, engine.TerminalOptions{Control: true, Size: engine.Size{Cols: 70, Rows: 18}, Client: "test"})
		v.sees("ready")
		if err := v.term.Write(r.ctx(), []byte("abc")); err != nil {
			t.Fatal(err)
		}
		v.sees("a   b   c")
		v.sees("18 70")
		if err := v.term.Write(r.ctx(), []byte("\n")); err != nil {
			t.Fatal(err)
		}
		v.until("its end", func() bool { return v.exit != nil })
		if v.exit.Code == nil || *v.exit.Code != 6 {
			t.Errorf("exit %+v", v.exit)
		}
	})
	t.Run("again", func(t *testing.T) {
		t.Parallel()
		r := newHeldRig(t, program, func(*sshtest.Server) {})
		mark := filepath.Join(t.TempDir(), "ran")
		j := r.start("echo x >>" + mark)
		if j.HostHolder == "" {
			t.Fatalf("started without the holder: %+v", j)
		}
		if exit, err := r.e.Handle(j.ID).Wait(r.ctx()); err != nil || exit.Status != engine.Exited {
			t.Fatalf("ended as %+v, %v", exit, err)
		}
		l := engine.Launch{Record: engine.Record{ID: j.ID, Dir: filepath.Join(r.state, "jobs", string(j.ID)), Job: j}}
		l.Spec = j.Spec()
		l.Spec.Host = "box"
		if _, err := r.b.Start(r.ctx(), l); err != nil {
			t.Fatal(err)
		}
		if data, _ := os.ReadFile(mark); string(data) != "x\n" {
			t.Errorf("ran as %q", data)
		}
	})
}
