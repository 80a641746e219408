package mcp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/units"
)

// maxRead is how much of the begin and of the end of a log is read for an
// answer: more than its longest text takes.
const maxRead = 1 << 20

// An excerpt is the beginning and the end of some output.
type excerpt struct {
	head, tail string
	skipped    int64    // bytes that were not read, between the two
	stderr     *excerpt // of a job with separate streams, or nil; the rest is stdout
	notices    []string // of output that is not shown
}

// stderrLabel begins what a job printed to stderr, where the streams are apart.
const stderrLabel = "[stderr]\n"

func (x excerpt) empty() bool {
	return x.head == "" && x.tail == "" && len(x.notices) == 0 && (x.stderr == nil || x.stderr.empty())
}

// errs is what is shown of stderr, if the streams are apart and all of it was read.
func (x excerpt) errs() string {
	if x.stderr == nil {
		return ""
	}
	return x.stderr.head + x.stderr.tail
}

// size is how many characters the excerpt takes: more than any answer has, if not all
// of it was read.
func (x excerpt) size() int {
	if x.skipped > 0 {
		return math.MaxInt
	}
	return utf8.RuneCountInString(x.head) + utf8.RuneCountInString(x.tail)
}

// text is the excerpt in at most most characters. where says where the rest is.
// cut is empty, or says what is missing. Each stream is cut by itself, so that of both
// the end is shown.
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

// labeled is what was printed to both streams as one text.
func labeled(out, errs string) string {
	if errs == "" {
		return out
	}
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return out + stderrLabel + errs
}

// cut is the text of one stream in at most most characters. missing is empty, or how
// much is not in it.
func (x excerpt) cut(most int) (text, missing string) {
	if x.skipped == 0 {
		x.head, x.tail = x.head+x.tail, ""
		if utf8.RuneCountInString(x.head) <= most {
			return x.head, ""
		}
		x.tail = x.head
	}
	// The line that stands for what is missing takes room too.
	half := max(0, (most-min(200, max(60, most/5)))/2)
	head, tail := logfile.First(x.head, half), logfile.Last(x.tail, half)
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

// eachStream makes an excerpt of what read returns for the streams of a job.
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

// eachLog is eachStream with the log of each stream and its size.
func (a *agent) eachLog(ctx context.Context, j engine.Job, read func(s engine.Stream, log *engine.Log, size int64) (excerpt, error)) (excerpt, error) {
	return eachStream(j, func(s engine.Stream) (excerpt, error) {
		log, err := a.eng.OpenLog(ctx, j.ID, s)
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

// excerptOf reads the beginning and the end of what a job printed.
func (a *agent) excerptOf(ctx context.Context, j engine.Job) (excerpt, error) {
	return a.eachLog(ctx, j, func(s engine.Stream, log *engine.Log, size int64) (x excerpt, err error) {
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

// tailOf is the end of what a job printed so far, at most n characters. cursor is
// how much that was, in bytes.
func (a *agent) tailOf(ctx context.Context, j engine.Job, n int) (x excerpt, cursor int64, err error) {
	x, err = a.eachLog(ctx, j, func(s engine.Stream, log *engine.Log, size int64) (excerpt, error) {
		cursor += size
		// Escape sequences and long characters take more bytes than they show.
		p, err := log.Bytes(ctx, max(0, size-int64(8*n)), size)
		if n := a.binary(ctx, j, s, p); n != "" {
			return excerpt{notices: []string{n}}, err
		}
		return excerpt{head: logfile.Last(clean(p), n)}, err
	})
	if x.stderr != nil && err == nil {
		out, errs := share(x.size(), x.stderr.size(), n)
		x.head, x.stderr.head = logfile.Last(x.head, out), logfile.Last(x.stderr.head, errs)
	}
	return x, cursor, err
}

// binary is the notice that stands for p, which was read from a stream, where p is no
// text; else it is empty. Its end counts as well as its beginning.
func (a *agent) binary(ctx context.Context, j engine.Job, s engine.Stream, p []byte) string {
	if !logfile.Binary(p) && !logfile.Binary(p[max(0, len(p)-logfile.BinarySample):]) {
		return ""
	}
	head := make([]byte, 512)
	n, size, err := a.eng.ReadStream(ctx, j.ID, s, head, 0)
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
	return fmt.Sprintf("%s is binary and not shown: %s, %s, in %s", what, logfile.MediaType(head[:n]), units.FormatBytes(size), where)
}

// pathsOf says where a job's output is.
func pathsOf(j engine.Job) string {
	where := j.OutputPath
	if j.Split {
		where = j.StdoutPath + " and " + j.StderrPath
	}
	if j.Host != "" {
		where += " on " + j.Host
	}
	return where
}
