package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/plainfile"
)

// streamOf returns the stream of a job that s refers to: its only one, or with two streams stdout
// unless stderr is named.
func streamOf(j Job, s Stream) (Stream, error) {
	switch s {
	case StreamOutput, StreamStdout, StreamStderr:
	default:
		return "", fmt.Errorf("%w: unknown stream %q", ErrInvalid, s)
	}
	switch {
	case j.Split && s == StreamOutput:
		return StreamStdout, nil
	case !j.Split && s != StreamOutput:
		return "", fmt.Errorf("%w: this job has a single stream for stdout and stderr", ErrUnsupported)
	}
	return s, nil
}

// mayHaveFiles reports whether err means only that the execution of a job cannot be reached from here, so that its files
// may still be readable.
func mayHaveFiles(err error) bool {
	return errors.Is(err, ErrElsewhere) || errors.Is(err, ErrUnsupported)
}

// openOutput opens one stream.
func (h *Handle) openOutput(ctx context.Context, s Stream) (Output, Job, error) {
	run, j, err := h.open(ctx, "read the output of")
	if mayHaveFiles(err) {
		// The files of a local job can be read even without its backend.
		if j.Host == "" {
			run, err = newVirtualRun(h.e.root.Dir(string(h.id)), j), nil
		}
	}
	if err != nil {
		return nil, j, err
	}
	if s, err = streamOf(j, s); err != nil {
		return nil, j, opError("read the output of", j, err)
	}
	out, err := run.OpenOutput(ctx, s)
	return out, j, opError("read the output of", j, err)
}

// Log opens one stream of a job. It returns ErrNotFound, ErrInvalid for an unknown stream, or
// ErrUnsupported for a stream that this job does not have. The log stays readable after the job is
// removed.
func (h *Handle) Log(ctx context.Context, s Stream) (*joblog.Log, error) {
	out, j, err := h.openOutput(ctx, s)
	if err != nil {
		return nil, err
	}
	if j.Host != "" {
		return joblog.New(out, timesWith(out)), nil
	}
	return joblog.New(out, h.logTimes(j)), nil
}

// timesWith returns the times of a job on a host, whose output is read from out; nil: there are none.
func timesWith(out Output) joblog.Times {
	there, ok := out.(interface {
		// Times returns the file with the times of the output, nil if there is none, and how far the clock
		// of this machine is ahead of the host's, which they were recorded with.
		Times() (times Output, ahead time.Duration)
	})
	if !ok {
		return nil
	}
	times, ahead := there.Times()
	if times == nil {
		return nil
	}
	return jobdir.CopyTimes(times, ahead)
}

// tail reads the last most bytes of a stream, without dropped ranges. cut reports whether there is
// more before them.
func (h *Handle) tail(ctx context.Context, s Stream, most int) (p []byte, cut bool, err error) {
	out, _, err := h.openOutput(ctx, s)
	if err != nil {
		return nil, false, err
	}
	defer out.Close()
	src := jobdir.Source{Output: out}
	size, err := src.Size(ctx)
	if err != nil {
		return nil, false, err
	}
	off := max(0, size-int64(max(0, most)))
	p, _, err = logfile.ReadAll(ctx, src, off, size)
	kept := len(p)
	if off > 0 {
		p = p[logfile.ContinuationPrefix(p):]
	}
	return p, off > 0 || int64(kept) < size-off, err
}

// binarySample is the number of trailing bytes used to decide whether output is binary.
const binarySample = 4 << 10

// markBinary sets Binary in output events. It reads the logs, so it must not be called with a lock
// held.
func (e *Engine) markBinary(events []Event) {
	for i, ev := range events {
		if ev.Kind != EventOutput || ev.Job.Host != "" {
			continue
		}
		for _, s := range ev.Job.Streams() {
			path := filepath.Join(e.root.Dir(string(ev.Job.ID)), s.File())
			if logfile.Binary(lastBytes(path, binarySample)) {
				events[i].Binary = true
			}
		}
	}
}

// lastBytes returns at most n bytes from the end of a file, or nil if it cannot be read, for
// example because it was just removed.
func lastBytes(path string, n int64) []byte {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	p := make([]byte, min(n, info.Size()))
	got, _ := f.ReadAt(p, info.Size()-int64(len(p))) // a partial read is good enough
	return p[:got]
}

// WithHold makes h hold everything that the job writes, from its first byte. The caller closes h,
// even if the start fails.
func WithHold(h *joblog.Hold) StartOption { return func(o *startOptions) { o.hold = h } }

// Hold returns a hold on the existing and the future output of j: the log limit drops nothing before the caller
// releases it. The caller closes the hold.
func (e *Engine) Hold(j Job) *joblog.Hold {
	h := &joblog.Hold{}
	e.hold(h, j)
	return h
}

// hold has no effect for a job on a host: its log is there.
func (e *Engine) hold(h *joblog.Hold, j Job) {
	if j.Host == "" {
		h.Begin(e.root.Dir(string(j.ID)), j.Streams()...)
	}
}
