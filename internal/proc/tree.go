package proc

// Tree answers questions about one snapshot. It is immutable and safe for
// concurrent use; its slices are the caller's.
type Tree struct {
	procs []Process
	byPID map[int]int // pid to index in procs
}

// NewTree indexes a snapshot, which the tree then owns.
func NewTree(procs []Process) *Tree {
	t := &Tree{
		procs: procs,
		byPID: make(map[int]int, len(procs)),
	}
	for i, p := range procs {
		t.byPID[p.PID] = i
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
