package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/units"
)

// maxRead is how many bytes of the beginning and of the end of a log are read for an
// answer: more than the longest answer shows.
const maxRead = 1 << 20

// eachLog is eachStream with the open log of each stream and its size.
func (t *Tools) eachLog(ctx context.Context, j engine.Job, read func(s engine.Stream, log *joblog.Log, size int64) (Excerpt, error)) (Excerpt, error) {
	return eachStream(j, func(s engine.Stream) (Excerpt, error) {
		log, err := t.Eng.Handle(j.ID).Log(ctx, s)
		if err != nil {
			return Excerpt{}, err
		}
		defer log.Close()
		size, err := log.Size(ctx)
		if err != nil {
			return Excerpt{}, err
		}
		return read(s, log, size)
	})
}

// ExcerptOf reads the beginning and the end of a job's output.
func (t *Tools) ExcerptOf(ctx context.Context, j engine.Job) (Excerpt, error) {
	return t.eachLog(ctx, j, func(s engine.Stream, log *joblog.Log, size int64) (x Excerpt, err error) {
		head, err := log.Bytes(ctx, 0, min(size, maxRead))
		if err != nil {
			return x, err
		}
		rest := max(maxRead, size-maxRead)
		tail, err := log.Bytes(ctx, rest, size)
		if err != nil {
			return x, err
		}
		if n := cmp.Or(t.binary(ctx, j, s, head), t.binary(ctx, j, s, tail)); n != "" {
			return Excerpt{Notices: []string{n}}, nil
		}
		if x.skipped = max(0, rest-maxRead); x.skipped == 0 {
			head, tail = append(head, tail...), nil
		}
		x.head, x.tail = plain.Clean(head), plain.Clean(tail)
		return x, nil
	})
}

// TailOf returns the end of a job's output, at most n characters. cursor is the number of bytes
// of output so far.
func (t *Tools) TailOf(ctx context.Context, j engine.Job, n int) (x Excerpt, cursor int64, err error) {
	x, err = t.eachLog(ctx, j, func(s engine.Stream, log *joblog.Log, size int64) (Excerpt, error) {
		cursor += size
		// Escape sequences and multibyte characters take more bytes than characters.
		p, err := log.Bytes(ctx, max(0, size-int64(8*n)), size)
		if n := t.binary(ctx, j, s, p); n != "" {
			return Excerpt{Notices: []string{n}}, err
		}
		return Excerpt{head: logfile.LastRunes(plain.Clean(p), n)}, err
	})
	if x.Stderr != nil && err == nil {
		out, errs := share(x.size(), x.Stderr.size(), n)
		x.head, x.Stderr.head = logfile.LastRunes(x.head, out), logfile.LastRunes(x.Stderr.head, errs)
	}
	return x, cursor, err
}

// binary returns the notice that replaces p, which was read from a stream, if the beginning or
// the end of p is not text, otherwise "".
func (t *Tools) binary(ctx context.Context, j engine.Job, s engine.Stream, p []byte) string {
	if !logfile.Binary(p) && !logfile.Binary(p[max(0, len(p)-logfile.BinarySample):]) {
		return ""
	}
	head, size, err := t.beginning(ctx, j.ID, s)
	if err != nil {
		t.Log.Debug("the type of an output is not known", "job", j.ID, "err", err)
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
func (t *Tools) beginning(ctx context.Context, id engine.ID, s engine.Stream) (head []byte, size int64, err error) {
	log, err := t.Eng.Handle(id).Log(ctx, s)
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
