package cause

import (
	"slices"
	"strings"
)

// Find returns the cause of a failure with that exit code (128 plus the number for a signal, -1 if
// it is not known). The lines are the end of the output without escape sequences. It returns false
// if no line reports an error, if the program got over every error that it reported, or if two
// reports remain of which neither is plainly the cause.
func Find(lines []string, code int) (Cause, bool) {
	clean, sources := withoutPrefixes(lines)
	r := reader{
		lines:   clean,
		sources: sources,
		code:    code,
		aside:   -1,
		open:    map[string]int{},
		output:  map[string]int{},
		banners: map[string]string{},
	}
	for i, line := range clean {
		if text := strings.TrimSpace(line); text != "" && len(line) <= maxLine {
			r.read(i, text)
		}
	}
	if r.retrying {
		r.restore()
	}
	return choose(r.heaviest(), code)
}

// report is a cause that the output reports, with the rule that found it.
type report struct {
	Cause
	rule
	source   string // the prefix of its line
	run      int    // reports of one run have no other output between them
	caught   bool   // an exception that did not end the program by itself
	followed bool   // its source printed something else after it
}

// ends reports whether programs end with a report of this form.
func (f report) ends() bool { return f.rank >= rankCompile }

// network matches errors of connections that have no kind of their own.
var network pattern = `(?i)^curl: |connection (reset|aborted|closed|to (node|server)\b)|\b(connect|dial|download|fetch)\b|network is unreachable|no route to host|host is down|broken pipe|\bTLS\b|\bSSL\b`

// isNetwork reports whether a report is about a connection.
func (f report) isNetwork() bool {
	switch f.Kind {
	case ConnectionRefused, HostNotFound, Timeout:
		return true
	}
	return network.matches(f.Text)
}

// reader goes through an output once and keeps the reports that the program did not get over.
type reader struct {
	lines   []string
	sources []string
	code    int
	reports []report
	// survived are the last reports that the program got over. They count again if it gives up, and
	// if they are the last output while it is retrying.
	survived []report
	retrying bool
	aside    int               // the line after one about trouble that the program got over
	skip     int               // lines before this one are a part of the last report
	runs     int               // how many runs of reports began
	open     map[string]int    // the run to which the next report of a source belongs
	output   map[string]int    // the last line of each source that is no part of a report
	banners  map[string]string // the first line of each source
}

// read takes in one line.
func (r *reader) read(i int, text string) {
	if i < r.skip || r.echoes(i, text) {
		return
	}
	if i == r.aside && indented(r.lines[i]) {
		r.aside++ // more about the same
		return
	}
	found := r.at(i, text)
	switch s := r.sign(i, text, found); s {
	case goesOn:
		r.aside = i + 1
		r.survive(found)
	case warns:
		if !indented(r.lines[i]) {
			r.aside = i + 1
		}
		if found.rank > rankWord {
			r.survived, r.retrying = []report{found}, false
		}
	case passes:
		r.pass(i, text)
	case works:
		r.forget(i)
	case reaches:
		r.reach(i)
	case informs:
		r.other(i)
	default:
		if s == givesUp {
			r.restore()
		}
		r.take(i, text, found, s)
	}
}

// take keeps a report, or notes that the line is other output.
func (r *reader) take(i int, text string, found report, s sign) {
	switch {
	case found.rank == 0:
		if s == noSign && !r.partOfReport(i, found.rule) {
			r.other(i)
		}
	case r.repeats(text, found):
	case i == r.aside && found.caught:
		r.survive(found)
	default:
		r.reports = append(r.reports, found)
		r.survived, r.retrying = nil, false
		if summary.matches(text) {
			r.other(i)
		}
	}
}

// repeats reports whether a line only repeats that a command failed, and the report of that failure precedes it.
func (r *reader) repeats(text string, found report) bool {
	return len(r.reports) > 0 && !found.ends() && wrapper.matches(text)
}

// at returns the report of line i, of rank 0 if it has none.
func (r *reader) at(i int, text string) report {
	c, rule := at(r.lines, i, text, r.code)
	found := report{Cause: c, rule: rule, source: r.sources[i]}
	if rule.rank == rankRuntime {
		found.caught = caught(r.lines, i, text)
		if found.caught || r.printed(i, text) {
			found.rank = rankTool
		}
	}
	if rule.rank > 0 && strings.HasPrefix(text, "Traceback") {
		r.skip = c.Last + 1
	}
	if r.open[found.source] == 0 {
		r.runs++
		r.open[found.source] = r.runs
	}
	found.run = r.open[found.source]
	return found
}

// caught reports whether an exception was logged, ended a thread that is not the main one, or is a Go panic
// whose stack the program printed itself.
func caught(lines []string, i int, text string) bool {
	if strings.HasPrefix(text, "panic: ") {
		k, _ := following(lines, i, goStack)
		return strings.HasPrefix(lineAt(lines, k+1), "runtime/debug.Stack(")
	}
	if strings.HasPrefix(text, "Exception in thread ") {
		return !strings.HasPrefix(text, `Exception in thread "main" `)
	}
	return strings.HasPrefix(text, "Traceback") && logged.matches(lineAt(lines, i-1))
}

// printed reports whether an error of JavaScript lacks what Node.js prints about one that nothing
// caught, so the program may have printed it itself.
func (r *reader) printed(i int, text string) bool {
	around := r.lines[max(0, i-6):min(len(r.lines), i+reportLines)]
	return nodeError.matches(text) && !slices.ContainsFunc(around, thrown.matches)
}

// echoes reports whether the line is a command that npm or a shell prints before it runs it.
func (r *reader) echoes(i int, text string) bool {
	if strings.HasPrefix(text, "> ") {
		return npmEcho.matches(lineAt(r.lines, i-1))
	}
	return echo.matches(r.lines[i])
}

func indented(line string) bool { return strings.TrimLeft(line, " \t") != line }

// sign returns the sign of line i, as far as the report that the line has allows one.
func (r *reader) sign(i int, text string, found report) sign {
	s := signOf(text)
	if r.startsAgain(i, text) {
		s = works
	}
	switch s {
	case leavesOut:
		s = goesOn
		if r.endsRun(found) {
			return belongs // what is left out depends on what failed
		}
		fallthrough
	case goesOn:
		if found.rank == rankCompile || found.rank == rankTest || indented(r.lines[i]) {
			return noSign
		}
	case works, reaches:
		if found.rank > 0 {
			return noSign
		}
	case warns, informs:
		if found.ends() {
			return noSign
		}
	}
	return s
}

// endsRun reports whether a run has a report with which programs end.
func (r *reader) endsRun(of report) bool {
	return slices.ContainsFunc(r.reports, func(found report) bool { return found.run == of.run && found.ends() })
}

// startsAgain reports whether a program prints its first line again.
func (r *reader) startsAgain(i int, text string) bool {
	source := r.sources[i]
	first, ok := r.banners[source]
	switch {
	case !ok:
		r.banners[source] = ""
		if banner.matches(text) {
			r.banners[source] = digits.regexp().ReplaceAllString(text, "0")
		}
		return false
	case first == "", text[0] != first[0]:
		return false
	}
	return digits.regexp().ReplaceAllString(text, "0") == first
}

// survive drops the report of a line that says that the program goes on. If it has none, it drops
// those directly before the line.
func (r *reader) survive(found report) {
	if found.rank > rankWord {
		r.survived, r.retrying = []report{found}, true
		return
	}
	n := len(r.reports)
	for n > 0 && r.reports[n-1].run == found.run {
		n--
	}
	if n < len(r.reports) {
		r.survived = slices.Clone(r.reports[n:])
		r.reports = r.reports[:n]
	}
	r.retrying = len(r.survived) > 0
}

// restore takes back what the program did not get over after all.
func (r *reader) restore() {
	r.reports = append(r.reports, r.survived...)
	r.survived, r.retrying = nil, false
}

// pass drops what a test that passed has printed. A line that has the name of the test before its
// result has the name of the next one.
func (r *reader) pass(i int, text string) {
	run := r.open[r.sources[i]]
	if !strings.Contains(text, "... ") {
		r.reports = slices.DeleteFunc(r.reports, func(found report) bool {
			switch found.rank {
			case rankWord, rankCompile, rankTest:
				return false
			}
			return found.run == run
		})
	}
	r.other(i)
}

// forget drops all reports of a program that works now.
func (r *reader) forget(i int) {
	r.reports = slices.DeleteFunc(r.reports, func(found report) bool { return found.source == r.sources[i] })
	r.survived = nil
	r.other(i)
}

// reach drops the reports of failed connections, because a line shows that a connection succeeded.
func (r *reader) reach(i int) {
	r.reports = slices.DeleteFunc(r.reports, func(found report) bool {
		if found.ends() || found.source != r.sources[i] {
			return false
		}
		return found.isNetwork()
	})
	r.other(i)
}

// partOfReport reports whether a line belongs to the report before it.
func (r *reader) partOfReport(i int, matched rule) bool {
	n := len(r.reports)
	switch {
	case n > 0 && i <= r.reports[n-1].Last:
		return true
	case matched.shape != "", indented(r.lines[i]):
		return true
	}
	return strings.HasPrefix(r.sources[i], "│")
}

// other notes a line that is no part of a report.
func (r *reader) other(i int) {
	source := r.sources[i]
	r.output[source] = i
	r.runs++
	r.open[source] = r.runs
	r.retrying = false
}
