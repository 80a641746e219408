package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/cause"
)

const (
	// explainLines is how many lines at the end of each stream are searched for the cause. If they
	// have none, as many at the beginning are.
	explainLines = 2000
	// evidenceLines is how many lines of a report in the output are shown.
	evidenceLines = 6
)

// lastLines returns the end of the job's output, stderr last.
func (x *explainer) lastLines(ctx context.Context) (lines []string, err error) {
	var heads [][]string
	for _, s := range x.j.Streams() {
		log, err := x.e.Handle(x.j.ID).Log(ctx, s)
		if err != nil {
			return lines, err
		}
		found, err := joblog.All(log.Lines(ctx, joblog.Query{Last: true, Limit: explainLines}))
		var head []string
		if len(found) == explainLines && x.j.Runs == nil {
			var headErr error
			head, headErr = readHead(ctx, log, found[0].Start)
			err = errors.Join(err, headErr)
		}
		if err = errors.Join(err, log.Close()); err != nil {
			return lines, err
		}
		var end []string
		for _, l := range found {
			if x.j.Runs != nil && record.IsRunLine(l.Text) {
				end = nil // of earlier runs
				continue
			}
			end = append(end, l.Text)
		}
		x.ends, heads = append(x.ends, end), append(heads, head)
		lines = append(lines, end...)
	}
	x.addHeads(heads)
	return lines, nil
}

// readHead reads the beginning of a stream, up to an offset.
func readHead(ctx context.Context, log *joblog.Log, end int64) (head []string, err error) {
	found, err := joblog.All(log.Lines(ctx, joblog.Query{Limit: explainLines}))
	for _, l := range found {
		if l.Start < end {
			head = append(head, l.Text)
		}
	}
	return head, err
}

// addHeads notes the beginnings of the streams, if any of them is not searched with the end.
func (x *explainer) addHeads(heads [][]string) {
	if len(slices.Concat(heads...)) == 0 {
		return
	}
	for i, head := range heads {
		x.whole = append(x.whole, slices.Concat(head, x.ends[i]))
	}
}

// fromOutput explains the end by a report in the output, if there is one.
func (x *explainer) fromOutput(outcome string, exit Exit, lines []string) bool {
	c, from, ok := x.find(codeOf(exit))
	if !ok || !c.Explains(codeOf(exit)) {
		return false
	}
	x.found, x.Cause = c, string(c.Kind)
	if c.Weak {
		x.Cause = string(cause.Unknown)
	}
	phrase := shortened(c.Phrase(), phraseLimit)
	switch end := cause.LastLine(lines); {
	case !c.Weak:
		x.Summary = outcome + ": " + phrase
	case end == strings.TrimSpace(from[c.Line]):
		x.Summary = outcome + ", and its last line may say why: " + phrase
	default:
		x.Summary = outcome + ", and this line may say why: " + phrase + "; its output ends with " + strconv.Quote(shortened(end, quoteLimit))
	}
	x.quoteReport(c, from)
	if exit.OOMKills > 0 {
		x.add("usage", "the kernel killed "+count(exit.OOMKills, "process", "processes")+" of its control group because memory ran out")
	}
	return true
}

// find returns the cause that the end of the output reports, or else its beginning, with the lines
// that have it. Much was printed after the beginning, so what it reports is a guess, and none if the
// end shows that the program got over it.
func (x *explainer) find(code int) (c cause.Cause, from []string, ok bool) {
	c, from, ok = findInStreams(x.ends, code)
	if !ok && x.whole != nil {
		c, from, ok = findInStreams(x.whole, code)
		c.Weak = true
	}
	if ok && c.Kind == cause.PortInUse && c.Subject == "" {
		c.Subject = portOf(x.j.Command, x.j.Script)
	}
	return c, from, ok
}

// findInStreams finds the cause in separate streams. It is not known in which order their lines arrived:
// if it depends on that which of two errors counts, there is none.
func findInStreams(streams [][]string, code int) (c cause.Cause, from []string, ok bool) {
	from = slices.Concat(streams...)
	c, ok = cause.Find(from, code)
	if len(streams) < 2 {
		return c, from, ok
	}
	backward := slices.Clone(streams)
	slices.Reverse(backward)
	otherFrom := slices.Concat(backward...)
	other, otherOK := cause.Find(otherFrom, code)
	switch {
	case !otherOK:
		return c, from, ok
	case !ok:
		return other, otherFrom, true
	case c.Text != other.Text:
		return cause.Cause{}, nil, false
	case c.Weak:
		return other, otherFrom, true
	}
	return c, from, true
}

// quoteReport adds the lines of a report.
func (x *explainer) quoteReport(c cause.Cause, lines []string) {
	last := min(max(c.Last, c.Line+2), c.Line+evidenceLines-1, len(lines)-1)
	for _, line := range lines[c.Line : last+1] {
		x.add("output", strings.TrimRight(line, " \t\r"))
	}
}
