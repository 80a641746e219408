package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/testtool"
)

// unreadable makes every read of the file at path fail, until the returned function is called:
// address 0 of a process is not mapped.
func unreadable(t *testing.T, path string) (readable func()) {
	t.Helper()
	return covered(t, "/proc/self/mem", path)
}

// pinned makes path a file that can be read but not replaced until the returned function is called.
func pinned(t *testing.T, path string) (free func()) {
	t.Helper()
	return covered(t, path, path)
}

// covered mounts the file by over path, so that nothing can be renamed onto it, until the returned
// function is called.
func covered(t *testing.T, by, path string) (uncover func()) {
	t.Helper()
	testtool.NeedMounts(t)
	if err := unix.Mount(by, path, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	mounted := true
	uncover = func() {
		if mounted {
			mounted = false
			if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(uncover)
	return uncover
}

func TestJobWithUnreadableRecords(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "echo begun; read x; exit 6", Stdin: true})
	s.printed(t, "begun")
	e, err := engine.New(engine.WithStateDir(p.root.Path()), engine.WithBackend(p.b))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	readable := unreadable(t, filepath.Join(s.dir, jobdir.StateFile))

	jobs, err := e.List(t.Context(), engine.Filter{})
	if err != nil || len(jobs) != 1 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	const why = "state.json cannot be read"
	if j := jobs[0]; j.Status != engine.Running || j.Link != engine.LinkUnreachable || !strings.Contains(j.LinkError, why) {
		t.Errorf("in the list it is %s, link %s, %q", j.Status, j.Link, j.LinkError)
	}
	if o := p.observe(t, s.dir); o.Status != engine.Running || o.Link != engine.LinkUnreachable || !strings.Contains(o.LinkError, why) {
		t.Errorf("observed as %s, link %s, %q", o.Status, o.Link, o.LinkError)
	}
	j, err := e.Handle(s.rec.ID).Facts(t.Context())
	if err != nil || j.Status != engine.Running || j.Link != engine.LinkUnreachable || !strings.Contains(j.LinkError, why) {
		t.Errorf("by itself it is %s, link %s, %q, %v", j.Status, j.Link, j.LinkError, err)
	}
	readable()
	j, err = e.Handle(s.rec.ID).Facts(t.Context())
	if err != nil || j.Status != engine.Running || j.Link != engine.LinkNone {
		t.Errorf("afterwards %s, link %s, %v", j.Status, j.Link, err)
	}
	if err := s.run.Write(t.Context(), []byte("\n")); err != nil {
		t.Fatal(err)
	}
	if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 6 {
		t.Errorf("exit %+v", exit)
	}
}

// A program that releases its jobs does not wait for a disk.
func TestCloseWithUnrecordableJobs(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	for name, spec := range map[string]engine.Spec{
		"it runs, with a terminal": {Script: "echo begun; exec sleep 1000", PTY: true},
		"it runs, without":         {Script: "echo begun; exec sleep 1000"},
		"it has ended":             {Command: []string{"sh", "-c", `echo begun; while [ ! -e "$0" ]; do sleep 0.02; done`, mark}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, local.InProcess())
			s := p.start(t, spec)
			s.printed(t, "begun")
			leader := s.state(t).Leader
			pinned(t, filepath.Join(s.dir, jobdir.StateFile))
			if spec.Command != nil {
				if err := os.WriteFile(mark, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				eventually(t, "it ends", func() bool { return !proc.Alive(leader) })
			}
			if err := p.b.Close(); err == nil || !strings.Contains(err.Error(), "the end of "+string(s.rec.ID)+" cannot be recorded") {
				t.Errorf("close: %v", err)
			}
			if proc.Alive(leader) {
				t.Error("the job still runs")
			}
			eventually(t, "the holder has exited", func() bool { return !jobdir.Locked(s.dir) })
		})
	}
}

// Wait returns how the job ended even if that cannot be recorded.
func TestWaitForUnrecordableEnd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	mark := filepath.Join(t.TempDir(), "mark")
	s := p.start(t, engine.Spec{Command: []string{"sh", "-c", `echo begun; while [ ! -e "$0" ]; do sleep 0.02; done; exit 7`, mark}})
	s.printed(t, "begun")
	e, err := engine.New(engine.WithStateDir(p.root.Path()), engine.WithBackend(p.b))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	free := pinned(t, filepath.Join(s.dir, jobdir.StateFile))
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	exit, err := e.Handle(s.rec.ID).Wait(t.Context())
	if !errors.Is(err, engine.ErrUnrecorded) || exit.Status != engine.Exited || exit.Code == nil || *exit.Code != 7 {
		t.Errorf("exit %+v, %v", exit, err)
	}
	if j, err := e.Handle(s.rec.ID).Facts(t.Context()); err != nil || j.Status != engine.Exited || j.Unrecorded == nil {
		t.Errorf("it is shown as %s, unrecorded %v, %v", j.Status, j.Unrecorded, err)
	}
	free()
	eventually(t, "it is recorded", func() bool {
		exit, err = e.Handle(s.rec.ID).Wait(t.Context())
		return err == nil
	})
	if exit.Status != engine.Exited || *exit.Code != 7 {
		t.Errorf("then %+v", exit)
	}
}
