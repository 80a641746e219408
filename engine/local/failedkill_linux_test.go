package local_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
)

// A holder that is short of file descriptors cannot find its job's processes. The stop fails, and
// the job continues as if it had not been requested.
func TestFailedKillDoesNotStop(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "read x; exit 4", Stdin: true})
	c, err := holder.Dial(t.Context(), s.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	status := func() holder.Facts {
		t.Helper()
		var f holder.Facts
		if err := c.Do(t.Context(), holder.TypeStatus, nil, &f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	pid := status().State.Holder.PID
	var before unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &before); err != nil {
		t.Fatal(err)
	}
	few := unix.Rlimit{Cur: 1, Max: before.Max}
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &few, nil); err != nil {
		t.Fatal(err)
	}
	err = c.Do(t.Context(), holder.TypeKill, holder.Kill{By: "test", Reason: "kill", GraceMS: time.Minute.Milliseconds()}, nil)
	if err == nil {
		t.Error("the holder killed without descriptors")
	}
	if st := status().State; st.Stopping != nil || st.Exit.Known() {
		t.Errorf("afterwards stopping %+v, end %+v", st.Stopping, st.Exit)
	}
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &before, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.run.Write(t.Context(), []byte("\n")); err != nil {
		t.Fatal(err)
	}
	if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 4 || exit.EndedBy != "" {
		t.Errorf("exit %+v", exit)
	}
}
