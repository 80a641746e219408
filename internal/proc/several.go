package proc

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
