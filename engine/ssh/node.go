package ssh

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
)

// entryOf asks for the job's files.
func (h *host) entryOf(ctx context.Context, dir string) (*recipe.Entry, error) {
	base, id := dirAndName(dir)
	a, err := h.ask(ctx, quick, recipe.List(base, []string{id}), askOptions{asks: true})
	if err != nil {
		return nil, err
	}
	e := recipe.ParseList(a.Out).Jobs[id]
	if e == nil || e.Gone {
		return nil, engine.ErrNotRunning
	}
	return e, nil
}

// stopOnCluster is Stop for a job on a cluster: what waits is taken out of the queue, what runs is
// ended on its node, and if that cannot be asked or the job is suspended, by the scheduler.
func (r *Run) stopOnCluster(ctx context.Context, o recipe.StopOptions) (report engine.StopReport, err error) {
	began := time.Now()
	defer func() { report.Took = time.Since(began) }()
	dir, err := r.dir(ctx, true)
	if err != nil {
		return report, err
	}
	e, err := r.h.entryOf(ctx, dir)
	if err != nil {
		return report, err
	}
	_, id := dirAndName(dir)
	if !e.Claimed {
		a, err := r.h.ask(ctx, slow, recipe.Drop(dir, id, r.rec.Job.Token, o.By, o.Reason), askOptions{asks: true, limit: queueLimit})
		if err != nil {
			return report, err
		}
		if wordOf(a.Out) == "dropped" {
			r.h.forgetQueue()
			_, err = r.h.look(ctx, []engine.Record{r.rec})
			return report, err
		}
		if e, err = r.h.entryOf(ctx, dir); err != nil { // it has begun at this moment
			return report, err
		}
	}
	if e.Over {
		return report, engine.ErrNotRunning
	}
	var a shell.Answer
	askErr := errors.New("Slurm has suspended the job") //nolint:staticcheck // a name
	if !r.suspended(ctx, dir) {
		a, askErr = r.h.onNode(ctx, e, dir, recipe.Stop(dir, id, o), max(0, o.Grace)+queueLimit)
	}
	s := recipe.ParseStop(a.Out)
	report.Escalated, report.Survivors = s.Killed == "KILL" && o.Grace >= 0, s.Left
	if s.Stuck {
		return report, errors.New("processes of the job survived SIGKILL")
	}
	if s.Killed == "" {
		// The job's end may have ended the step before its answer. Otherwise the node does not answer.
		if e, err = r.h.entryOf(ctx, dir); err != nil {
			return report, err
		}
		if !e.Over && e.EndedBy == nil {
			a, err := r.h.ask(ctx, slow, recipe.Cancel(dir, id, o.By, o.Reason), askOptions{asks: true, limit: queueLimit})
			if err == nil {
				err = r.h.cancelled(wordOf(a.Out), cmp.Or(askErr, errors.New("it answered "+s.Why)))
			}
			if err != nil {
				return report, err
			}
		}
	}
	exit, err := r.awaitEnd(ctx, max(0, o.Grace)+queueLimit)
	if exit.Signal == "SIGKILL" {
		report.Escalated = o.Grace >= 0
	}
	return report, err
}

// suspended reports whether the scheduler has suspended the job, by an answer from a moment ago. Nothing
// can be started on the job's node then.
func (r *Run) suspended(ctx context.Context, dir string) bool {
	base, _ := dirAndName(dir)
	q := r.h.askQueue(ctx, base)
	if q == nil || q.Err != nil {
		return false
	}
	j := q.Jobs[slurm.Comment(r.rec.Job.Token)]
	return j.Stage() == slurm.Suspended
}

// cancelled returns the error for an answer to [recipe.Cancel], after the job's node has failed with
// node.
func (h *host) cancelled(answer string, node error) error {
	why, failed := strings.CutPrefix(answer, "no ")
	switch {
	case answer == "ok":
		return nil
	case failed && errors.Is(slurm.Reason(why), slurm.ErrSilent):
		return h.silent()
	}
	return fmt.Errorf("the job cannot be ended: its node: %w; Slurm: %s", node, answer)
}

// silent returns the error for a request that a cluster's controller does not answer.
func (h *host) silent() error {
	return unreachable(h.name, &client.Error{Err: slurm.ErrSilent, Hint: "the job keeps running; try again when squeue answers on the login node"})
}

// awaitEnd waits until the end of the job is in the record here.
func (r *Run) awaitEnd(ctx context.Context, limit time.Duration) (engine.Exit, error) {
	r.h.forgetQueue()
	for end := time.Now().Add(limit); ; {
		seen, err := r.h.look(ctx, []engine.Record{r.rec})
		if o := seen[r.rec.ID]; err != nil || o.Status.Finished() {
			return o.Exit, err
		}
		if time.Now().After(end) {
			return engine.Exit{}, errors.New("the job was asked to end, and its end is not recorded yet")
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return engine.Exit{}, err
		}
	}
}

// actOnNode is act for a job on a cluster.
func (r *Run) actOnNode(ctx context.Context, o askOptions, dir, request string) (string, error) {
	if o.limit == 0 {
		o.limit = askLimit
	}
	if o.files {
		a, err := r.h.ask(ctx, slow, request, o)
		return wordOf(a.Out), err
	}
	e, err := r.h.entryOf(ctx, dir)
	switch {
	case err != nil:
		return "", err
	case e.Over:
		return "over", nil
	case !e.Claimed, e.Job == nil:
		return "", engine.ErrNotStarted
	}
	a, err := r.h.onNode(ctx, e, dir, request, o.limit)
	if err != nil && ctx.Err() == nil {
		base, _ := dirAndName(dir)
		if q := r.h.askQueue(ctx, base); errors.Is(q.Failure(), slurm.ErrSilent) {
			err = r.h.silent()
		}
	}
	return wordOf(a.Out), err
}

// awaitBegin waits until the job runs or has ended.
func (r *Run) awaitBegin(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	begun := errors.New("begun")
	err := r.Watch(ctx, func(s engine.State, _ engine.Note) {
		if s.Status != engine.Queued && s.Status != engine.Starting {
			stop(begun)
		}
	})
	if context.Cause(ctx) == begun { //nolint:errorlint // it is this very one
		return nil
	}
	return err
}

// onNode carries out a request about the job in dir on its node. The session breaks when the job ends:
// the request is not repeated then, and if it had not begun, the answer is over.
func (h *host) onNode(ctx context.Context, e *recipe.Entry, dir, request string, limit time.Duration) (shell.Answer, error) {
	c, err := h.connect(ctx, true)
	if err != nil {
		return shell.Answer{}, unreachable(h.name, err)
	}
	mark := rand.Text()
	var a shell.Answer
	s, err := c.OnNode(ctx, e.Number, e.Node)
	if err == nil {
		a, err = s.Do(ctx, recipe.Asked(dir, mark, recipe.Here(dir, request)), limit)
		received := func() {
			s.Do(h.b.life, recipe.Received(dir, mark), askLimit) //nolint:errcheck // if the node no longer exists, it does not wait either
			c.Release(s)
		}
		if !h.b.async(received) {
			c.Release(s)
		}
	}
	if err != nil && ctx.Err() == nil && h.overBefore(ctx, dir, mark) {
		return shell.Answer{Out: []byte("over\n")}, nil
	}
	return a, err
}

// overBefore reports whether the job in dir ended before the request with that mark began.
func (h *host) overBefore(ctx context.Context, dir, mark string) bool {
	e, err := h.entryOf(ctx, dir)
	if err != nil || !e.Over {
		return false
	}
	a, err := h.ask(ctx, quick, recipe.WasAsked(dir, mark), askOptions{asks: true})
	return err == nil && wordOf(a.Out) == "no"
}
