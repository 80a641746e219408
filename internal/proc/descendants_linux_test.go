package proc

import (
	"errors"
	"os/exec"
	"slices"
	"testing"
)

func TestDescendants(t *testing.T) {
	// The leader has two children; the second has a child in a session of its own.
	tr := startTree(t, `sh -c '`+stay+`' & sh -c 'setsid sh -c "echo \$\$ >&3; while :; do sleep 1000; done" & `+stay+`' & `+stay)
	said := tr.pids(4)
	var s Scanner

	procs, err := s.Descendants(tr.ref.Leader.PID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if procs[0].Identity() != tr.ref.Leader {
		t.Errorf("begins with %+v, not the leader", procs[0])
	}
	at := map[int]int{}
	for i, p := range procs {
		at[p.PID] = i
		if parent, ok := at[p.PPID]; i > 0 && (!ok || parent >= i) {
			t.Errorf("%d precedes its parent %d", p.PID, p.PPID)
		}
	}
	for _, pid := range said {
		if _, ok := at[pid]; !ok {
			t.Errorf("%d is missing in %+v", pid, procs)
		}
	}
	if few, err := s.Descendants(tr.ref.Leader.PID, 2); err != nil || len(few) != 2 {
		t.Errorf("at most two: %+v, %v", few, err)
	}
	if _, err := s.Descendants(0, 0); !errors.Is(err, ErrGone) {
		t.Errorf("of an unused pid: %v", err)
	}
}

func TestDescendantsOfThreads(t *testing.T) {
	// The Go runtime starts children from any of its threads.
	var want []int
	for range 8 {
		want = append(want, startTree(t, stay).ref.Leader.PID)
	}
	var s Scanner
	procs, err := s.Descendants(Self().PID, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range want {
		if !slices.ContainsFunc(procs, func(p Process) bool { return p.PID == pid }) {
			t.Errorf("child %d is missing", pid)
		}
	}
}

func TestMembersOfSubreaperAreDescendants(t *testing.T) {
	tr := startWithHolder(t, stay)
	tr.pids(1)
	// Another process has the job's variable and is not a descendant. With a subreaper as
	// the holder, it cannot be a process of the job.
	other := startTree(t, stay, func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, JobVariable+"="+tr.ref.JobID) })
	other.pids(1)
	for _, adopts := range []bool{true, false} {
		ref := tr.ref
		ref.Subreaper = adopts
		procs, err := Members(ref)
		if err != nil {
			t.Fatal(err)
		}
		has := func(pid int) bool {
			return slices.ContainsFunc(procs, func(p Process) bool { return p.PID == pid })
		}
		if !has(tr.ref.Leader.PID) || has(tr.ref.Holder.PID) {
			t.Errorf("subreaper %v: %+v", adopts, procs)
		}
		if has(other.ref.Leader.PID) == adopts {
			t.Errorf("subreaper %v: the other process is a member: %v", adopts, !adopts)
		}
	}
	gone := tr.ref
	gone.Subreaper, gone.Holder.Start = true, gone.Holder.Start+"0"
	if procs, err := Members(gone); err != nil || len(procs) == 0 {
		t.Errorf("of a holder that has ended: %+v, %v", procs, err)
	}
}
