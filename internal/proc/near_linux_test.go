package proc

import (
	"slices"
	"syscall"
	"testing"
	"time"
)

// While some jobs are measured again and again, processes that belong to none of them are not read again, and
// nothing of what belongs to them is missed.
func TestMembersOfReadsOnlyWhatMayBelong(t *testing.T) {
	forks := startTree(t, `trap "sh -c '`+stay+`' &" USR1; echo $$ >&3; while :; do sleep 0.05; done`)
	other := startTree(t, `sh -c '`+stay+`' & `+stay)
	forks.pids(1)
	others := other.pids(2)
	forks.ref.JobID, other.ref.JobID = "", ""
	var s Scanner
	membersOf := func(jobs ...JobRef) (pids []int) {
		t.Helper()
		members, err := s.MembersOf(jobs)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range slices.Concat(members...) {
			if p.Comm == "stale" {
				t.Errorf("%d was not read", p.PID)
			}
			pids = append(pids, p.PID)
		}
		return pids
	}
	membersOf(forks.ref)
	for _, pid := range others {
		p := s.seen.all[pid]
		p.Comm = "stale"
		s.seen.all[pid] = p
	}

	if err := syscall.Kill(forks.ref.Leader.PID, syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	child := forks.pids(1)[0]
	if pids := membersOf(forks.ref); !slices.Contains(pids, child) || !slices.Contains(pids, forks.ref.Leader.PID) {
		t.Errorf("%v without the new process %d", pids, child)
	}
	for _, pid := range others {
		if s.seen.all[pid].Comm != "stale" {
			t.Errorf("%d was read", pid)
		}
	}

	pids := membersOf(forks.ref, other.ref)
	for _, pid := range others {
		if !slices.Contains(pids, pid) {
			t.Errorf("%v without %d, of a job that is measured now", pids, pid)
		}
	}

	for _, pid := range others {
		p := s.seen.all[pid]
		p.Comm = "stale"
		s.seen.all[pid] = p
	}
	s.seen.members = nil
	s.seen.readAll = s.seen.readAll.Add(-readAllEvery - time.Second)
	membersOf(forks.ref)
	for _, pid := range others {
		if s.seen.all[pid].Comm == "stale" {
			t.Errorf("%d was not read after a while", pid)
		}
	}
}
