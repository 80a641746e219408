package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/units"
)

// maxRead is how many bytes of the beginning and of the end of a log are read for an
// answer: more than the longest answer shows.
const maxRead = 1 << 20

// An excerpt is the beginning and the end of some output.
type excerpt struct {
	head, tail string
	skipped    int64    // bytes that were not read, between the two
	stderr     *excerpt // of a job with separate streams, or nil; the rest is stdout
	notices    []string // of output that is not shown
}

// stderrLabel precedes the stderr of a job with separate streams.
const stderrLabel = "[stderr]\n"

func (x excerpt) empty() bool {
	return x.head == "" && x.tail == "" && len(x.notices) == 0 && (x.stderr == nil || x.stderr.empty())
}

// errs is the text of stderr, for a job with separate streams.
func (x excerpt) errs() string {
	if x.stderr == nil {
		return ""
	}
	return x.stderr.head + x.stderr.tail
}

// size returns the length of the excerpt in characters, or math.MaxInt if parts were not read.
func (x excerpt) size() int {
	if x.skipped > 0 {
		return math.MaxInt
	}
	return utf8.RuneCountInString(x.head) + utf8.RuneCountInString(x.tail)
}

// text returns the excerpt with at most most characters. where names the files with the complete
// output. cut describes what is missing, if anything. Each stream is truncated separately, so
// that the end of both is shown.
func (x excerpt) text(most int, where string) (text, cut string) {
	if x.stderr == nil || x.stderr.empty() {
		text, cut = x.cut(most)
	} else {
		var errs, errsCut string
		room, errsRoom := share(x.size(), x.stderr.size(), most-len(stderrLabel)-1)
		text, cut = x.cut(room)
		errs, errsCut = x.stderr.cut(errsRoom)
		text = labeled(text, errs)
		if errsCut != "" && cut != "" {
			cut = "of stdout " + cut + ", of stderr " + errsCut
		} else if errsCut != "" {
			cut = "of stderr " + errsCut
		}
	}
	if cut != "" {
		cut += " left out of the middle"
		if where != "" {
			cut += "; all of it is in " + where
		}
	}
	return text, cut
}

// share divides room between two texts: one that needs less than half of it leaves the
// rest to the other.
func share(a, b, room int) (forA, forB int) {
	half := max(0, room/2)
	switch {
	case a <= half:
		return half, max(0, room-a)
	case b <= half:
		return max(0, room-b), half
	}
	return half, half
}

// labeled joins the text of both streams.
func labeled(out, errs string) string {
	if errs == "" {
		return out
	}
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return out + stderrLabel + errs
}

// cut returns the text of one stream with at most most characters. missing is the omitted amount,
// or "".
func (x excerpt) cut(most int) (text, missing string) {
	if x.skipped == 0 {
		x.head, x.tail = x.head+x.tail, ""
		if utf8.RuneCountInString(x.head) <= most {
			return x.head, ""
		}
		x.tail = x.head
	}
	// The line in place of the missing part needs room too.
	half := max(0, (most-min(200, max(60, most/5)))/2)
	head, tail := logfile.FirstRunes(x.head, half), logfile.LastRunes(x.tail, half)
	if x.skipped == 0 {
		missing = fmt.Sprintf("%d characters", utf8.RuneCountInString(x.head)-utf8.RuneCountInString(head)-utf8.RuneCountInString(tail))
	} else {
		left := x.skipped + int64(len(x.head)-len(head)) + int64(len(x.tail)-len(tail))
		missing = "about " + units.FormatBytes(left)
	}
	line := "[… " + missing + " left out …]"
	var b strings.Builder
	b.WriteString(head)
	if head != "" && !strings.HasSuffix(head, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(line + "\n")
	b.WriteString(tail)
	return b.String(), missing
}

// eachStream calls read for each stream of a job and joins the excerpts.
func eachStream(j engine.Job, read func(engine.Stream) (excerpt, error)) (x excerpt, err error) {
	for _, s := range j.Streams() {
		one, err := read(s)
		if err != nil {
			return x, err
		}
		if s == engine.StreamStderr {
			x.stderr = &one
			x.notices = append(x.notices, one.notices...)
		} else {
			x = one
		}
	}
	return x, nil
}

// eachLog is eachStream with the open log of each stream and its size.
func (a *agent) eachLog(ctx context.Context, j engine.Job, read func(s engine.Stream, log *joblog.Log, size int64) (excerpt, error)) (excerpt, error) {
	return eachStream(j, func(s engine.Stream) (excerpt, error) {
		log, err := a.eng.Handle(j.ID).Log(ctx, s)
		if err != nil {
			return excerpt{}, err
		}
		defer log.Close()
		size, err := log.Size(ctx)
		if err != nil {
			return excerpt{}, err
		}
		return read(s, log, size)
	})
}

// excerptOf reads the beginning and the end of a job's output.
func (a *agent) excerptOf(ctx context.Context, j engine.Job) (excerpt, error) {
	return a.eachLog(ctx, j, func(s engine.Stream, log *joblog.Log, size int64) (x excerpt, err error) {
		head, err := log.Bytes(ctx, 0, min(size, maxRead))
		if err != nil {
			return x, err
		}
		rest := max(maxRead, size-maxRead)
		tail, err := log.Bytes(ctx, rest, size)
		if err != nil {
			return x, err
		}
		if n := cmp.Or(a.binary(ctx, j, s, head), a.binary(ctx, j, s, tail)); n != "" {
			return excerpt{notices: []string{n}}, nil
		}
		if x.skipped = max(0, rest-maxRead); x.skipped == 0 {
			head, tail = append(head, tail...), nil
		}
		x.head, x.tail = clean(head), clean(tail)
		return x, nil
	})
}

// tailOf returns the end of a job's output, at most n characters. cursor is the number of bytes
// of output so far.
func (a *agent) tailOf(ctx context.Context, j engine.Job, n int) (x excerpt, cursor int64, err error) {
	x, err = a.eachLog(ctx, j, func(s engine.Stream, log *joblog.Log, size int64) (excerpt, error) {
		cursor += size
		// Escape sequences and multibyte characters take more bytes than characters.
		p, err := log.Bytes(ctx, max(0, size-int64(8*n)), size)
		if n := a.binary(ctx, j, s, p); n != "" {
			return excerpt{notices: []string{n}}, err
		}
		return excerpt{head: logfile.LastRunes(clean(p), n)}, err
	})
	if x.stderr != nil && err == nil {
		out, errs := share(x.size(), x.stderr.size(), n)
		x.head, x.stderr.head = logfile.LastRunes(x.head, out), logfile.LastRunes(x.stderr.head, errs)
	}
	return x, cursor, err
}

// binary returns the notice that replaces p, which was read from a stream, if the beginning or
// the end of p is not text, otherwise "".
func (a *agent) binary(ctx context.Context, j engine.Job, s engine.Stream, p []byte) string {
	if !logfile.Binary(p) && !logfile.Binary(p[max(0, len(p)-logfile.BinarySample):]) {
		return ""
	}
	head, size, err := a.beginning(ctx, j.ID, s)
	if err != nil {
		a.c.Logger.Debug("the type of an output is not known", "job", j.ID, "err", err)
	}
	what, where := "its output", j.OutputPath
	switch s {
	case engine.StreamStdout:
		what, where = "its stdout", j.StdoutPath
	case engine.StreamStderr:
		what, where = "its stderr", j.StderrPath
	case engine.StreamOutput:
	}
	if j.Host != "" {
		where += " on " + j.Host
	}
	return fmt.Sprintf("%s is binary and not shown: %s, %s, in %s", what, logfile.MediaType(head), units.FormatBytes(size), where)
}

// beginning returns the first bytes of a stream, and its size.
func (a *agent) beginning(ctx context.Context, id engine.ID, s engine.Stream) (head []byte, size int64, err error) {
	log, err := a.eng.Handle(id).Log(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	defer log.Close()
	if size, err = log.Size(ctx); err != nil {
		return nil, 0, err
	}
	head = make([]byte, min(size, 512))
	n, err := log.ReadAt(ctx, head, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], size, err
}

// pathsOf names the files with a job's output.
func pathsOf(j engine.Job) string {
	where := j.OutputPath
	if j.Split {
		where = j.StdoutPath + " and " + j.StderrPath
	}
	if j.Host != "" {
		where += " on " + j.Host
	}
	return cells.VisibleName(where)
}

// clean returns the text that a terminal would show for p: escape sequences and control
// characters are removed; carriage returns, backspaces and erased line ends are applied.
func clean(p []byte) string {
	// Records that end in NUL, such as those of find -print0, become lines.
	if n := bytes.Count(p, []byte{0}); n > 0 && 3*n <= len(p) && !bytes.Contains(p, []byte{0, 0}) {
		p = bytes.ReplaceAll(p, []byte{0}, []byte{'\n'})
	}
	return cells.Visible(string(logfile.Text(p)))
}

// shortened returns processes with their command lines, which others chose, on one short line.
func shortened(all []engine.Process) []engine.Process {
	all = slices.Clone(all)
	for i := range all {
		all[i].Command = oneLine(all[i].Command, 200)
	}
	return all
}

// oneLine returns s on one line, with at most n characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(clean([]byte(s))), " ")
	if utf8.RuneCountInString(s) > n {
		s = logfile.FirstRunes(s, n-1) + "…"
	}
	return s
}

// A lineFilter selects lines by their text.
type lineFilter struct{ keep, drop *regexp.Regexp } // nil: no condition

func newLineFilter(in processArgs) (f lineFilter, err error) {
	if f.keep, err = pattern("filter", in.Filter); err == nil {
		f.drop, err = pattern("exclude", in.Exclude)
	}
	return f, err
}

func pattern(name, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, usage(fmt.Sprintf("%s is not a regular expression: %v", name, err),
			"it uses Go regexp syntax (RE2); escape special characters with a backslash")
	}
	return re, nil
}

// some reports whether there is any condition.
func (f lineFilter) some() bool { return f.keep != nil || f.drop != nil }

// keeps reports whether one of texts matches keep and none matches drop. The texts are a
// line, or the names of a job.
func (f lineFilter) keeps(texts ...string) bool {
	return (f.keep == nil || slices.ContainsFunc(texts, f.keep.MatchString)) &&
		(f.drop == nil || !slices.ContainsFunc(texts, f.drop.MatchString))
}

// again returns the arguments that repeat the filter in another call.
func (f lineFilter) again() (params []any) {
	if f.keep != nil {
		params = append(params, "filter", f.keep.String())
	}
	if f.drop != nil {
		params = append(params, "exclude", f.drop.String())
	}
	return params
}

// lines returns the lines of text that the filter keeps.
func (f lineFilter) lines(text string) string {
	if !f.some() {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if f.keeps(strings.TrimSuffix(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}
