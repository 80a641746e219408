package ssh

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/readahead"
)

// feedLimit is longer than the host itself waits for a pipe that is full. slowLine is the slowest
// connection, in bytes per second, over which a request that types input still arrives in time.
const (
	feedLimit = 30 * time.Second
	slowLine  = 20 << 10
)

// Write implements [engine.Run]. After an error part of p may have been taken; an *[InputFullError]
// reports how much.
func (r *Run) Write(ctx context.Context, p []byte) error {
	if !r.rec.Job.Stdin.Writable() {
		return engine.ErrNoInput
	}
	return r.feed(ctx, p, recipe.Feed)
}

// feed types p in as few requests as possible.
func (r *Run) feed(ctx context.Context, p []byte, request func(dir string, p []byte) string) error {
	for taken := 0; len(p) > 0; {
		n := min(len(p), recipe.MaxFeed)
		limit := feedLimit + time.Duration(n/slowLine)*time.Second
		out, err := r.act(ctx, slow, askOptions{once: true, limit: limit}, func(dir string) string { return request(dir, p[:n]) })
		if err != nil {
			return err
		}
		n, word := recipe.ParseFeed([]byte(out), n)
		r.h.sentInput(r.rec.ID)
		taken += n
		p = p[n:]
		who, other := strings.CutPrefix(word, "other ")
		switch {
		case other:
			return keyboardError{who}
		case word == "full", word == "ok" && n == 0:
			return &InputFullError{Taken: taken}
		case word != "ok":
			return inputError(word)
		}
	}
	return nil
}

// inputError is the error for what a host answers instead of ok.
func inputError(word string) error {
	switch word {
	case recipe.Elsewhere:
		return engine.ErrElsewhere
	case "over":
		return engine.ErrNotRunning
	}
	return engine.ErrNoInput
}

const (
	// burst is how much input is worth a session of its own, over which it is sent unencoded:
	// opening the session takes two round trips more than a request that types the input.
	burst  = 64 << 10
	gather = 10 * time.Millisecond  // how long to wait for enough input to make a burst
	lull   = 250 * time.Millisecond // without input ends a burst
)

// CopyInput implements [engine.InputCopier]. Input that arrives slowly is typed by one request after
// the other, so that no input is lost if the connection breaks between two of them.
func (r *Run) CopyInput(ctx context.Context, in io.Reader) error {
	if !r.rec.Job.Stdin.Writable() {
		return engine.ErrNoInput
	}
	onCluster := scheduled(r.rec)
	if onCluster {
		if err := r.awaitBegin(ctx); err != nil {
			return err
		}
	}
	ahead := readahead.New(in)
	buf := make([]byte, burst)
	for {
		n, err := ahead.Gather(buf, gather)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && n == burst && !onCluster {
			err = r.pour(ctx, buf, ahead)
		} else if err == nil {
			err = r.typeAll(ctx, buf[:n])
		}
		if err != nil {
			return err
		}
	}
}

// typeAll types p and waits while the job does not read.
func (r *Run) typeAll(ctx context.Context, p []byte) error {
	for {
		err := r.Write(ctx, p)
		full, ok := errors.AsType[*InputFullError](err)
		if !ok || ctx.Err() != nil {
			return err
		}
		p = p[full.Taken:]
	}
}

// pour types p and the input that follows it without a lull.
func (r *Run) pour(ctx context.Context, p []byte, ahead *readahead.Reader) error {
	begun := false
	next := func() []byte {
		if !begun {
			begun = true
			return p
		}
		return ahead.Next(lull)
	}
	dir, err := r.dir(ctx, true)
	if err != nil {
		return err
	}
	var a shell.Answer
	s, err := r.h.own(ctx, slow)
	if err == nil {
		a, err = s.Pour(ctx, recipe.Here(dir, recipe.Pour(dir)), askLimit, next)
	}
	switch word := strings.TrimSpace(string(a.Out)); {
	case err != nil && !begun: // no session could be opened, or it broke before
		return r.typeAll(ctx, p)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return unreachable(r.h.name, err)
	case word != "ok":
		return inputError(word)
	}
	r.h.heat(r.rec.ID)
	r.h.sentInput(r.rec.ID)
	return nil
}

// CloseInput implements [engine.Run]. On a terminal it is what Ctrl+D is.
func (r *Run) CloseInput(ctx context.Context) error {
	switch {
	case !r.rec.Job.Stdin.Writable():
		return engine.ErrNoInput
	case r.rec.Job.Kind == engine.KindPTY:
		return r.Write(ctx, []byte{endOfInput})
	}
	word, err := r.act(ctx, quick, askOptions{}, recipe.Finish)
	if err == nil && word != "ok" {
		err = engine.ErrNoInput
	}
	return err
}
