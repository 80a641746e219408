package proc

import (
	"cmp"
	"os"
	"slices"
)

// JobRef says all that is known of a job's processes. Zero fields say nothing.
type JobRef struct {
	// Leader is the process that the job was started as.
	Leader Identity
	// Session is the session that belongs to the job alone: its leader's, or its
	// holder's if that leads the session of the job's terminal; 0 if it was not
	// given one.
	Session int
	// Holder is the job's own holder process. All its children are the job's:
	// the leader and the strays that it adopts as a subreaper. A process that was
	// not started under [HolderName] is none: it is a program with children of its
	// own, which holds jobs itself. As long as that holds this one, leave it zero.
	Holder Identity
	// Adopts: the holder is known to have been a subreaper since before it started
	// the job. While it lives all members are below it, and only those are looked at.
	Adopts bool
	// Known are processes that were the job's when it ended. They are as long as they
	// live, whatever session, parent and environment they have by then.
	Known []Identity
	// JobID is the value of HOB_JOB_ID in the job's environment.
	JobID string
	// Except are processes that are not the job's although they look so, with
	// everything under them: a notification command of the holder.
	Except []int
}

// Members are the living processes of a job, the oldest first, so parents
// before their children. An
// error means that nothing is known, not that the job is gone.
//
// Session and group count while the leader still has its pid, or nobody has
// it and the holder lives (or is zero); of a job whose holder has died only
// the environment tells, since the number of its session may be another's.
func Members(job JobRef) ([]Process, error) {
	var s Scanner
	defer s.Close()
	return s.Members(job)
}

// Members is the function of that name with the scanner's buffers.
func (s *Scanner) Members(job JobRef) ([]Process, error) {
	procs, err := s.around(job)
	if err != nil {
		return nil, err
	}
	q := newQuery(job, NewTree(procs), &s.reader)
	return q.members(), nil
}

// around is a snapshot that has all members of job and at least those.
func (s *Scanner) around(job JobRef) ([]Process, error) {
	if job.Adopts {
		procs, err := s.Descend(job.Holder.PID, 0)
		if err == nil && procs[0].Identity() == job.Holder && !procs[0].Dead() {
			return procs, nil
		}
	}
	return s.Scan()
}

// place is where a process stands towards a job.
type place int

const (
	unknown place = iota
	visiting
	outside
	inside
	barred // another holder, or under one, or excepted
)

// query finds the members of one job in one snapshot.
type query struct {
	job    JobRef
	tree   *Tree
	reader facts

	self     int
	since    uint64 // birth of the leader; older processes are outside
	leader   bool   // the leader's pid is still the leader's
	holder   bool   // the holder's pid is still the holder's
	numbers  bool   // session and group numbers are the job's
	known    map[Identity]bool
	above    map[int]bool
	places   map[int]place
	excepted map[int]bool
}

// facts are what a snapshot does not say of a process.
type facts interface {
	hasJobID(pid int, id string) bool
	isHolder(pid int) bool
}

func newQuery(job JobRef, tree *Tree, reader facts) *query {
	q := &query{
		job: job, tree: tree, reader: reader,
		self:     os.Getpid(),
		above:    map[int]bool{},
		places:   make(map[int]place, len(tree.procs)),
		excepted: make(map[int]bool, len(job.Except)),
		known:    make(map[Identity]bool, len(job.Known)),
	}
	for _, id := range job.Known {
		q.known[id] = true
	}
	for _, pid := range job.Except {
		q.excepted[pid] = true
	}
	var taken bool
	q.leader, taken = q.holds(job.Leader)
	q.holder, _ = q.holds(job.Holder)
	// A program that holds jobs itself has children of its own, and outlives them.
	q.holder = q.holder && reader.isHolder(job.Holder.PID)
	q.numbers = q.leader || (job.Leader.PID > 0 && !taken && (q.holder || job.Holder.IsZero()))
	if start, ok := startNumber(job.Leader); ok && startOrders {
		q.since = start
	}
	if q.holder {
		q.climb(job.Holder.PID)
	} else if q.leader {
		q.climb(job.Leader.PID)
	}
	return q
}

// holds reports whether id still has its pid, dead or alive, and whether
// anybody has it.
func (q *query) holds(id Identity) (same, taken bool) {
	p, taken := q.tree.Process(id.PID)
	start, ok := startNumber(id)
	return taken && ok && p.Start == start, taken
}

// climb notes who stands above pid: an outer job's holder is no barrier.
func (q *query) climb(pid int) {
	for {
		p, ok := q.tree.Process(pid)
		if !ok || p.PPID <= 0 || q.above[p.PPID] {
			return
		}
		pid = p.PPID
		q.above[pid] = true
	}
}

func (q *query) members() []Process {
	var out []Process
	for _, p := range q.tree.procs {
		if !p.Dead() && q.place(p.PID) == inside {
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
	for p, ok := q.tree.Process(pid); ok && p.PPID > 0 && n < len(q.tree.procs); n++ {
		p, ok = q.tree.Process(p.PPID)
	}
	return n
}

func (q *query) place(pid int) place {
	if at := q.places[pid]; at == visiting {
		return outside // a ring, of pids recycled during the pass
	} else if at != unknown {
		return at
	}
	q.places[pid] = visiting
	at := q.locate(pid)
	q.places[pid] = at
	return at
}

func (q *query) locate(pid int) place {
	p, ok := q.tree.Process(pid)
	switch {
	case !ok || pid <= 1 || p.kernel || pid == q.self:
		return outside
	case q.excepted[pid]:
		return barred
	case q.holder && pid == q.job.Holder.PID, q.above[pid], p.Start < q.since:
		return outside
	case q.leader && pid == q.job.Leader.PID:
		return inside
	}
	if q.place(p.PPID) == barred || q.reader.isHolder(pid) {
		return barred
	}
	switch {
	case len(q.known) > 0 && q.known[p.Identity()],
		q.place(p.PPID) == inside,
		q.holder && p.PPID == q.job.Holder.PID,
		q.numbers && q.job.Session > 0 && p.Session == q.job.Session,
		q.numbers && p.PGID == q.job.Leader.PID,
		q.job.JobID != "" && !p.Dead() && q.reader.hasJobID(pid, q.job.JobID):
		return inside
	}
	return outside
}

// MembersOf is Members of several jobs from one look at the processes.
func (s *Scanner) MembersOf(jobs []JobRef) ([][]Process, error) {
	procs, err := s.Scan()
	if err != nil {
		return nil, err
	}
	tree, reader := NewTree(procs), onePass{facts: &s.reader, holders: map[int]bool{}}
	members := make([][]Process, 0, len(jobs))
	for _, job := range jobs {
		members = append(members, newQuery(job, tree, reader).members())
	}
	return members, nil
}

// onePass asks what is the same for all jobs once a process.
type onePass struct {
	facts
	holders map[int]bool
}

func (f onePass) isHolder(pid int) bool {
	holder, known := f.holders[pid]
	if !known {
		holder = f.facts.isHolder(pid)
		f.holders[pid] = holder
	}
	return holder
}
