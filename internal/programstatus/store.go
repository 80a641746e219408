package programstatus

import (
	"slices"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// maxReports is how many reports a terminal keeps: the least that the protocol permits, since they are written to
// disk with the job's state.
const maxReports = 64

// Store holds the newest report on each task of the programs of one terminal. The zero value is empty. It is not
// safe for concurrent use.
type Store struct {
	reports []record.ProgramReport // from the least to the most recently updated
	groups  map[string]int         // the process groups that have reported, by the ID of the report
}

// Apply stores a report that was read at the given time, and reports whether that changed anything but the time.
func (s *Store) Apply(r Report, at time.Time) (changed bool) {
	if r.Clear {
		return s.drop(func(have record.ProgramReport) bool { return record.WithinReport(have.ID, r.ID) })
	}
	added := r.ProgramReport
	added.At = at
	same := func(have record.ProgramReport) bool { return have.ID == added.ID }
	if i := slices.IndexFunc(s.reports, same); i >= 0 {
		changed = !sameReport(s.reports[i], added)
		s.reports = slices.Delete(s.reports, i, i+1)
	} else {
		changed = true
	}
	if len(s.reports) == maxReports {
		delete(s.groups, s.reports[0].ID)
		s.reports = slices.Delete(s.reports, 0, 1)
	}
	s.reports = append(s.reports, added)
	if s.groups == nil {
		s.groups = map[string]int{}
	}
	s.groups[r.ID] = r.Group
	return changed
}

// EndRun removes the reports that something works or waits, because the program has ended or its shell shows a prompt
// again. Results and errors are kept for the user.
func (s *Store) EndRun() (changed bool) {
	return s.drop(func(have record.ProgramReport) bool {
		return !have.State.Ended()
	})
}

// EndGroups removes the same reports as [Store.EndRun], of the process groups that have ended.
func (s *Store) EndGroups(ended func(group int) bool) (changed bool) {
	return s.drop(func(have record.ProgramReport) bool {
		group := s.groups[have.ID]
		mayEnd := group != 0 && !have.State.Ended()
		return mayEnd && ended(group)
	})
}

// Clear removes all reports.
func (s *Store) Clear() (changed bool) {
	return s.drop(func(record.ProgramReport) bool { return true })
}

func (s *Store) drop(which func(record.ProgramReport) bool) (changed bool) {
	before := len(s.reports)
	s.reports = slices.DeleteFunc(s.reports, func(have record.ProgramReport) bool {
		dropped := which(have)
		if dropped {
			delete(s.groups, have.ID)
		}
		return dropped
	})
	return len(s.reports) < before
}

// MostUrgent returns the report that represents all; ok is false if there are none.
func (s *Store) MostUrgent() (most record.ProgramReport, ok bool) {
	if len(s.reports) == 0 {
		return most, false
	}
	most = slices.MaxFunc(s.reports, record.ProgramReport.Compare)
	most.App = s.appOf(most)
	return most, true
}

// Program returns all reports, with the most urgent one, or nil if there are none. The caller owns it.
func (s *Store) Program() *record.Program {
	reports := slices.Clone(s.reports)
	for i := range reports {
		reports[i].App = s.appOf(reports[i])
	}
	return record.NewProgram(reports)
}

// Empty reports whether there are no reports.
func (s *Store) Empty() bool { return len(s.reports) == 0 }

// appOf returns the app of a report: its own, or that of its nearest ancestor that has one.
func (s *Store) appOf(r record.ProgramReport) string {
	app, nearest := r.App, -1
	if app != "" {
		return app
	}
	for _, other := range s.reports {
		if other.App != "" && record.WithinReport(r.ID, other.ID) && len(other.ID) > nearest {
			app, nearest = other.App, len(other.ID)
		}
	}
	return app
}

// sameReport reports whether two reports on one task differ only in their time.
func sameReport(a, b record.ProgramReport) bool {
	percent := func(r record.ProgramReport) int {
		if r.Percent == nil {
			return -1
		}
		return *r.Percent
	}
	if percent(a) != percent(b) {
		return false
	}
	a.At, a.Percent = b.At, b.Percent
	return a == b
}
