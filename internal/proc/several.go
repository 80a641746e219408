package proc

// MembersOf is Members of several jobs from one look at the processes.
func (s *Scanner) MembersOf(jobs []JobRef) ([][]Process, error) {
	procs, err := s.Scan()
	if err != nil {
		return nil, err
	}
	tree := NewTree(procs)
	members := make([][]Process, 0, len(jobs))
	for _, job := range jobs {
		members = append(members, newQuery(job, tree, &s.reader).members())
	}
	return members, nil
}
