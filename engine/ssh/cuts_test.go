//go:build unix

package ssh

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/sshtest"
)

// cuts is 72 for the whole campaign: 144 points with both manners of servers.
var cuts = flag.Int("ssh.cuts", 8, "at how many bytes to cut a start, with each manner of servers")

// cutStart starts a job while cut has the connections break, and reports whether
// it ran. In every case it ran once or not at all, its state reports which, and it is not
// started later.
func (r *rig) cutStart(name string, cut func(mark string) (heal func())) (ran bool) {
	r.Helper()
	r.open()
	defer r.e.Close()
	mark := filepath.Join(r.TempDir(), "ran")
	heal := cut(mark)
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Minute)
	defer cancel()
	j, err := r.e.Start(ctx, engine.Spec{Script: "echo x >>" + mark, Host: r.host})
	heal()
	if err != nil { // nothing was started
		if _, statErr := os.Stat(mark); statErr == nil {
			r.Errorf("%s: %v, but it ran", name, err)
		}
		return false
	}
	exit, err := r.e.Handle(j.ID).Wait(r.ctx())
	if err != nil {
		now, getErr := r.e.Handle(j.ID).Facts(r.Context())
		files, _ := filepath.Glob(filepath.Join(r.remote, "jobs", string(j.ID)+"*", "*"))
		r.Fatalf("%s: %v; it is %s, %s %s, %v; on the host there are %v", name, err, now.Status, now.Link, now.LinkError, getErr, files)
	}
	data, _ := os.ReadFile(mark)
	switch {
	case exit.Status == engine.Exited && string(data) != "x\n":
		r.Errorf("%s: it ended as %+v and ran as %q", name, exit, data)
	case exit.Status != engine.Exited && len(data) > 0:
		r.Errorf("%s: it ended as %+v, but it ran", name, exit)
	}
	return exit.Status == engine.Exited
}

// A start is cut off at many bytes, both ways counted together.
func TestStartCutAtAnyByte(t *testing.T) {
	t.Parallel()
	for _, manner := range []sshtest.Manner{sshtest.OpenSSH, sshtest.Dropbear} {
		t.Run(string(manner), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(s *sshtest.Server) { s.Manner = manner })
			// Logging in, a session and the request itself, and the answers.
			whole := 12<<10 + len(recipe.Prelude()) + len(recipe.Spawn(recipe.Job{Script: "true"}, rand.Text()))
			r.cutAtAnyByte(whole)
		})
	}
}

// cutAtAnyByte cuts starts off at many bytes of whole, which is about what a start takes.
func (r *rig) cutAtAnyByte(whole int) {
	r.Helper()
	runs := 0
	for i := range *cuts {
		at := whole * (i + 1) / *cuts
		if r.cutStart(fmt.Sprintf("at byte %d", at), func(string) func() {
			// So are the first connection and, if the start makes another one, that one too.
			begun := r.s.Connections()
			r.s.CutAfter(int64(at))
			ctx, cancel := context.WithCancel(r.Context())
			done := make(chan struct{})
			go func() { // ends with heal
				defer close(done)
				for ctx.Err() == nil && r.s.Connections() < begun+2 {
					time.Sleep(time.Millisecond)
				}
				r.s.CutAfter(0)
			}()
			return func() {
				cancel()
				<-done
				r.s.Cut()
			}
		}) {
			runs++
		}
	}
	r.Logf("%d of %d starts came through; a whole one takes about %d bytes", runs, *cuts, whole)
	if runs < *cuts/4 {
		r.Errorf("only %d of %d starts came through", runs, *cuts)
	}
}

// A start is cut off when the host has come so far: from there on it must be
// found again, not repeated.
func TestStartCutAtEachStep(t *testing.T) {
	t.Parallel()
	for _, manner := range []sshtest.Manner{sshtest.OpenSSH, sshtest.Dropbear} {
		t.Run(string(manner), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(s *sshtest.Server) { s.Manner = manner })
			r.cutAtEach("", "token", "run.*", "owner", "claim", "wrapper", "pid", "ready", "exit_code")
		})
	}
}

// cutAtEach cuts starts off when the job's directory has come so far.
func (r *rig) cutAtEach(steps ...string) {
	for _, step := range steps {
		before, _ := filepath.Glob(filepath.Join(r.remote, "jobs", "*", step))
		ran := r.cutStart("at "+step, func(string) func() {
			ctx, cancel := context.WithCancel(r.Context())
			done := make(chan struct{})
			go func() { // ends with heal
				defer close(done)
				for ctx.Err() == nil {
					if now, _ := filepath.Glob(filepath.Join(r.remote, "jobs", "*", step)); len(now) > len(before) {
						r.s.Cut()
						return
					}
					time.Sleep(time.Millisecond) // the host needs the processors
				}
			}()
			return func() {
				cancel()
				<-done
			}
		})
		if !ran {
			r.Errorf("cut when there was %q it did not run, though the host came back at once", step)
		}
	}
}
