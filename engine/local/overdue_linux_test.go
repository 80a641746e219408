package local_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
)

// A holder that is short of file descriptors when a job's timeout expires cannot find the job's
// processes. It ends the job when it can.
func TestTimeoutIsRetried(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "sleep 1000", Timeout: 400 * time.Millisecond})
	st := s.state(t)
	var before unix.Rlimit
	if err := unix.Prlimit(st.Holder.PID, unix.RLIMIT_NOFILE, nil, &before); err != nil {
		t.Fatal(err)
	}
	few := unix.Rlimit{Cur: 1, Max: before.Max}
	if err := unix.Prlimit(st.Holder.PID, unix.RLIMIT_NOFILE, &few, nil); err != nil {
		t.Fatal(err)
	}
	// This waits for no event: on a slow machine nothing may have happened yet, and then the test
	// proves less.
	time.Sleep(time.Until(st.Deadline) + 200*time.Millisecond)
	if err := unix.Prlimit(st.Holder.PID, unix.RLIMIT_NOFILE, &before, nil); err != nil {
		t.Fatal(err)
	}
	if exit := s.wait(t); exit.Reason != engine.ReasonTimeout {
		t.Errorf("reason %q, want %q", exit.Reason, engine.ReasonTimeout)
	}
}
