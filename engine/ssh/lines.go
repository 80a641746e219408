package ssh

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
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

// saidWith returns what the programs of the job have said when it has printed output bytes, which end with those
// given. What was printed before these and after the last read is not known: what worked or waited may have ended.
func (f *lineFacts) saidWith(end []byte, output int64, at time.Time) programstatus.Store {
	said := f.said.Clone()
	if f.output < output-int64(len(end)) {
		said.EndRun()
	}
	said.Read(end, at)
	return said
}

// endOf is the end of a log that is read.
type endOf struct {
	id   engine.ID
	file string
	size int64
	most int
}

// ends reads the ends of logs in one request.
func (h *host) ends(ctx context.Context, asked []endOf) map[engine.ID][]byte {
	asked = asked[:min(len(asked), maxChecks)]
	if len(asked) == 0 {
		return nil
	}
	var script strings.Builder
	ranges := make([]recipe.Range, len(asked))
	for i, e := range asked {
		off := max(0, e.size-int64(e.most))
		ranges[i] = recipe.Cover(off, int(e.size-off))
		script.WriteString(recipe.FetchLine(e.file, ranges[i]) + "\n")
	}
	a, err := h.ask(ctx, quick, script.String(), askOptions{})
	if err != nil {
		return nil // a sentence is missing
	}
	found := make(map[engine.ID][]byte, len(asked))
	for i, data := range recipe.ParseLines(a.Out) {
		if i < len(asked) {
			found[asked[i].id] = data[min(len(data), ranges[i].Drop):]
		}
	}
	return found
}

// logOf returns the log of a job whose end says most, of those that a listing has found, and its size.
func logOf(e *recipe.Entry, streams []record.Stream) (name string, size int64) {
	for _, s := range slices.Backward(streams) {
		if size := e.Sizes[s.File()]; size > 0 && !slices.Contains(e.Strange, s.File()) {
			return s.File(), size
		}
	}
	return "", 0
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
	var asked []endOf
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
		if name, size := logOf(f.entry, r.Job.Streams()); name != "" {
			most := int(min(max(o.Output-f.line.output, lineRead), mostRead))
			asked = append(asked, endOf{r.ID, path.Join(dir, name), size, most})
		}
	}
	found := h.ends(ctx, asked)
	for id, data := range found {
		o := seen[id]
		last := h.logsOf(id).line
		h.foundLine(id, lineFacts{
			output: o.Output,
			at:     now,
			text:   logfile.LastLine(data),
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
func (h *host) readEnds(ctx context.Context, base string, rs []engine.Record, l recipe.Listing) map[engine.ID][]byte {
	var asked []endOf
	for _, r := range rs {
		id := remoteID(h.b.HostDir(r))
		if e := l.Jobs[id]; e != nil && e.Over {
			asked = append(asked, endsIn(path.Join(base, id), r, e)...)
		}
	}
	return h.ends(ctx, asked)
}

// endsIn returns what is read of the end of the job r with the directory dir: nothing if it printed nothing.
func endsIn(dir string, r engine.Record, e *recipe.Entry) []endOf {
	name, size := logOf(e, r.Job.Streams())
	if name == "" {
		return nil
	}
	return []endOf{{r.ID, path.Join(dir, name), size, mostRead}}
}

// summarize adds to an observed end what the output shows of it: why the job failed, and what its program reported
// last, there or before.
func (h *host) summarize(id engine.ID, o *engine.State, output []byte) {
	if !o.Status.Finished() {
		return
	}
	if o.Exit.Summary == "" {
		o.Exit.Summary = holder.SummaryOf(logfile.LastLines(output), &o.Exit)
	}
	if o.Program != nil {
		return
	}
	last := h.logsOf(id).line
	said := last.saidWith(output, o.Output, o.Exit.At)
	o.Program = said.Program().LastWords()
}
