package proc

// Tree answers questions about one snapshot. It is immutable and safe for
// concurrent use; its slices are the caller's.
type Tree struct {
	procs    []Process
	byPID    map[int]int   // pid to index in procs
	children map[int][]int // ppid to indexes in procs
}

// NewTree indexes a snapshot, which the tree then owns.
func NewTree(procs []Process) *Tree {
	t := &Tree{
		procs:    procs,
		byPID:    make(map[int]int, len(procs)),
		children: make(map[int][]int, len(procs)/2),
	}
	for i, p := range procs {
		t.byPID[p.PID] = i
		t.children[p.PPID] = append(t.children[p.PPID], i)
	}
	return t
}

// Process is the process that had pid at the time of the snapshot.
func (t *Tree) Process(pid int) (Process, bool) {
	i, ok := t.byPID[pid]
	if !ok {
		return Process{}, false
	}
	return t.procs[i], true
}

// Children are the direct children of pid: those it started and, if it is a
// subreaper, those it adopted.
func (t *Tree) Children(pid int) []Process {
	var out []Process
	for _, i := range t.children[pid] {
		out = append(out, t.procs[i])
	}
	return out
}

// Descendants are all processes below pid, parents before their children, pid
// itself not among them.
func (t *Tree) Descendants(pid int) []Process {
	var out []Process
	seen := map[int]bool{pid: true}
	next := []int{pid}
	for len(next) > 0 {
		parent := next[0]
		next = next[1:]
		for _, i := range t.children[parent] {
			p := t.procs[i]
			if seen[p.PID] {
				continue
			}
			seen[p.PID] = true
			out = append(out, p)
			next = append(next, p.PID)
		}
	}
	return out
}

// InSession are the processes whose session is sid.
func (t *Tree) InSession(sid int) []Process {
	return t.where(func(p Process) bool { return p.Session == sid })
}

// InGroup are the processes whose process group is pgid.
func (t *Tree) InGroup(pgid int) []Process {
	return t.where(func(p Process) bool { return p.PGID == pgid })
}

// Adopted are the children of the subreaper pid other than those it started
// itself, which the caller names.
func (t *Tree) Adopted(pid int, started ...int) []Process {
	own := make(map[int]bool, len(started))
	for _, s := range started {
		own[s] = true
	}
	return t.where(func(p Process) bool { return p.PPID == pid && !own[p.PID] })
}

// WithJobID are the processes whose environment has HOB_JOB_ID=id, as far as
// it may be read: those of the same user, or all for root.
func (t *Tree) WithJobID(id string) []Process {
	var r reader
	return t.where(func(p Process) bool { return !p.kernel && !p.Dead() && r.hasJobID(p.PID, id) })
}

func (t *Tree) where(match func(Process) bool) []Process {
	var out []Process
	for _, p := range t.procs {
		if match(p) {
			out = append(out, p)
		}
	}
	return out
}
