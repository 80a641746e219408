//go:build unix

package ssh

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// hush makes the holder of a job on the host one that accepts connections and does not answer, until the function
// that it returns is called.
func (r *rig) hush(j engine.Job) (speak func()) {
	r.Helper()
	socket := filepath.Join(testtool.TempDir(r), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { l.Close() })
	set := func(socket string) (was string) {
		st, err := jobdir.ReadState(j.HostDir)
		if err != nil {
			r.Fatal(err)
		}
		was, st.Socket = st.Socket, socket
		if err := jobdir.WriteState(j.HostDir, &st); err != nil {
			r.Fatal(err)
		}
		return was
	}
	was := set(socket)
	r.Cleanup(func() { set(was) })
	return func() { set(was) }
}

// The holder of a job on a host hangs: lists and details say so, as those of a job here, and a client that follows the
// job learns it, also when it answers again.
func TestHolderOnHostHangs(t *testing.T) {
	t.Parallel()
	r := newHeldRig(t, sshtest.BuildHolder(t), func(*sshtest.Server) {})
	j := r.start("exec sleep 300")
	other := r.start("exec sleep 300")
	r.endLater(j)
	r.endLater(other)
	watched := r.e.Subscribe(engine.Filter{})
	defer watched.Close()
	until := func(link engine.Link) engine.Job {
		t.Helper()
		for {
			events, err := watched.Next(r.ctx())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if e.Job.ID == other.ID && e.Job.Link != engine.LinkOK {
					t.Errorf("the other job is %s: %s", e.Job.Link, e.Job.LinkError)
				}
				if e.Job.ID == j.ID && e.Job.Link == link {
					return e.Job
				}
			}
		}
	}
	speak := r.hush(j)
	const why = "its supervisor process does not answer"
	if got := until(engine.LinkUnreachable); !strings.Contains(got.LinkError, why) || got.Status != engine.Running || got.StaleSince.IsZero() {
		t.Errorf("the follower saw %s, %q, since %v", got.Status, got.LinkError, got.StaleSince)
	}
	jobs, err := r.e.List(r.ctx(), engine.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range jobs {
		if quiet := got.Link == engine.LinkUnreachable; quiet != (got.ID == j.ID) {
			t.Errorf("the list has %s %s: %s", got.ID, got.Link, got.LinkError)
		}
	}
	speak()
	until(engine.LinkOK)
}
