package holder

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/cause"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/programstatus"
)

// A list shows one sentence about each job. No list searches logs for it: the holder records what the
// output shows of an end, and a client that watches a job reads the last line when the output has grown.

const (
	// summaryRead and summaryLines are how much of the end of an output is searched for why a job failed,
	// in bytes and in lines. Callers wait for the end meanwhile; `hob why` searches more.
	summaryRead  = 16 << 10
	summaryLines = 100
	// maxSummary is the length in characters at which a summary is cut.
	maxSummary = 200
)

// addCurrent adds to the state of a job that runs what the end of its output shows: the last line, and for a
// job that has no terminal what its program reports of itself. There is none while a full-screen program
// draws, and before the first output of a run.
func addCurrent(dir string, r *record.Request, s *record.State) {
	switch {
	case s.Output == 0, s.Alternate:
		return
	case s.Exit.Known(), s.Runs.Between():
		return
	}
	if r.Kind == record.KindFile || s.NoTerminal {
		s.Program = reportsIn(dir, r.Streams()).Program()
	}
	for _, stream := range slices.Backward(r.Streams()) {
		output, _ := endOf(dir, stream, logfile.LastLineRead)
		line := logfile.LastLine(output)
		if line != "" && !record.IsRunLine(line) {
			s.Line = line
			return
		}
	}
}

// reportsIn returns what the ends of the outputs of a job without a terminal report: of the last stream that reports
// anything.
func reportsIn(dir string, streams []record.Stream) *programstatus.Store {
	reports := &programstatus.Store{}
	for _, stream := range slices.Backward(streams) {
		output, written := endOf(dir, stream, programstatus.Searched)
		if reports.Read(output, written); !reports.Empty() {
			break
		}
	}
	return reports
}

// LastLine returns the last line of the output, as [record.State.Line]: if the job needs input, the question.
func (h *Holder) LastLine() string {
	st := h.State()
	st.Output = h.Offset()
	addCurrent(h.cfg.Dir, &h.cfg.Meta.Request, &st)
	return clip(st.Line)
}

// findFinalReports reads the reports in the output of a job without a terminal, at the end of a run: no emulator has
// read that output.
func (h *Holder) findFinalReports() {
	if h.term != nil {
		return
	}
	reports := reportsIn(h.cfg.Dir, h.cfg.Meta.Streams())
	h.mu.Lock()
	defer h.mu.Unlock()
	h.program, h.programDue = *reports, true
	h.lastReport, _ = reports.MostUrgent()
}

// FinalReportsIn returns [record.State.Program] for an end that only the files in dir show: the last reports in the
// outputs, which must be complete.
func FinalReportsIn(dir string, streams []record.Stream) *record.Program {
	return reportsIn(dir, streams).Program().FinalReports()
}

// SummaryIn returns [record.Exit.Summary] for an end. The logs in dir must have all output of that run.
func SummaryIn(dir string, streams []record.Stream, end *record.Exit) string {
	if !showsInOutput(end) {
		return ""
	}
	var lines []string
	for _, stream := range streams {
		output, _ := endOf(dir, stream, summaryRead)
		found := logfile.LastLines(output)
		for i, line := range slices.Backward(found) {
			if record.IsRunLine(line) {
				found = found[i+1:]
				break
			}
		}
		lines = append(lines, found...)
	}
	return SummaryOf(lines, end)
}

// summaryOf is SummaryIn for a job that has just ended, with the name of the job that listens on a port in use.
func (h *Holder) summaryOf(end *record.Exit) string {
	text := SummaryIn(h.cfg.Dir, h.cfg.Meta.Streams(), end)
	if port, ok := cause.PortInUseIn(text); ok {
		if name := h.jobListening(port); name != "" {
			return logfile.FirstRunes(text+" by "+name, maxSummary)
		}
	}
	return text
}

// jobListening returns the name of another job that listens on a port.
func (h *Holder) jobListening(port int) string {
	id := proc.JobListening(port)
	if !filepath.IsLocal(id) || id != filepath.Base(id) || id == filepath.Base(h.cfg.Dir) {
		return ""
	}
	meta, err := jobdir.ReadMeta(filepath.Join(filepath.Dir(h.cfg.Dir), id))
	if err != nil {
		return ""
	}
	return meta.Name
}

// showsInOutput reports whether the output may show why a job ended so: otherwise the reason is all that
// matters.
func showsInOutput(end *record.Exit) bool {
	return end.Reason == record.ReasonExit || end.Reason == record.ReasonSignal
}

// SummaryOf returns [record.Exit.Summary] for an end, given the last lines of the output.
func SummaryOf(lines []string, end *record.Exit) string {
	if !showsInOutput(end) {
		return ""
	}
	code := cmp.Or(end.Code, new(-1))
	lines = lines[max(0, len(lines)-summaryLines):]
	text, found := cause.Summary(lines, *code)
	if end.Signal != "" && !found { // the signal says more than the last line
		return ""
	}
	return logfile.FirstRunes(text, maxSummary)
}

// endOf returns the last n bytes of a log, fewer if there are none or it cannot be read, and when they were
// written.
func endOf(dir string, stream record.Stream, n int64) (p []byte, written time.Time) {
	f, err := plainfile.Open(filepath.Join(dir, stream.File()))
	if err != nil {
		return nil, time.Time{}
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, time.Time{}
	}
	p = make([]byte, min(n, fi.Size()))
	got, _ := f.ReadAt(p, fi.Size()-int64(len(p))) // what was read before an error is enough
	return p[:got], fi.ModTime()
}
