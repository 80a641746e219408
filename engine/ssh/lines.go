package ssh

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/programstatus"
)

// A list shows the last line of a job that runs, what its program reports, and why one has failed. A host has no
// holder that knows them, so the client reads the end of the log: of a job that runs whenever it has printed, and of
// every job once when its end is found.

const (
	// linePause is the least time between two reads of the last line of a job.
	linePause = time.Second
	// lineRead is how much of the end of a log is read at least, for its last line. Of what is new, mostRead is read,
	// for the reports of the programs; at the end of a job, as much for why it ended and what was reported last.
	lineRead = 1 << 10
	mostRead = programstatus.Searched
)

// lineFacts is the last line of a job that is watched or read.
type lineFacts struct {
	output int64 // what the job had printed
	at     time.Time
	text   string
	said   programstatus.Store // what its programs have said; it is never changed
}

// saidWith returns what the programs of the job have said when it has printed output bytes, given the ends of its logs.
// If it has printed more since the last read than these have, what worked or waited may have ended.
func (f *lineFacts) saidWith(ends [][]byte, output int64, at time.Time) programstatus.Store {
	said := f.said.Clone()
	if output-f.output > mostRead {
		said.EndRun()
	}
	for _, end := range ends {
		said.Read(end, at)
	}
	return said
}

// endsOf are the ends of the logs of a job that are read.
type endsOf struct {
	id   engine.ID
	logs []logEnd
}

type logEnd struct {
	file string
	off  int64
	n    int
}

// ends reads the ends of logs in one request, in the order of the streams.
func (h *host) ends(ctx context.Context, asked []endsOf) map[engine.ID][][]byte {
	asked = asked[:min(len(asked), maxChecks)]
	if len(asked) == 0 {
		return nil
	}
	var script strings.Builder
	var ids []engine.ID
	var ranges []recipe.Range
	for _, e := range asked {
		for _, l := range e.logs {
			ids, ranges = append(ids, e.id), append(ranges, recipe.Cover(l.off, l.n))
			script.WriteString(recipe.FetchLine(l.file, ranges[len(ranges)-1]) + "\n")
		}
	}
	a, err := h.ask(ctx, quick, script.String(), askOptions{})
	if err != nil {
		return nil // a sentence is missing
	}
	found := make(map[engine.ID][][]byte, len(asked))
	for i, data := range recipe.ParseLines(a.Out) {
		if i < len(ids) {
			found[ids[i]] = append(found[ids[i]], data[min(len(data), ranges[i].Drop):])
		}
	}
	return found
}

// endsIn returns the ends of the logs of the job r in the directory dir that a listing has found, at most most bytes
// of each. There are none if it printed nothing.
func endsIn(dir string, r engine.Record, e *recipe.Entry, most int64) []endsOf {
	var logs []logEnd
	for _, s := range r.Job.Streams() {
		size := e.Sizes[s.File()]
		if size > 0 && !slices.Contains(e.Strange, s.File()) {
			n := min(size, most)
			logs = append(logs, logEnd{path.Join(dir, s.File()), size - n, int(n)})
		}
	}
	if len(logs) == 0 {
		return nil
	}
	return []endsOf{{r.ID, logs}}
}

// lastLine returns the last line of the last log that has one.
func lastLine(ends [][]byte) string {
	for _, end := range slices.Backward(ends) {
		if line := logfile.LastLine(end); line != "" {
			return line
		}
	}
	return ""
}

// withLines returns the observed states with the last lines of the jobs that run, and what their programs report.
func (h *host) withLines(ctx context.Context, rs []engine.Record, seen map[engine.ID]engine.State) map[engine.ID]engine.State {
	complete := maps.Clone(seen)
	for more := true; more; { // a request reads those of some jobs
		more = h.readLines(ctx, rs, complete)
	}
	return complete
}

// readLines reads the last lines of jobs that are watched or read and have printed, and completes their observed
// states. It reports whether it has read any.
func (h *host) readLines(ctx context.Context, rs []engine.Record, seen map[engine.ID]engine.State) bool {
	now := time.Now()
	var asked []endsOf
	for _, r := range rs {
		o, f := seen[r.ID], h.logsOf(r.ID)
		due := o.Output != f.line.output && now.Sub(f.line.at) >= linePause
		readable := f.entry != nil && o.HostHolder == "" // a holder has read all output
		if !readable || !due || o.Status != engine.Running {
			continue
		}
		dir, err := (&Run{b: h.b, h: h, rec: r}).dir(ctx, false)
		if err != nil {
			return false
		}
		asked = append(asked, endsIn(dir, r, f.entry, min(max(o.Output-f.line.output, lineRead), mostRead))...)
	}
	found := h.ends(ctx, asked)
	for id, data := range found {
		o := seen[id]
		last := h.logsOf(id).line
		h.foundLine(id, lineFacts{
			output: o.Output,
			at:     now,
			text:   lastLine(data),
			said:   last.saidWith(data, o.Output, now),
		})
		h.addLine(id, &o)
		seen[id] = o
	}
	return len(found) > 0
}

func (h *host) foundLine(id engine.ID, found lineFacts) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f, watched := h.logs[id]; watched {
		f.line = found
		h.logs[id] = f
	}
}

// addLine adds to an observed state the last line that was read, and what the program said with it.
func (h *host) addLine(id engine.ID, o *engine.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o.Line = ""
	switch {
	case o.Status == engine.Running:
		found := h.logs[id].line
		o.Line, o.Program = found.text, found.said.Program()
	case !o.Status.Finished():
		o.Program = nil
	}
}

// readEnds reads the ends of the logs of jobs in base that have ended according to a listing.
func (h *host) readEnds(ctx context.Context, base string, rs []engine.Record, l recipe.Listing) map[engine.ID][][]byte {
	var asked []endsOf
	for _, r := range rs {
		id := remoteID(h.b.HostDir(r))
		if e := l.Jobs[id]; e != nil && e.Over {
			asked = append(asked, endsIn(path.Join(base, id), r, e, mostRead)...)
		}
	}
	return h.ends(ctx, asked)
}

// summarize adds to an observed end what the output shows of it: why the job failed, and what its program reported
// last, there or before.
func (h *host) summarize(id engine.ID, o *engine.State, ends [][]byte) {
	if !o.Status.Finished() {
		return
	}
	if o.Exit.Summary == "" {
		var lines []string
		for _, end := range ends {
			lines = append(lines, logfile.LastLines(end)...)
		}
		o.Exit.Summary = holder.SummaryOf(lines, &o.Exit)
	}
	if o.Program != nil {
		return
	}
	last := h.logsOf(id).line
	said := last.saidWith(ends, o.Output, o.Exit.At)
	o.Program = said.Program().FinalReports()
}
