package ssh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	"github.com/hobjobs/hob/internal/jobdir"
)

const (
	// queueOften is how old an answer of the cluster's scheduler may be. The job's files show start and
	// end sooner.
	queueOften = 10 * time.Second
	// queueLimit bounds one request to Slurm: the answer to the same question of another client, and
	// the programs of Slurm, each of which takes [recipe.SlurmLimit] at most.
	queueLimit = 30 * time.Second
	// queuePatience is how long a look waits for the first answer. A controller that hangs is thus
	// reported before the programs of Slurm give it up.
	queuePatience = 2 * time.Second
)

// queue is the last answer of a cluster's scheduler; fields are guarded by host.mu.
type queue struct {
	last   *slurm.Queue // nil: not requested yet, or something has changed since
	at     time.Time    // of last, here
	asking chan struct{}
}

// askQueue returns what the scheduler says, as of a moment ago. It waits for an answer only if it has none
// from a moment ago, and not long: a controller that does not answer must not delay what the files of jobs
// show. nil: it is not known yet, and those who watch the job will see the answer.
func (h *host) askQueue(ctx context.Context, base string) *slurm.Queue {
	h.mu.Lock()
	last, asking := h.queue.last, h.queue.asking
	age, watched := time.Since(h.queue.at), len(h.watchers) > 0
	old := last == nil || age >= h.b.queueOften
	if old && asking == nil {
		asking = make(chan struct{})
		if h.b.async(func() { h.updateQueue(base, asking) }) {
			h.queue.asking = asking
		} else {
			asking = nil
		}
	}
	h.mu.Unlock()
	// Those who watch have asked for it often, and see the next answer when it comes.
	if lasts := watched && age < slurm.AnswerLasts; old && !lasts {
		last = nil
	}
	if last != nil || asking == nil {
		return last
	}
	timer := time.NewTimer(queuePatience)
	defer timer.Stop()
	select {
	case <-asking:
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.queue.last
	case <-timer.C:
	case <-ctx.Done():
	}
	if watched {
		return nil
	}
	return h.lastQueue(ctx, base, slurm.ErrSilent)
}

// lastQueue returns the last answer of the scheduler to any client, for a scheduler that does not answer
// because of err now.
func (h *host) lastQueue(ctx context.Context, base string, err error) *slurm.Queue {
	q := slurm.Queue{}
	if a, err := h.ask(ctx, quick, recipe.LastQueue(base), askOptions{}); err == nil {
		q = slurm.ParseQueue(a.Out)
	}
	q.Err = err
	return &q
}

// updateQueue asks the scheduler, and closes done.
func (h *host) updateQueue(base string, done chan struct{}) {
	a, err := h.ask(h.b.life, slow, recipe.Queue(base, h.b.queueOften), askOptions{limit: queueLimit})
	q := &slurm.Queue{Err: err}
	if err == nil {
		*q = slurm.ParseQueue(a.Out)
	}
	if q.Err != nil {
		q = h.lastQueue(h.b.life, base, q.Err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.queue.asking == done { // nothing has changed since
		h.queue.last, h.queue.at, h.queue.asking = q, time.Now(), nil
	}
	close(done)
}

// forgetQueue makes the next look ask the scheduler: something was submitted or cancelled.
func (h *host) forgetQueue() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = queue{}
}

// follow returns the options for sbatch with which the job of l waits for the jobs that it follows. If
// one of those has ended without the success that l requires, blocked describes how it ended.
func (h *host) follow(ctx context.Context, l engine.Launch) (options []string, blocked string, err error) {
	if len(l.Spec.After)+len(l.Spec.AfterAny) == 0 {
		return nil, "", nil
	}
	if blocked, err = h.blocked(ctx, l.Dir, l.Spec.After); blocked != "" || err != nil {
		return nil, blocked, err
	}
	h.forgetQueue()
	after, err := h.numbers(ctx, l.Dir, l.Spec.After)
	if err != nil {
		return nil, "", err
	}
	afterAny, err := h.numbers(ctx, l.Dir, l.Spec.AfterAny)
	return slurm.After(after, afterAny), "", err
}

// followed returns a job that the job with the record in dir follows; it may have been cleared.
func followed(dir string, id engine.ID) (engine.Record, error) {
	of := filepath.Join(filepath.Dir(dir), string(id))
	rec, err := jobdir.Read(of)
	if errors.Is(err, fs.ErrNotExist) {
		of = filepath.Join(filepath.Dir(filepath.Dir(of)), "trash", string(id))
		rec, err = jobdir.Read(of)
	}
	return engine.Record{ID: id, Dir: of, Job: engine.Job{Request: rec.Meta.Request, State: rec.CurrentState()}}, err
}

// blocked returns how a job that the one with the record in dir follows has ended, if it was not
// successful; empty: none has.
func (h *host) blocked(ctx context.Context, dir string, after []engine.ID) (string, error) {
	for _, id := range after {
		rec, err := followed(dir, id)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return string(id) + " was deleted", nil
		case err != nil:
			return "", err
		case !rec.Job.Status.Finished():
			seen, err := h.look(ctx, []engine.Record{rec})
			if err != nil {
				return "", err
			}
			rec.Job.State = seen[id]
		}
		if rec.Job.Status.Finished() && !successful(rec.Job.Exit) {
			return string(id) + " " + rec.Job.Ending(), nil
		}
	}
	return "", nil
}

func successful(e engine.Exit) bool {
	return e.Status == engine.Exited && e.Code != nil && *e.Code == 0
}

// numbers returns the scheduler's numbers of jobs. One that has ended since it was looked at is still
// known to it.
func (h *host) numbers(ctx context.Context, dir string, ids []engine.ID) (numbers []string, err error) {
	for _, id := range ids {
		rec, err := followed(dir, id)
		if err != nil {
			return nil, err
		}
		at, err := (&Run{b: h.b, h: h, rec: rec}).dir(ctx, true)
		if err != nil {
			return nil, err
		}
		e, err := h.entryOf(ctx, at)
		if err != nil {
			return nil, err
		}
		number := e.Number
		base, _ := dirAndName(at)
		if q := h.askQueue(ctx, base); q.Answered() { // a number may have been given again
			if j, listed := q.Jobs[slurm.Comment(rec.Job.Token)]; listed {
				number = j.Number
			}
		}
		if number == "" {
			return nil, fmt.Errorf("Slurm does not have the job %s yet; try again", id) //nolint:staticcheck // a name
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// failDependency records that the job of l is not started, because of the end of one that it follows.
func (b *Backend) failDependency(l engine.Launch, blocked string) {
	o := judge.LastKnown(l.Record)
	o.Status = engine.Failed
	o.Exit = engine.Exit{
		Status: engine.Failed,
		Reason: engine.ReasonDependency,
		Error:  blocked,
		At:     time.Now(),
	}
	b.remember(l.Record, o, "", "", true)
}
