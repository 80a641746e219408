package cause

import "slices"

// heaviest returns the report of each run that counts. A caught exception counts only if the
// program printed nothing else after it.
func (r *reader) heaviest() (heaviest []report) {
	for _, found := range r.reports {
		found.followed = r.output[found.source] > found.Last
		if found.caught && found.followed {
			continue
		}
		n := slices.IndexFunc(heaviest, func(h report) bool { return h.run == found.run })
		switch {
		case n < 0:
			heaviest = append(heaviest, found)
		case found.outweighs(heaviest[n]):
			heaviest[n] = found
		}
	}
	return heaviest
}

// outweighs reports whether a report counts more than one before it in its run. The error of a tool
// that follows the report that a resource ran out repeats it.
func (f report) outweighs(before report) bool {
	a, b := f.weight(), before.weight()
	if a != b {
		return a > b
	}
	return !f.first && !before.exhausts()
}

func (f report) weight() int {
	if f.exhausts() {
		return max(f.rank, rankTool)
	}
	return f.rank
}

func (f report) exhausts() bool { return f.rank > rankWord && slices.Contains(exhausted, f.Kind) }

// ended reports whether the error of a report ended the program, although other output follows it. An exception
// may have ended only one command of a script, or the program may have printed it and gone on, unless the exit
// code is one that exceptions end programs with.
func (f report) ended(code int) bool {
	switch {
	case f.rank != rankRuntime:
		return f.ends()
	case code == 101, code > 128: // of Rust, or a signal
		return true
	case f.Kind == Panic:
		return code == 2 // of Go
	}
	return false
}

// choose returns the cause among the reports, of which each comes from another run. What was
// printed between two of them shows that the program went on after the first; so a later report
// counts, except if it merely contains a word such as "failed" or is of a lower rank.
func choose(reports []report, code int) (Cause, bool) {
	var best report
	for _, found := range reports {
		switch {
		case best.rank == 0, found.rank == rankCertain:
			best = found
		case best.rank == rankCertain:
		case found.rank == rankWord:
			if !best.ends() {
				best = found
			}
		case best.first && best.shape == found.shape:
			// The same compiler or test runner.
		case found.ends(), found.rank >= best.rank:
			best = found
		case best.Kind == found.Kind && best.Subject == found.Subject:
		default:
			return Cause{}, false
		}
	}
	best.Weak = best.rank == rankWord || best.followed && !best.ended(code)
	return best.Cause, best.rank > 0
}
