package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/queue"
)

// Queue is a queue of jobs on this machine: at most Slots of them run at once, the others wait for
// their turn.
type Queue struct {
	Name   string `json:"name"`
	Slots  int    `json:"slots"`
	Paused bool   `json:"paused"` // no job starts
	// Running are the jobs that have a slot, or were started without one. Waiting are the jobs that
	// have not started, in their order; some of them may wait for other jobs.
	Running []ID `json:"running"`
	Waiting []ID `json:"waiting"`
}

// Queues returns the queues that have been used, sorted by name.
func (e *Engine) Queues(ctx context.Context) ([]Queue, error) {
	if e.isClosed() {
		return nil, &Error{Op: "list queues", Err: ErrClosed}
	}
	names, err := queue.Names(e.root.Queues())
	if err != nil {
		return nil, rootError(err)
	}
	queues := make([]Queue, 0, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q, err := e.queue(name)
		if err != nil {
			return nil, rootError(err)
		}
		queues = append(queues, q)
	}
	return queues, nil
}

func (e *Engine) queue(name string) (Queue, error) {
	dir := queue.Dir(e.root.Queues(), name)
	queue.Clean(dir)
	v, err := queue.Read(dir)
	q := Queue{
		Name:    name,
		Slots:   v.Slots,
		Paused:  v.Paused,
		Running: []ID{},
		Waiting: []ID{},
	}
	for _, entry := range v.Entries {
		switch {
		case entry.State == queue.Canceled: // its end is being recorded, or was a moment ago
		case entry.State.Pending():
			q.Waiting = append(q.Waiting, ID(entry.ID))
		default:
			q.Running = append(q.Running, ID(entry.ID))
		}
	}
	return q, err
}

// QueueChange is a change of a queue's settings. Zero fields change nothing.
type QueueChange struct {
	Slots int // at least 1
	// Pause keeps jobs from starting, Resume lets them start again.
	Pause, Resume bool
}

// SetQueue changes a queue, at once and until the next change. The queue need not have been used. It
// returns ErrInvalid for an impossible name or change.
func (e *Engine) SetQueue(ctx context.Context, name string, c QueueChange) (Queue, error) {
	switch {
	case !queue.ValidName(name):
		return Queue{}, invalid("change a queue", fmt.Sprintf("%q cannot be the name of a queue", name), queue.NameHint)
	case c.Slots < 0, c.Slots > MaxSlots:
		return Queue{}, invalid("change a queue", fmt.Sprintf("%d slots", c.Slots), fmt.Sprintf("use 1 to %d", MaxSlots))
	case c.Pause && c.Resume:
		return Queue{}, invalid("change a queue", "both pause and resume", "choose one of them")
	}
	err := queue.Set(ctx, queue.Dir(e.root.Queues(), name), func(s *queue.Settings) {
		if c.Slots > 0 {
			s.Slots = c.Slots
		}
		switch {
		case c.Pause:
			s.Paused = true
		case c.Resume:
			s.Paused = false
		}
	})
	if err != nil {
		return Queue{}, &Error{Op: "change a queue", Err: err, Hint: hintFor(err, Job{})}
	}
	return e.queue(name)
}

// MaxSlots is the largest number of slots of a queue.
const MaxSlots = 10_000

// Turn selects when a queued job starts, for [Engine.StartQueued].
type Turn string

// Values of Turn.
const (
	TurnFirst Turn = "first" // before all others of its queue
	TurnNow   Turn = "now"   // at once, without a slot, and although jobs that it follows have not ended
)

// StartQueued lets queued jobs start sooner, in the given order. The error is ErrNotQueued if one of them
// does not wait.
func (e *Engine) StartQueued(ctx context.Context, when Turn, ids ...ID) error {
	if when == TurnNow {
		return e.eachQueue(ctx, "start", ids, queue.StartNow)
	}
	return e.eachQueue(ctx, "put first", ids, queue.First)
}

// ErrNotQueued means that a job does not wait in a queue: it has started or ended.
var ErrNotQueued = errors.New("the job is not queued")

// eachQueue calls change with the jobs of each queue.
func (e *Engine) eachQueue(ctx context.Context, op string, ids []ID, change func(ctx context.Context, dir string, ids []string) error) error {
	byDir := map[string][]string{}
	for _, id := range ids {
		rec, err := e.record(id)
		if err != nil {
			return err
		}
		if !waitsHere(rec) {
			err := &Error{Op: op, Job: id, Err: ErrNotQueued}
			if rec.Meta.Host != "" {
				err.Err = fmt.Errorf("%w on this machine", ErrNotQueued)
				err.Hint = "the scheduler of a cluster decides when its jobs start"
			}
			return err
		}
		dir := queue.Dir(e.root.Queues(), rec.Meta.Queue)
		byDir[dir] = append(byDir[dir], rec.ID)
	}
	for dir, jobs := range byDir {
		err := change(ctx, dir, jobs)
		if errors.Is(err, queue.ErrNotWaiting) || errors.Is(err, fs.ErrNotExist) {
			err = ErrNotQueued
		}
		if err != nil {
			return &Error{Op: op, Job: ID(jobs[0]), Err: err, Hint: hintFor(err, Job{})}
		}
	}
	return nil
}

// waitsHere reports whether a job waits in a queue of this machine.
func waitsHere(rec *jobdir.Record) bool {
	switch {
	case rec.Meta.Host != "", !rec.Meta.Waits(), rec.Started, rec.Finished():
		return false
	}
	return true
}

// configureQueue applies the slots of the settings to the queue of a new job, if they have changed
// since the last time.
func (e *Engine) configureQueue(ctx context.Context, name string) error {
	slots := e.cfg.slots[name]
	if slots < 1 {
		return nil
	}
	return queue.Set(ctx, queue.Dir(e.root.Queues(), name), func(s *queue.Settings) {
		s.Configure(slots)
	})
}

// dependencies returns spec without the jobs that have ended as it requires. The error is ErrNotFound
// for an unknown job.
func (e *Engine) dependencies(ctx context.Context, spec Spec) (Spec, error) {
	var err error
	if spec.After, err = e.unended(ctx, spec.Host, spec.After, true); err != nil {
		return spec, err
	}
	if spec.AfterAny, err = e.unended(ctx, spec.Host, spec.AfterAny, false); err != nil {
		return spec, err
	}
	return spec, e.configureQueue(ctx, spec.Queue)
}

// unended returns the jobs among ids for which a job on host has to wait, and those that have ended
// without the success that it requires.
func (e *Engine) unended(ctx context.Context, host string, ids []ID, successfully bool) ([]ID, error) {
	var left []ID
	for _, id := range ids {
		rec, err := e.recordAnywhere(id)
		if err == nil && rec.Meta.Host != "" && !rec.Finished() { // its end may not be recorded here yet
			e.observe(ctx, []*jobdir.Record{rec}, false)
			rec, err = e.recordAnywhere(id)
		}
		if err != nil {
			return nil, err
		}
		if rec.Finished() && (!successfully || succeeded(rec)) {
			continue
		}
		if rec.Meta.Host != host && !rec.Finished() {
			return nil, &Error{
				Op: "start", Job: id, Err: fmt.Errorf("%w: a job on %s cannot wait for one on %s", ErrInvalid, placeName(host), placeName(rec.Meta.Host)),
				Hint: "wait with hob wait, or start both in one place",
			}
		}
		left = append(left, id)
	}
	return left, nil
}

func placeName(host string) string {
	if host == "" {
		return "this machine"
	}
	return host
}

func succeeded(rec *jobdir.Record) bool {
	exit, ended := rec.CurrentState().Ended()
	return ended && exit.Succeeded()
}

// undeleted returns the jobs that have records.
func (e *Engine) undeleted(ids []ID) []ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id ID) bool {
		_, err := e.recordAnywhere(id)
		return errors.Is(err, ErrNotFound)
	})
}
