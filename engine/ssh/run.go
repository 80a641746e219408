package ssh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/readahead"
)

// Run is a job on a host. Safe for concurrent use.
type Run struct {
	b   *Backend
	h   *host
	rec engine.Record
}

var (
	_ engine.Run         = (*Run)(nil)
	_ engine.InputCopier = (*Run)(nil)
	_ engine.EntryReader = (*Run)(nil)
)

// dir is the job's directory on the host. The host's default is known only when it is connected. asks is
// set for a caller that is about to act on the job: then other users must not control the directory.
func (r *Run) dir(ctx context.Context, asks bool) (string, error) {
	dir := r.b.HostDir(r.rec)
	usual := strings.HasPrefix(dir, "~")
	if !usual && !asks {
		return dir, nil
	}
	c, err := r.h.connect(ctx, asks)
	if err != nil {
		return "", unreachable(r.h.name, err)
	}
	if usual {
		return c.Host.Base + "/" + string(r.rec.ID), nil
	}
	base, _ := dirAndName(dir)
	return dir, r.h.checkBase(ctx, c, base)
}

// act carries out a request that changes something, in class, and returns the answer.
func (r *Run) act(ctx context.Context, class conn.Class, o askOptions, request func(dir string) string) (string, error) {
	o.asks = true
	dir, err := r.dir(ctx, true)
	if err != nil {
		return "", err
	}
	var word string
	if judge.Scheduled(r.rec) {
		word, err = r.actOnNode(ctx, o, dir, request(dir))
	} else {
		var a shell.Answer
		a, err = r.h.ask(ctx, class, recipe.Here(dir, request(dir)), o)
		word = wordOf(a.Out)
	}
	if err != nil {
		return "", err
	}
	r.h.pollSoon(r.rec.ID)
	if word == recipe.Elsewhere {
		return "", engine.ErrElsewhere
	}
	return word, nil
}

func wordOf(out []byte) string { return strings.TrimSpace(string(out)) }

// Signal implements [engine.Run].
func (r *Run) Signal(ctx context.Context, name, by string) error {
	name = strings.TrimPrefix(strings.ToUpper(name), "SIG")
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return fmt.Errorf("%w: unknown signal %q", engine.ErrInvalid, name)
	}
	word, err := r.act(ctx, slow, askOptions{}, func(dir string) string { return recipe.Signal(dir, string(r.rec.ID), name, by) })
	switch {
	case err != nil:
		return err
	case word == "ok":
		r.h.forget(r.rec.ID) // it may be paused now, or no longer
		return nil
	case word == "no signal":
		return fmt.Errorf("%w: the host has no signal %q", engine.ErrInvalid, name)
	}
	return engine.ErrNotRunning
}

// Stop implements [engine.Run]. If the connection breaks the host continues with it.
func (r *Run) Stop(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	ask := recipe.StopOptions{
		Signal:      r.rec.Job.StopSignal,
		Grace:       cmp.Or(o.Grace, r.rec.Job.Grace.Duration()),
		By:          o.By,
		Reason:      string(cmp.Or(o.Reason, engine.ReasonKill)),
		KeepDaemons: o.KeepDaemons,
	}
	if ask.Signal == "SIGKILL" {
		ask.Grace = engine.KillNow
	}
	if judge.Scheduled(r.rec) {
		return r.stopOnCluster(ctx, ask)
	}
	began := time.Now()
	out, err := r.act(ctx, slow, askOptions{limit: max(0, ask.Grace) + 30*time.Second}, func(dir string) string {
		return recipe.Stop(dir, string(r.rec.ID), ask)
	})
	if err != nil {
		return engine.StopReport{}, err
	}
	s := recipe.ParseStop([]byte(out))
	report := engine.StopReport{
		Took:      time.Since(began),
		Escalated: s.Killed == "KILL" && ask.Grace >= 0,
		Survivors: s.Left,
	}
	// The result is in the record here when this returns.
	_, lookErr := r.h.look(ctx, []engine.Record{r.rec})
	switch {
	case s.Why == "posh":
		return report, fmt.Errorf("%w: the sh of the host is posh, whose kill signals the wrong processes", engine.ErrUnsupported)
	case s.Why != "":
		return report, engine.ErrNotRunning
	case s.Stuck:
		return report, errors.New("processes of the job survived SIGKILL")
	case s.Killed == "":
		return report, errors.New("unexpected answer from the host: " + strings.TrimSpace(out))
	}
	return report, lookErr
}

// Background implements [engine.Run].
func (r *Run) Background(context.Context) error { return background(r.rec) }

func (r *Run) backgrounded() bool {
	st, err := jobdir.ReadState(r.rec.Dir)
	return err == nil && st.Backgrounded
}

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
	// streamSize is how much input is worth a session of its own, over which it is sent unencoded:
	// opening the session takes two round trips more than a request that types the input.
	streamSize = 64 << 10
	gather     = 10 * time.Millisecond  // how long to wait for that much
	streamIdle = 250 * time.Millisecond // without input ends such a session
)

// CopyInput implements [engine.InputCopier]. Input that arrives slowly is typed by one request after
// the other, so that no input is lost if the connection breaks between two of them.
func (r *Run) CopyInput(ctx context.Context, in io.Reader) error {
	if !r.rec.Job.Stdin.Writable() {
		return engine.ErrNoInput
	}
	onCluster := judge.Scheduled(r.rec)
	if onCluster {
		if err := r.awaitBegin(ctx); err != nil {
			return err
		}
	}
	ahead := readahead.New(in)
	defer ahead.Close()
	buf := make([]byte, streamSize)
	for {
		n, err := ahead.Gather(buf, gather)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && n == streamSize && !onCluster {
			err = r.stream(ctx, buf, ahead)
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

// stream types p and the input that follows it, over a session of its own, until none arrives for
// streamIdle.
func (r *Run) stream(ctx context.Context, p []byte, ahead *readahead.Reader) error {
	begun := false
	next := func() []byte {
		if !begun {
			begun = true
			return p
		}
		return ahead.Next(streamIdle)
	}
	dir, err := r.dir(ctx, true)
	if err != nil {
		return err
	}
	var a shell.Answer
	s, err := r.h.own(ctx, slow)
	if err == nil {
		a, err = s.Stream(ctx, recipe.Here(dir, recipe.Stream(dir)), askLimit, next)
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
	r.h.pollSoon(r.rec.ID)
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
