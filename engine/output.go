package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/hobjobs/hob/internal/logfile"
)

// streamOf is the stream that is meant by s of a job: its only one, or of two
// stdout unless stderr is named.
func streamOf(j Job, s Stream) (Stream, error) {
	switch {
	case s != StreamOutput && s != StreamStdout && s != StreamStderr:
		return "", fmt.Errorf("%w: there is no stream %q", ErrInvalid, s)
	case j.Split && s == StreamOutput:
		return StreamStdout, nil
	case !j.Split && s != StreamOutput:
		return "", fmt.Errorf("%w: stdout and stderr of this job are one stream", ErrUnsupported)
	}
	return s, nil
}

// openOutput opens one stream.
func (e *Engine) openOutput(ctx context.Context, id ID, s Stream) (Output, Job, error) {
	run, j, err := e.open(ctx, "read the output of", id)
	if errors.Is(err, ErrElsewhere) || errors.Is(err, ErrUnsupported) {
		// The files are here all the same, unless the job is on a host.
		if j.Host == "" {
			run, err = newVirtualRun(id, e.root.Dir(string(id)), j), nil
		}
	}
	if err != nil {
		return nil, j, err
	}
	if s, err = streamOf(j, s); err != nil {
		return nil, j, fault("read the output of", j, err)
	}
	out, err := run.OpenOutput(ctx, s)
	return out, j, fault("read the output of", j, err)
}

// ReadOutput reads the job's output (stdout, if the streams are apart) at the
// absolute offset off. size is how far the output reaches. n is 0 without an
// error at the end; inside a dropped range the bytes are zero. ErrInvalid for a
// negative offset.
func (e *Engine) ReadOutput(ctx context.Context, id ID, p []byte, off int64) (n int, size int64, err error) {
	return e.ReadStream(ctx, id, StreamOutput, p, off)
}

// ReadStream is [Engine.ReadOutput] of one stream.
func (e *Engine) ReadStream(ctx context.Context, id ID, s Stream, p []byte, off int64) (n int, size int64, err error) {
	out, done, err := e.output(ctx, id, s)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	if off < 0 {
		return 0, 0, invalid("read output", "a negative offset", "0 is the first byte ever written")
	}
	if size, err = out.Size(ctx); err != nil {
		return 0, 0, err
	}
	if len(p) == 0 || off >= size {
		return 0, size, nil
	}
	n, err = out.ReadAt(ctx, p, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, size, err
}

// output is openOutput from the cache. done is to be called after use.
func (e *Engine) output(ctx context.Context, id ID, s Stream) (out Output, done func(), err error) {
	key := outputKey{id, s}
	if out, done, ok := e.outputs.get(key); ok {
		return out, done, nil
	}
	out, _, err = e.openOutput(ctx, id, s)
	if err != nil {
		return nil, nil, err
	}
	out, done = e.outputs.put(key, out)
	return out, done, nil
}

type outputKey struct {
	id ID
	s  Stream
}

// outputCache keeps the few outputs open that were read last, since views read
// the same one again and again.
type outputCache struct {
	mu     sync.Mutex
	open   []*cachedOutput // the one used last is last
	closed bool
}

type cachedOutput struct {
	Output
	key   outputKey
	users int
	gone  bool // closed as soon as there are no users
}

const maxOpenOutputs = 8

func (c *outputCache) get(key outputKey) (Output, func(), bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, o := range c.open {
		if o.key == key {
			c.open = append(append(c.open[:i:i], c.open[i+1:]...), o)
			return o, c.use(o), true
		}
	}
	return nil, nil, false
}

func (c *outputCache) put(key outputKey, out Output) (Output, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := &cachedOutput{Output: out, key: key}
	done := c.use(o)
	if c.closed {
		o.gone = true
		return o, done
	}
	c.open = append(c.open, o)
	if len(c.open) > maxOpenOutputs {
		c.discard(c.open[0])
		c.open = c.open[1:]
	}
	return o, done
}

// use counts a user of o; c.mu is held.
func (c *outputCache) use(o *cachedOutput) func() {
	o.users++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if o.users--; o.users == 0 && o.gone {
			o.Close()
		}
	}
}

func (c *outputCache) discard(o *cachedOutput) {
	if o.gone = true; o.users == 0 {
		o.Close()
	}
}

// drop lets go of a job's outputs.
func (c *outputCache) drop(id ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var kept []*cachedOutput
	for _, o := range c.open {
		if o.key.id == id {
			c.discard(o)
		} else {
			kept = append(kept, o)
		}
	}
	c.open = kept
}

func (c *outputCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.open {
		c.discard(o)
	}
	c.open, c.closed = nil, true
}

func holesOf(ctx context.Context, h logfile.Holer) ([]Range, error) {
	hole, err := h.Hole(ctx)
	if err != nil || hole.Empty() {
		return nil, err
	}
	return []Range{{Start: hole.Start, End: hole.End}}, nil
}

// source is an Output as package logfile reads it.
type source struct{ Output }

// Hole implements [logfile.Holer]. Of several dropped ranges the whole span
// counts; there is one.
func (s source) Hole(ctx context.Context) (logfile.Hole, error) {
	if h, ok := s.Output.(logfile.Holer); ok {
		return h.Hole(ctx)
	}
	if c, ok := s.Output.(*cachedOutput); ok {
		return source{c.Output}.Hole(ctx)
	}
	ranges, err := s.Holes(ctx)
	if err != nil || len(ranges) == 0 {
		return logfile.Hole{}, err
	}
	return logfile.Hole{Start: ranges[0].Start, End: ranges[len(ranges)-1].End, Lines: -1}, nil
}

// tail reads the last most bytes of a stream, the dropped ones left out. cut
// reports whether there is more before them.
func (e *Engine) tail(ctx context.Context, id ID, s Stream, most int) (p []byte, cut bool, err error) {
	out, done, err := e.output(ctx, id, s)
	if err != nil {
		return nil, false, err
	}
	defer done()
	src := source{out}
	size, err := src.Size(ctx)
	if err != nil {
		return nil, false, err
	}
	off := max(0, size-int64(max(0, most)))
	p, _, err = readAll(ctx, src, off, size)
	kept := len(p)
	if off > 0 {
		p = p[logfile.Torn(p):]
	}
	return p, off > 0 || int64(kept) < size-off, err
}

// readAll reads from off to end, skipping the hole, and with it what is left of the
// characters at its edges; next is where it came to.
func readAll(ctx context.Context, src logfile.Source, off, end int64) (p []byte, next int64, err error) {
	for off < end {
		p = slices.Grow(p, int(min(end-off, readChunk)))
		free := p[len(p):cap(p)]
		piece, err := logfile.Read(ctx, src, free[:min(int64(len(free)), end-off)], off)
		if err != nil {
			return p, off, err
		}
		if piece.N == 0 {
			break
		}
		got := free[:piece.N]
		if piece.Dropped > 0 {
			p, got = p[:len(p)-logfile.UnfinishedRune(p)], got[logfile.Torn(got):]
		}
		p = append(p, got...)
		off = piece.Next()
	}
	return p, off, nil
}

const readChunk = 64 << 10
