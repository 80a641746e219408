// Package termstatus reports the status of hob and its jobs to the terminal that hob runs in, with OSC 7501, the
// Program Status Protocol.
//
// Send [Query] first: the sequences of a [Reporter] are only for a terminal that answers it ([IsAnswer]).
package termstatus

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine/record"
)

// Query asks the terminal whether it keeps reports. Send a query that every terminal answers after it: if that
// answer comes first, there will be no answer to Query.
const Query = ansi.RequestProgramStatusSupport

// IsAnswer reports whether an escape sequence is the answer to Query. It may list what the terminal supports.
func IsAnswer(seq []byte) bool { return bytes.HasPrefix(seq, []byte("\x1b]7501;?")) }

// Every is the minimum time between two updates of a terminal.
const Every = 250 * time.Millisecond

// maxReports is the number of reports that the protocol requires every terminal to keep.
const maxReports = 64

// Reporter keeps track of the reports that the terminal has, and returns the sequences that change them. The zero value
// has sent nothing. It is not safe for concurrent use.
type Reporter struct {
	sent map[string]string // the sequences by the ID of the report
}

// Update returns the sequences after which the terminal has these reports and no others; "" if there is nothing to
// change. The most urgent reports come first: those beyond the limit of the protocol are left out.
func (r *Reporter) Update(reports []record.ProgramReport) string {
	now := make(map[string]string, len(reports))
	for _, report := range reports[:min(len(reports), maxReports)] {
		if seq := encode(report); seq != "" {
			now[report.ID] = seq
		}
	}
	var b strings.Builder
	if len(r.sent) == 0 && len(now) > 0 {
		b.WriteString(ansi.ClearProgramStatus) // what an earlier program has left behind
	}
	for _, id := range slices.Sorted(maps.Keys(r.sent)) {
		_, sent := r.sent[id]
		if _, stays := now[id]; sent && !stays {
			b.WriteString(ansi.ClearProgramStatusID(id))
			maps.DeleteFunc(r.sent, func(below, _ string) bool { return record.WithinReport(below, id) })
		}
	}
	for _, id := range slices.Sorted(maps.Keys(now)) {
		if r.sent[id] != now[id] {
			b.WriteString(now[id])
		}
	}
	r.sent = now
	return b.String()
}

// Clear returns the sequence that withdraws all reports; "" if there are none.
func (r *Reporter) Clear() string {
	if len(r.sent) == 0 {
		return ""
	}
	r.sent = nil
	return ansi.ClearProgramStatus
}

// Last returns the sequences that leave behind only whether the job has failed; "" if the terminal has no report of
// the job.
func (r *Reporter) Last(job string, failed bool) string {
	if len(r.sent) == 0 {
		return ""
	}
	state := record.ProgramDone
	if failed {
		state = record.ProgramError
	}
	return r.Clear() + r.Update([]record.ProgramReport{{State: state, App: App, Title: job}})
}

// App is the name of hob in its own reports.
const App = "hob"

// encode returns the sequence of a report.
func encode(r record.ProgramReport) string {
	s := ansi.ProgramStatus{
		State:   ansi.ProgramState(r.State),
		ID:      r.ID,
		App:     r.App,
		Kind:    ansi.ProgramStatusKind(r.Kind),
		Title:   r.Title,
		Message: r.Message,
	}
	if r.Percent != nil {
		s.Progress, s.HasProgress = *r.Percent, true
	}
	return ansi.SetProgramStatus(s)
}
