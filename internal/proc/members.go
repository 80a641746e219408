package proc

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"os"
	"slices"
)

// JobRef is everything known about a job's processes. Zero fields are unknown.
type JobRef struct {
	// Leader is the process that the job was started as.
	Leader Identity
	// Session is the session that belongs to the job alone: that of the leader, or that of the
	// holder if it leads the session of the job's terminal; 0 if the job shares a session.
	Session int
	// Holder is the job's own holder process. All its children belong to the job: the leader,
	// and the orphans that the holder adopts as a subreaper. A process that was not started
	// under [HolderName] is ignored, because it is a program with other children, too.
	Holder Identity
	// Subreaper means that the holder was a subreaper before it started the job. While the
	// holder lives, all members are its descendants, and no other processes are examined.
	Subreaper bool
	// Known are the processes that belonged to the job when it ended. They remain members
	// regardless of their session, parent and environment.
	Known []Identity
	// Others are children of the holder that do not belong to the job, with their descendants.
	Others []Identity
	// JobID is the value of HOB_JOB_ID in the job's environment.
	JobID string
}

// Members returns the living processes of a job, oldest first, and therefore parents before
// children. An error means that the members are unknown, not that there are none.
//
// Session and process group count only while their numbers cannot have been reused: while the
// leader has its pid, or no process has that pid and the holder lives (or is zero). For a job whose
// holder has died, only the environment counts.
func Members(job JobRef) ([]Process, error) {
	var s Scanner
	return s.Members(job)
}

// Members is like the function Members and reuses the scanner's buffers.
func (s *Scanner) Members(job JobRef) ([]Process, error) {
	procs, err := s.candidates(job)
	if err != nil {
		return nil, err
	}
	q := newQuery(job, byPID(procs), &s.reader)
	return q.members(), nil
}

// candidates returns a snapshot that includes all members of job.
func (s *Scanner) candidates(job JobRef) ([]Process, error) {
	if job.Subreaper {
		procs, err := s.Descendants(job.Holder.PID, 0)
		if err == nil && procs[0].Identity() == job.Holder && !procs[0].Dead() {
			return procs, nil
		}
	}
	return s.Scan()
}

// membership is the relation of a process to a job.
type membership int

const (
	unknown membership = iota
	inProgress
	outside
	inside
	excluded // another holder, or a descendant of one
)

// query finds the members of one job in one snapshot.
type query struct {
	job    JobRef
	procs  map[int]Process // the snapshot
	kin    *kin            // index of the snapshot; nil: all processes are examined
	reader inspector

	self  int
	since uint64 // start of the holder, or else of the leader; older processes are outside
	// The numbers of the job are none where another process may have them by now.
	leader, holder, session, group int
	known                          map[Identity]bool
	ancestors                      map[int]bool
	places                         map[int]membership
}

// none is a number that no process, session or group has. The kernel reports -1 as the session and
// group of a process that is about to vanish.
const none = math.MinInt

// inspector returns properties of a process that a snapshot does not include.
type inspector interface {
	hasJobID(pid int, id string) bool
	isHolder(pid int) bool
}

func newQuery(job JobRef, procs map[int]Process, reader inspector) *query {
	q := &query{
		job:       job,
		procs:     procs,
		reader:    reader,
		self:      os.Getpid(),
		leader:    none,
		holder:    none,
		session:   none,
		group:     none,
		ancestors: map[int]bool{},
		places:    map[int]membership{},
		known:     make(map[Identity]bool, len(job.Known)),
	}
	for _, id := range job.Known {
		q.known[id] = true
	}
	leads, taken := q.lookup(job.Leader)
	if leads {
		q.leader = job.Leader.PID
	}
	// A program that holds jobs itself also has children that are not members.
	if holds, _ := q.lookup(job.Holder); holds && reader.isHolder(job.Holder.PID) {
		q.holder = job.Holder.PID
	}
	holderMayLive := q.holder != none || job.Holder.IsZero()
	switch {
	case leads, !taken && holderMayLive:
		q.addLeaderNumbers()
	}
	if startsAreOrdered {
		q.since = firstStart(job.Leader, job.Holder)
	}
	if q.holder != none {
		q.addAncestors(q.holder)
	} else {
		q.addAncestors(q.leader)
	}
	return q
}

// addLeaderNumbers makes processes of the leader's session and group members. Their numbers have
// not been reused.
func (q *query) addLeaderNumbers() {
	if q.job.Leader.PID <= 0 {
		return
	}
	q.group = q.job.Leader.PID
	if q.job.Session > 0 {
		q.session = q.job.Session
	}
}

// firstStart returns the start of the process that precedes all members, 0 if it is unknown. A
// command that is kept running has a leader for each run, and daemons of all runs belong to the job:
// the holder is older than they are.
func firstStart(leader, holder Identity) uint64 {
	first := uint64(0)
	for _, id := range []Identity{leader, holder} {
		start, ok := startNumber(id)
		switch {
		case !ok:
		case first == 0, start < first:
			first = start
		}
	}
	return first
}

// lookup reports whether the process id is in the snapshot, even as a zombie, and whether any
// process has its pid.
func (q *query) lookup(id Identity) (same, taken bool) {
	p, taken := q.procs[id.PID]
	start, ok := startNumber(id)
	return taken && ok && p.Start == start, taken
}

// addAncestors records the ancestors of pid. A holder among them, that of an outer job, does not
// exclude the members of this job.
func (q *query) addAncestors(pid int) {
	for {
		p, ok := q.procs[pid]
		if !ok || p.PPID <= 0 || q.ancestors[p.PPID] {
			return
		}
		pid = p.PPID
		q.ancestors[pid] = true
	}
}

func (q *query) members() []Process {
	var out []Process
	for pid := range q.possible() {
		if p := q.procs[pid]; !p.Dead() && q.membership(pid) == inside {
			out = append(out, p)
		}
	}
	depths := make(map[int]int, len(out))
	for _, p := range out {
		depths[p.PID] = q.depth(p.PID)
	}
	slices.SortFunc(out, func(a, b Process) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(depths[a.PID], depths[b.PID]), cmp.Compare(a.PID, b.PID))
	})
	return out
}

func (q *query) depth(pid int) int {
	n := 0
	for p, ok := q.procs[pid]; ok && p.PPID > 0 && n < len(q.procs); n++ {
		p, ok = q.procs[p.PPID]
	}
	return n
}

func (q *query) membership(pid int) membership {
	if at := q.places[pid]; at == inProgress {
		return outside // a cycle, because pids were reused during the snapshot
	} else if at != unknown {
		return at
	}
	q.places[pid] = inProgress
	at := q.classify(pid)
	q.places[pid] = at
	return at
}

func (q *query) classify(pid int) membership {
	p, ok := q.procs[pid]
	if !ok || p.kernel {
		return outside
	}
	switch {
	case pid <= 1, pid == q.self:
		return outside
	case pid == q.holder, q.ancestors[pid], p.Start < q.since:
		return outside
	case pid == q.leader:
		return inside
	case q.membership(p.PPID) == excluded, q.reader.isHolder(pid), slices.Contains(q.job.Others, p.Identity()):
		return excluded
	case len(q.known) > 0 && q.known[p.Identity()],
		q.membership(p.PPID) == inside,
		p.PPID == q.holder,
		p.Session == q.session,
		p.PGID == q.group,
		q.hasJobID(p):
		return inside
	}
	return outside
}

// hasJobID reports whether the environment of a process names the job.
func (q *query) hasJobID(p Process) bool {
	return q.job.JobID != "" && !p.Dead() && q.reader.hasJobID(p.PID, q.job.JobID)
}

// hasVariable reports whether env, NAME=VALUE strings terminated by NUL bytes, contains
// exactly name=value.
func hasVariable(env []byte, name, value string) bool {
	want := name + "=" + value
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if string(kv) == want {
			return true
		}
	}
	return false
}

// arguments are a process's command line and its environment.
type arguments struct {
	argv []string
	env  []byte
}

// parseArguments parses the value of kern.procargs2 on macOS: the number of arguments in 32
// bits, the path of the program, padding, the arguments and the environment. Strings are
// terminated by NUL, except perhaps the last one.
func parseArguments(data []byte) (arguments, bool) {
	if len(data) < 4 {
		return arguments{}, false
	}
	count := int(binary.NativeEndian.Uint32(data))
	data = data[4:]
	path := bytes.IndexByte(data, 0)
	if path < 0 || count < 0 || count > len(data) {
		return arguments{}, false
	}
	data = bytes.TrimLeft(data[path:], "\x00")
	var a arguments
	for range count {
		end := bytes.IndexByte(data, 0)
		if end < 0 {
			return arguments{}, false
		}
		a.argv = append(a.argv, string(data[:end]))
		data = data[end+1:]
	}
	a.env = data
	return a, true
}
