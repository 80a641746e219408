package tool

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/units"
)

// An Excerpt is the beginning and the end of some output.
type Excerpt struct {
	head, tail string
	skipped    int64    // bytes that were not read, between the two
	Stderr     *Excerpt // of a job with separate streams, or nil; the rest is stdout
	Notices    []string // of output that is not shown
}

// stderrLabel precedes the stderr of a job with separate streams.
const stderrLabel = "[stderr]\n"

// empty reports whether there is nothing to show; a nil excerpt is empty.
func (x *Excerpt) empty() bool {
	switch {
	case x == nil:
		return true
	case x.head+x.tail != "", len(x.Notices) > 0:
		return false
	}
	return x.Stderr.empty()
}

// errs is the text of stderr, for a job with separate streams.
func (x Excerpt) errs() string {
	if x.Stderr == nil {
		return ""
	}
	return x.Stderr.head + x.Stderr.tail
}

// size returns the length of the excerpt in characters, or math.MaxInt if parts were not read.
func (x Excerpt) size() int {
	if x.skipped > 0 {
		return math.MaxInt
	}
	return utf8.RuneCountInString(x.head) + utf8.RuneCountInString(x.tail)
}

// Text returns the excerpt with at most most characters. where names the files with the complete
// output. cut describes what is missing, if anything. Each stream is truncated separately, so
// that the end of both is shown.
func (x Excerpt) Text(most int, where string) (text, cut string) {
	if x.Stderr.empty() {
		text, cut = x.cut(most)
	} else {
		var errs, errsCut string
		room, errsRoom := share(x.size(), x.Stderr.size(), most-len(stderrLabel)-1)
		text, cut = x.cut(room)
		errs, errsCut = x.Stderr.cut(errsRoom)
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
	return withLineEnd(out) + stderrLabel + errs
}

// withLineEnd returns text, unless it is empty, with a line feed at its end.
func withLineEnd(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// cut returns the text of one stream with at most most characters. missing is the omitted amount,
// or "".
func (x Excerpt) cut(most int) (text, missing string) {
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
	b.WriteString(withLineEnd(head))
	b.WriteString(line + "\n")
	b.WriteString(tail)
	return b.String(), missing
}

// eachStream calls read for each stream of a job and joins the excerpts.
func eachStream(j engine.Job, read func(engine.Stream) (Excerpt, error)) (x Excerpt, err error) {
	for _, s := range j.Streams() {
		one, err := read(s)
		if err != nil {
			return x, err
		}
		if s == engine.StreamStderr {
			x.Stderr = &one
			x.Notices = append(x.Notices, one.Notices...)
		} else {
			x = one
		}
	}
	return x, nil
}

// LastLine returns the last line of the excerpt that is not empty.
func (x Excerpt) LastLine() string {
	if text := x.head + x.tail; text != "" || x.Stderr == nil {
		return plain.LastLine(text)
	}
	return plain.LastLine(x.Stderr.head)
}
