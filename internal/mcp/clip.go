package mcp

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/units"
)

// maxRead is how much of the begin and of the end of a log is read for an
// answer: more than its longest text takes.
const maxRead = 1 << 20

// An excerpt is the begin and the end of some output.
type excerpt struct {
	head, tail string
	skipped    int64 // bytes that were not read, between the two
}

func (x excerpt) empty() bool { return x.head == "" && x.tail == "" }

// text is the excerpt in at most most characters. where says where the rest is.
// cut is empty, or says what is missing.
func (x excerpt) text(most int, where string) (text, cut string) {
	if x.skipped == 0 {
		x.head, x.tail = x.head+x.tail, ""
		count := utf8.RuneCountInString(x.head)
		if count <= most {
			return x.head, ""
		}
		x.tail = x.head
	}
	// The line that stands for what is missing takes room too.
	half := max(0, (most-200)/2)
	head, tail := logfile.First(x.head, half), logfile.Last(x.tail, half)
	missing := ""
	if x.skipped == 0 {
		missing = fmt.Sprintf("%d characters", utf8.RuneCountInString(x.head)-utf8.RuneCountInString(head)-utf8.RuneCountInString(tail))
	} else {
		left := x.skipped + int64(len(x.head)-len(head)) + int64(len(x.tail)-len(tail))
		missing = "about " + units.FormatBytes(left)
	}
	cut = missing + " left out of the middle"
	if where != "" {
		cut += "; all of it is in " + where
	}
	line := "[… " + missing + " left out …]"
	var b strings.Builder
	b.WriteString(head)
	if head != "" && !strings.HasSuffix(head, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(line + "\n")
	b.WriteString(tail)
	return b.String(), cut
}

// excerptOf reads the begin and the end of what a job printed; of a job with
// separate streams stdout, then stderr.
func (a *agent) excerptOf(ctx context.Context, j engine.Job) (excerpt, error) {
	if !j.Split {
		return a.readExcerpt(ctx, j.ID, engine.StreamOutput)
	}
	out, err := a.readExcerpt(ctx, j.ID, engine.StreamStdout)
	if err != nil {
		return out, err
	}
	errs, err := a.readExcerpt(ctx, j.ID, engine.StreamStderr)
	if err != nil || errs.empty() {
		return out, err
	}
	if out.skipped == 0 && errs.skipped == 0 {
		out.head += out.tail
		if out.head != "" && !strings.HasSuffix(out.head, "\n") {
			out.head += "\n"
		}
		out.head, out.tail = out.head+"[stderr]\n"+errs.head+errs.tail, ""
		return out, nil
	}
	// Of both the end is what counts.
	joined := excerpt{head: out.head, tail: out.tail + "\n[stderr]\n" + errs.head + errs.tail, skipped: out.skipped + errs.skipped}
	return joined, nil
}

func (a *agent) readExcerpt(ctx context.Context, id engine.ID, s engine.Stream) (excerpt, error) {
	head := make([]byte, maxRead)
	n, size, err := a.readFull(ctx, id, s, head, 0)
	if err != nil {
		return excerpt{}, err
	}
	x := excerpt{head: clean(head[:n])}
	if int64(n) >= size {
		return x, nil
	}
	from := max(int64(n), size-maxRead)
	tail := make([]byte, size-from)
	m, _, err := a.readFull(ctx, id, s, tail, from)
	if err != nil {
		return x, err
	}
	x.skipped = from - int64(n)
	if x.skipped == 0 {
		x.head = clean(append(head[:n], tail[:m]...))
		return x, nil
	}
	x.tail = clean(tail[:m])
	return x, nil
}

// readFull fills p from offset off on, as far as the log reaches.
func (a *agent) readFull(ctx context.Context, id engine.ID, s engine.Stream, p []byte, off int64) (n int, size int64, err error) {
	for n < len(p) {
		k, now, err := a.eng.ReadStream(ctx, id, s, p[n:], off+int64(n))
		size = now
		if err != nil || k == 0 {
			return n, size, err
		}
		n += k
	}
	return n, size, nil
}

// tailOf is the end of what a job printed so far, at most n characters. cursor is
// how much that was, in bytes.
func (a *agent) tailOf(ctx context.Context, j engine.Job, n int) (tail string, cursor int64, err error) {
	var b strings.Builder
	for _, s := range streamsOf(j) {
		_, size, err := a.eng.ReadStream(ctx, j.ID, s, nil, 0)
		if err != nil {
			return "", 0, err
		}
		cursor += size
		// Escape sequences and long characters take more bytes than they show.
		p := make([]byte, min(size, int64(8*n)))
		k, _, err := a.readFull(ctx, j.ID, s, p, size-int64(len(p)))
		if err != nil {
			return "", 0, err
		}
		b.WriteString(clean(p[:k]))
	}
	return logfile.Last(b.String(), n), cursor, nil
}

// streamsOf are the logs that a job has.
func streamsOf(j engine.Job) []engine.Stream {
	if j.Split {
		return []engine.Stream{engine.StreamStdout, engine.StreamStderr}
	}
	return []engine.Stream{engine.StreamOutput}
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
