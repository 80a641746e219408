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
// the line in a color of its own, and belongs to the line: a search finds it, and it is copied.
type Label struct {
	Text   string // with the blanks that follow it
	Number int    // each number has its color
	Tone   Tone   // of the line
}

// Tone is how a line is drawn.
type Tone int

const (
	ToneOutput Tone = iota // as the job printed it
	ToneQuiet              // a remark of hob
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

// Limits of what a Merged has in memory. Beyond them it drops the oldest lines of jobs with more than their share,
// so that a job that prints very much does not displace the lines of others.
const (
	mostMerged      = 10_000
	mostMergedBytes = 4 << 20
)

// Merged is a Source in memory that grows: the last lines of each of several jobs. Its offsets count what was ever
// added. It is safe for concurrent use.
type Merged struct {
	mu    sync.Mutex
	lines []mergedLine // replaced as a whole when lines are dropped, because readers use it without the lock
	bytes int          // of text in lines
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
		g.bytes += all.bytes()
	}
	g.drop()
}

func (l *mergedLine) bytes() int { return len(l.text) + len(l.Line.Raw) }

// drop drops the oldest lines of each job beyond its share if there are too many. It leaves an eighth free, so that
// it is rarely needed.
func (g *Merged) drop() {
	if len(g.lines) <= mostMerged && g.bytes <= mostMergedBytes {
		return
	}
	type size struct{ lines, bytes int }
	sizes := map[int]size{}
	for i := range g.lines {
		l := &g.lines[i]
		has := sizes[l.Label.Number]
		sizes[l.Label.Number] = size{has.lines + 1, has.bytes + l.bytes()}
	}
	share := size{mostMerged * 7 / 8 / len(sizes), mostMergedBytes * 7 / 8 / len(sizes)}
	kept := make([]mergedLine, 0, mostMerged)
	g.bytes = 0
	for _, l := range g.lines {
		if has := sizes[l.Label.Number]; has.lines > share.lines || has.bytes > share.bytes {
			sizes[l.Label.Number] = size{has.lines - 1, has.bytes - l.bytes()}
			continue
		}
		kept = append(kept, l)
		g.bytes += l.bytes()
	}
	g.lines = kept
}

// Whole reports whether no line was dropped, and room whether some more can be added without that.
func (g *Merged) Whole() (whole, room bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int64(len(g.lines)) == g.added, len(g.lines) < mostMerged*15/16 && g.bytes < mostMergedBytes*15/16
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
	for _, l := range lines[from:max(from, to)] {
		found = append(found, l.Line)
	}
	if from == 0 && len(found) > 0 {
		found[0].Dropped = found[0].Start
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
func (g *Merged) TimeAt(off int64) (written time.Time, ok bool) {
	l, ok := g.line(off)
	return l.At, ok && !l.At.IsZero()
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

// ReadAt implements Source, for which only the line feeds matter: those of lines that were dropped are missing.
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
