package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hobjobs/hob/internal/hostname"
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

// Queues returns the queues of host ("" is this machine) that have been used, sorted by name.
func (e *Engine) Queues(ctx context.Context, host string) ([]Queue, error) {
	if e.isClosed() {
		return nil, &Error{Op: "list queues", Err: ErrClosed}
	}
	if host != "" {
		return keepQueues(ctx, e.serving(host), "list queues", host, QueueRequest{})
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
	q, err := queue.Describe(e.root.Queues(), name)
	return Queue(q), err
}

// keepQueues carries out r on a host.
func keepQueues(ctx context.Context, b Backend, op, host string, r QueueRequest) ([]Queue, error) {
	k, ok := b.(QueueKeeper)
	if !ok {
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: queues on %s", ErrUnsupported, host)}
	}
	queues, err := k.KeepQueues(ctx, host, r)
	return queues, opError(op, Job{}, err)
}

// QueueChange is a change of a queue's settings. Zero fields change nothing.
type QueueChange struct {
	Host  string // of the queue; empty: this machine
	Slots int    // at least 1
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
	if c.Host != "" {
		queues, err := keepQueues(ctx, e.serving(c.Host), "change a queue", c.Host, QueueRequest{Name: name, Change: c})
		if err != nil || len(queues) == 0 {
			return Queue{}, err
		}
		return queues[0], nil
	}
	change := queue.Change{Slots: c.Slots, Pause: c.Pause, Resume: c.Resume}
	err := queue.Set(ctx, queue.Dir(e.root.Queues(), name), change.Apply)
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
	op, change := "put first", queue.First
	if when == TurnNow {
		op, change = "start", queue.StartNow
	}
	here, there, err := e.byPlace(op, ids)
	if err != nil {
		return err
	}
	for host, jobs := range there {
		if _, err := keepQueues(ctx, e.serving(host), op, host, QueueRequest{Jobs: jobs, Turn: when}); err != nil {
			return err
		}
	}
	for dir, jobs := range here {
		err := change(ctx, dir, jobs)
		if queue.IsNotWaiting(err) {
			err = ErrNotQueued
		}
		if err != nil {
			return &Error{
				Op:   op,
				Job:  ID(jobs[0]),
				Err:  err,
				Hint: hintFor(err, Job{}),
			}
		}
	}
	if when == TurnFirst {
		notePutFirst(e, ids)
	}
	return nil
}

// ErrNotQueued means that a job does not wait in a queue: it has started or ended.
var ErrNotQueued = errors.New("the job is not queued")

// byPlace returns the queued jobs of this machine by the directory of their queue, and the others by host.
func (e *Engine) byPlace(op string, ids []ID) (here map[string][]string, there map[string][]Record, err error) {
	here, there = map[string][]string{}, map[string][]Record{}
	for _, id := range ids {
		rec, err := e.record(id)
		if err != nil {
			return nil, nil, err
		}
		host := rec.Meta.Host
		refused := &Error{Op: op, Job: id, Err: ErrNotQueued}
		switch {
		case hostname.OnCluster(host):
			refused.Err = fmt.Errorf("%w on this machine", ErrNotQueued)
			refused.Hint = "the scheduler of a cluster decides when its jobs start"
			return nil, nil, refused
		case !mayBeQueued(rec):
			return nil, nil, refused
		case host != "":
			there[host] = append(there[host], Record{ID: id, Dir: e.root.Dir(rec.ID), Job: e.jobOf(rec)})
		default:
			dir := queue.Dir(e.root.Queues(), rec.Meta.Queue)
			here[dir] = append(here[dir], rec.ID)
		}
	}
	return here, there, nil
}

// mayBeQueued reports whether a job waits in a queue according to its records.
func mayBeQueued(rec *jobdir.Record) bool {
	switch {
	case !rec.Meta.Waits(), rec.Finished():
		return false
	case rec.Meta.Host != "":
		return rec.CurrentState().Status == Queued
	}
	return !rec.Started
}

// configureQueue applies the slots of the settings to the queue of a new job, if they have changed
// since the last time.
func (e *Engine) configureQueue(ctx context.Context, name string) error {
	slots := e.cfg.slots[name]
	if slots < 1 {
		return nil
	}
	return queue.Set(ctx, queue.Dir(e.root.Queues(), name), func(s *queue.Settings) {
		if s.Configured != slots {
			s.Slots, s.Configured = slots, slots
		}
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
	if spec.Host != "" {
		return spec, nil // the queue is one of the host
	}
	return spec, e.configureQueue(ctx, spec.Queue)
}

// unended returns the jobs among ids that a job on host has to wait for. With successfully, these include jobs that
// have ended without success, which keep it from starting.
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
				Op:   "start",
				Job:  id,
				Err:  fmt.Errorf("%w: a job on %s cannot wait for one on %s", ErrInvalid, placeName(host), placeName(rec.Meta.Host)),
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
