//go:build unix

package ssh

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/sshtest"
)

// A holder program that does not work hides only the jobs that have one.
func TestJobsOfScriptsBesideABrokenHolder(t *testing.T) {
	t.Parallel()
	program := sshtest.BuildHolder(t) // or skips the test, before a job runs
	_, inHome := home(t)
	r := newRig(t, inHome)
	end := filepath.Join(t.TempDir(), "end")
	scripted := r.start("until [ -e " + end + " ]; do sleep 0.05; done")
	if _, err := r.b.InstallHolder(r.ctx(), "box", program); err != nil {
		t.Fatal(err)
	}
	held := r.start("exec sleep 300")
	r.endLater(held)
	if scripted.HostHolder != "" || held.HostHolder == "" {
		t.Fatalf("the holders are %q and %q", scripted.HostHolder, held.HostHolder)
	}
	working := held.HostHolder + ".works"
	broken := held.HostHolder + ".broken"
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho no\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	replace(t, held.HostHolder, working)
	replace(t, broken, held.HostHolder)
	defer replace(t, working, held.HostHolder)
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	record := func(j engine.Job) engine.Record {
		return engine.Record{ID: j.ID, Dir: filepath.Join(r.state, "jobs", string(j.ID)), Job: j}
	}
	for {
		seen, err := r.b.Observe(r.ctx(), []engine.Record{record(held), record(scripted)})
		if err != nil {
			t.Fatal(err)
		}
		if s := seen[held.ID]; s.Link != engine.LinkUnreachable || s.LinkError == "" {
			t.Fatalf("the job with a holder is %s, %s %q", s.Status, s.Link, s.LinkError)
		}
		s := seen[scripted.ID]
		if s.Link != engine.LinkOK {
			t.Fatalf("the job of the scripts is %s, %s %q", s.Status, s.Link, s.LinkError)
		}
		if s.Status.Finished() {
			return
		}
	}
}

func replace(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Error(err)
	}
}

// Two looks at a job overlap: the answer to the first is that nothing has changed, after the second has found the end and
// forgotten what it knew.
func TestUnchangedJobThatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	program := sshtest.BuildHolder(t)
	_, inHome := home(t)
	r := newRig(t, inHome)
	if _, err := r.b.InstallHolder(r.ctx(), "box", program); err != nil {
		t.Fatal(err)
	}
	j := r.start("exec sleep 300")
	r.endLater(j)
	rec := engine.Record{ID: j.ID, Dir: filepath.Join(r.state, "jobs", string(j.ID)), Job: j}
	h := r.b.host("box")
	base := filepath.Dir(j.HostDir)
	var l *heldListing
	for isSame := false; !isSame; isSame = l.Jobs[filepath.Base(j.HostDir)].Same {
		if l != nil {
			h.heldLook(rec, l, base)
		}
		var err error
		if l, err = h.listHeld(r.ctx(), base, []engine.Record{rec}); err != nil {
			t.Fatal(err)
		}
	}
	delete(h.held.last, j.ID)
	if look := h.heldLook(rec, l, base); look.Job == nil || look.Job.State.Status != engine.Running {
		t.Errorf("the look has found %+v", look.Job)
	}
}

// Others come to control the directory of hob's holder on a host: jobs that run are shown, and none is started by it.
func TestHolderThatOthersControl(t *testing.T) {
	t.Parallel()
	r := newHeldRig(t, sshtest.BuildHolder(t), func(*sshtest.Server) {})
	j := r.start("exec sleep 300")
	r.endLater(j)
	dir := filepath.Dir(j.HostHolder)
	set := func(mode os.FileMode) {
		if err := os.Chmod(dir, mode); err != nil {
			t.Error(err)
		}
	}
	set(0o777)
	defer set(0o700)
	if got, err := r.e.Handle(j.ID).Facts(r.ctx()); err != nil || got.Link != engine.LinkOK {
		t.Errorf("the job is %s, %s %s, %v", got.Status, got.Link, got.LinkError, err)
	}
	_, err := r.e.Start(r.ctx(), engine.Spec{Script: "true", Host: "box", Queue: "q"})
	if err == nil || !strings.Contains(err.Error(), dir+" can be changed by other users") {
		t.Errorf("a start: %v", err)
	}
}
