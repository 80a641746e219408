package logview

import (
	"context"
	"io"
	"regexp"
	"sort"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/joblog"
)

// Label is the name of the job that wrote a line, in a log with the lines of several jobs. It is drawn before
// the line, in the color of that job, and belongs to the line: a search finds it, and it is copied.
type Label struct {
	Text   string // with trailing blanks
	Number int    // selects the color
	Tone   Tone   // of the line
}

// Tone is how a line is drawn.
type Tone int

const (
	ToneOutput Tone = iota // as the job printed it
	ToneQuiet              // a remark by hob
	ToneFailed             // a remark about a failure
)

// Labeled is a Source whose lines have labels.
type Labeled interface{ Label(off int64) Label }

// labelOf returns the label of the line at an offset. It is empty in the log of one job.
func labelOf(src Source, off int64) Label {
	if labeled, ok := src.(Labeled); ok {
		return labeled.Label(off)
	}
	return Label{}
}

// Limits of what a Merged keeps in memory. If they are exceeded, jobs with more than an equal share lose their oldest
// lines, so that a job that prints very much does not displace the lines of others.
const (
	mostMerged      = 10_000
	mostMergedBytes = 4 << 20
)

// Merged is a Source that keeps the last lines of each of several jobs in memory. Its offsets count all bytes that were
// ever added. It is safe for concurrent use.
type Merged struct {
	mu    sync.Mutex
	lines []mergedLine // replaced as a whole when lines are dropped, because readers use it without the lock
	has   extent
	size  int64
	added int64
}

var (
	_ Source  = (*Merged)(nil)
	_ Labeled = (*Merged)(nil)
)

// MergedLine is a line of a Merged.
type MergedLine struct {
	Label Label
	At    time.Time // zero: not known
	Line  joblog.Line
}

type mergedLine struct {
	MergedLine
	text string // label and line, without escape sequences
}

// Add appends lines.
func (g *Merged) Add(lines ...MergedLine) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, line := range lines {
		l := &line.Line
		length := int64(len(line.Label.Text)) + max(l.End-l.Start, int64(len(l.Raw))) + 1
		l.Number, l.Start, l.End, l.Dropped = g.added, g.size, g.size+length, 0
		all := mergedLine{line, line.Label.Text + l.Text}
		g.lines = append(g.lines, all)
		g.added++
		g.size += length
		g.has = g.has.with(&all, 1)
	}
	g.drop()
}

// extent is a number of lines and of bytes in them.
type extent struct{ lines, bytes int }

// with returns the extent with n more lines like l.
func (e extent) with(l *mergedLine, n int) extent {
	return extent{e.lines + n, e.bytes + n*(len(l.text)+len(l.Line.Raw))}
}

func (e extent) exceeds(limit extent) bool { return e.lines > limit.lines || e.bytes > limit.bytes }

// mergedPart returns the fraction n/d of the limits of a Merged.
func mergedPart(n, d int) extent { return extent{mostMerged * n / d, mostMergedBytes * n / d} }

// drop drops the oldest lines of each job beyond its share if a limit is exceeded. It frees an eighth of the space, so
// that it is rarely needed.
func (g *Merged) drop() {
	if !g.has.exceeds(mergedPart(1, 1)) {
		return
	}
	jobs := map[int]extent{} // by number
	for i := range g.lines {
		l := &g.lines[i]
		jobs[l.Label.Number] = jobs[l.Label.Number].with(l, 1)
	}
	share := mergedPart(7, 8*len(jobs))
	kept := make([]mergedLine, 0, mostMerged)
	g.has = extent{}
	for i := range g.lines {
		l := &g.lines[i]
		if has := jobs[l.Label.Number]; has.exceeds(share) {
			jobs[l.Label.Number] = has.with(l, -1)
			continue
		}
		kept = append(kept, *l)
		g.has = g.has.with(l, 1)
	}
	g.lines = kept
}

// Whole reports in whole that no line was dropped, and in room that some more lines can be added without dropping any.
func (g *Merged) Whole() (whole, room bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int64(len(g.lines)) == g.added, !g.has.exceeds(mergedPart(15, 16))
}

// all returns the lines in memory.
func (g *Merged) all() []mergedLine {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lines
}

// at returns the index of the line that contains an offset, or of the first one after it.
func at(lines []mergedLine, off int64) int {
	return sort.Search(len(lines), func(i int) bool { return lines[i].Line.End > off })
}

// Size implements Source.
func (g *Merged) Size(context.Context) (int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.size, nil
}

// Window implements Source.
func (g *Merged) Window(_ context.Context, off int64, before, after int) ([]joblog.Line, error) {
	lines := g.all()
	i := at(lines, off)
	from, to := max(0, i-before), min(len(lines), i+after)
	found := make([]joblog.Line, 0, max(0, to-from))
	for k := from; k < to; k++ {
		line := lines[k].Line
		if k == 0 {
			line.Dropped = line.Start
		}
		found = append(found, line)
	}
	return found, nil
}

// Label implements Labeled.
func (g *Merged) Label(off int64) Label {
	if l, ok := g.line(off); ok {
		return l.Label
	}
	return Label{}
}

// TimeAt implements Source.
func (g *Merged) TimeAt(_ context.Context, off int64) (written time.Time, ok bool) {
	l, _ := g.line(off)
	return l.At, !l.At.IsZero()
}

// LineNumber implements Source.
func (g *Merged) LineNumber(_ context.Context, off int64) (int64, error) {
	l, ok := g.line(off)
	if !ok {
		return -1, nil
	}
	return l.Line.Number, nil
}

func (g *Merged) line(off int64) (l mergedLine, ok bool) {
	lines := g.all()
	i := at(lines, off)
	if i == len(lines) || lines[i].Line.Start > off {
		return l, false
	}
	return lines[i], true
}

// ReadAt implements Source. The view only counts line feeds in what it reads, so all other bytes are 0. Line feeds of
// dropped lines are missing.
func (g *Merged) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	g.mu.Lock()
	lines, size := g.lines, g.size
	g.mu.Unlock()
	n := int(max(0, min(int64(len(p)), size-off)))
	clear(p[:n])
	for i := at(lines, off); i < len(lines); i++ {
		feed := lines[i].Line.End - 1 - off
		if feed >= int64(n) {
			break
		}
		p[feed] = '\n'
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Matching implements Source.
func (g *Merged) Matching(ctx context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error {
	lines := g.all()
	for i := at(lines, from); i < len(lines) && lines[i].Line.Start < to; i++ {
		l := &lines[i]
		if re.MatchString(l.text) && !found(l.Line.Start, l.Line.End) {
			break
		}
	}
	return ctx.Err()
}
