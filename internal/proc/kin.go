package proc

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// MembersOf is Members for several jobs, from a single snapshot. For a job without a JobID, whose members cannot be
// recognized by their environment, it examines only processes that are related to the job. It is meant for calls
// again and again with one scanner: a process that has an ID of another one that ended since may be missing for a
// minute.
func (s *Scanner) MembersOf(jobs []JobRef) ([][]Process, error) {
	procs, err := s.scanFor(jobs)
	if err != nil {
		return nil, err
	}
	members := membersOfAll(jobs, procs, &s.reader)
	for i := range members {
		members[i] = s.current(members[i])
	}
	return members, nil
}

func membersOfAll(jobs []JobRef, procs []Process, reader inspector) [][]Process {
	index, kin := byPID(procs), kinOf(procs)
	reader = cachedInspector{inspector: reader, holders: map[int]bool{}}
	members := make([][]Process, 0, len(jobs))
	for _, job := range jobs {
		q := newQuery(job, index, reader)
		q.kin = kin
		members = append(members, q.members())
	}
	return members
}

// cachedInspector caches results that are the same for all jobs.
type cachedInspector struct {
	inspector
	holders map[int]bool
}

func (f cachedInspector) isHolder(pid int) bool {
	holder, known := f.holders[pid]
	if !known {
		holder = f.inspector.isHolder(pid)
		f.holders[pid] = holder
	}
	return holder
}

// possible returns the processes of the snapshot that may be members. If the environment does not decide, these are
// the leader, the children of the holder, the processes in the job's session or process group, the known members,
// and the descendants of all of them.
func (q *query) possible() iter.Seq[int] {
	if q.kin == nil || q.job.JobID != "" {
		return maps.Keys(q.procs)
	}
	next := slices.Concat([]int{q.leader}, q.kin.parent.of(q.holder), q.kin.session.of(q.session), q.kin.group.of(q.group))
	for id := range q.known {
		next = append(next, id.PID)
	}
	found := map[int]bool{}
	for len(next) > 0 {
		pid := next[0]
		next = next[1:]
		if _, running := q.procs[pid]; running && !found[pid] {
			found[pid] = true
			next = append(next, q.kin.parent.of(pid)...)
		}
	}
	return maps.Keys(found)
}

// kin finds the processes of a snapshot that have the same parent, session or process group.
type kin struct{ parent, session, group relation }

func kinOf(procs []Process) *kin {
	return &kin{
		parent:  relate(procs, func(p *Process) int { return p.PPID }),
		session: relate(procs, func(p *Process) int { return p.Session }),
		group:   relate(procs, func(p *Process) int { return p.PGID }),
	}
}

// relation is an index of processes by one of their numbers, such as the session ID, in ascending order.
type relation struct{ numbers, pids []int }

func relate(procs []Process, number func(*Process) int) relation {
	order := make([]int, len(procs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(number(&procs[a]), number(&procs[b])) })
	r := relation{make([]int, len(procs)), make([]int, len(procs))}
	for i, at := range order {
		r.numbers[i], r.pids[i] = number(&procs[at]), procs[at].PID
	}
	return r
}

// of returns the IDs of the processes that have a number.
func (r relation) of(number int) []int {
	first, _ := slices.BinarySearch(r.numbers, number)
	end := first
	for end < len(r.numbers) && r.numbers[end] == number {
		end++
	}
	return r.pids[first:end]
}
