package proc

import "time"

// The usage of a few jobs is measured again and again on machines with many other processes. Reading those
// costs much more than reading the members of the jobs.

// readAllEvery is how often a process that belongs to none of the jobs is read.
const readAllEvery = time.Minute

// seen is what a scanner knows from the snapshots for [Scanner.MembersOf].
type seen struct {
	all     map[int]Process // as last read
	read    map[int]bool    // for the last snapshot
	members map[int]bool    // of the jobs in the last snapshot
	readAll time.Time       // when the last snapshot was taken for which all were read
}

// scanFor is Scan for the members of jobs. It reads processes that are new, that belonged to a job, or whose
// parent has ended, which may make a holder their parent. Of others the snapshot has what was read up to
// readAllEvery ago: they do not become members in another way.
func (s *Scanner) scanFor(jobs []JobRef) ([]Process, error) {
	pids, err := s.pids()
	if err != nil {
		return nil, err
	}
	before := s.seen
	now := seen{all: make(map[int]Process, len(pids)), read: map[int]bool{}, readAll: before.readAll}
	if at := time.Now(); at.Sub(before.readAll) >= readAllEvery {
		before, now.readAll = seen{}, at
	}
	named := namedBy(jobs)
	exists := make(map[int]bool, len(pids))
	for _, pid := range pids {
		exists[pid] = true
	}
	procs := make([]Process, 0, len(pids))
	for _, pid := range pids {
		p, known := before.all[pid]
		orphaned := p.PPID != 0 && !exists[p.PPID]
		belongs := named[pid] || before.members[pid]
		if !known || belongs || orphaned {
			if p, known = s.stat(pid); !known { // it ended during the scan
				continue
			}
			now.read[pid] = true
		}
		now.all[pid] = p
		procs = append(procs, p)
	}
	s.seen = now
	return procs, nil
}

// namedBy returns the processes that the records of the jobs name.
func namedBy(jobs []JobRef) map[int]bool {
	named := make(map[int]bool, 2*len(jobs))
	for _, job := range jobs {
		named[job.Leader.PID], named[job.Holder.PID] = true, true
		for _, id := range job.Known {
			named[id.PID] = true
		}
	}
	return named
}

// current reads the members of a job that the last snapshot has from an earlier one, and returns those that
// still exist.
func (s *Scanner) current(members []Process) []Process {
	alive := members[:0]
	for _, p := range members {
		if !s.seen.read[p.PID] {
			again, ok := s.stat(p.PID)
			if !ok || again.Identity() != p.Identity() {
				continue
			}
			p = again
			s.seen.all[p.PID] = p
		}
		if s.seen.members == nil {
			s.seen.members = map[int]bool{}
		}
		s.seen.members[p.PID] = true
		alive = append(alive, p)
	}
	return alive
}
