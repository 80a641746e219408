package ssh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	jobqueue "github.com/hobjobs/hob/internal/queue"
)

// How old an answer of the cluster's scheduler may be. The job's files show start and end sooner.
const (
	queueOften  = 10 * time.Second // while a client watches
	queueSeldom = time.Minute
	// queueLimit bounds one question. Slurm's own programs give up after ten seconds.
	queueLimit = 30 * time.Second
	// queuePatience is how long a look waits for the first answer.
	queuePatience = 2 * time.Second
	// recordPatience is how long the record of an end may take to be visible on the shared disk.
	recordPatience = time.Minute
	// lateSubmission is how long after its start a submission without an answer may still arrive.
	lateSubmission = 90 * time.Second
)

// scheduled reports whether a cluster's scheduler starts the job of r.
func scheduled(r engine.Record) bool {
	_, onCluster := slurm.Login(r.Job.Host)
	return onCluster || r.Job.Scheduler == slurm.Name
}

func anyScheduled(rs []engine.Record) bool {
	for i := range rs {
		if scheduled(rs[i]) {
			return true
		}
	}
	return false
}

// queue is the last answer of a cluster's scheduler; fields are guarded by host.mu.
type queue struct {
	last   *slurm.Queue // nil: not requested yet, or out of date
	at     time.Time    // of last, here
	asking chan struct{}
}

// askQueue returns what the scheduler says, as of a moment ago. It waits for a first answer only, and
// not long: a controller that does not answer must not delay what the files of jobs show. nil: it is
// not known yet.
func (h *host) askQueue(ctx context.Context, base string) *slurm.Queue {
	h.mu.Lock()
	every := queueSeldom
	if len(h.watchers) > 0 {
		every = h.b.queueOften
	}
	last, asking := h.queue.last, h.queue.asking
	if (last == nil || time.Since(h.queue.at) >= every) && asking == nil {
		asking = make(chan struct{})
		if h.b.async(func() { h.updateQueue(base, every, asking) }) {
			h.queue.asking = asking
		} else {
			asking = nil
		}
	}
	h.mu.Unlock()
	if last != nil || asking == nil {
		return last
	}
	timer := time.NewTimer(queuePatience)
	defer timer.Stop()
	select {
	case <-asking:
	case <-timer.C:
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.queue.last
}

// updateQueue asks the scheduler, and closes done.
func (h *host) updateQueue(base string, every time.Duration, done chan struct{}) {
	a, err := h.ask(h.b.life, slow, recipe.Queue(base, every), askOptions{limit: queueLimit})
	q := slurm.Queue{Err: err}
	if err == nil {
		q = slurm.ParseQueue(a.Out)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.queue.asking == done { // nothing has changed since
		h.queue.last, h.queue.at, h.queue.asking = &q, time.Now(), nil
	}
	close(done)
}

// forgetQueue makes the next look ask the scheduler: something was submitted or cancelled.
func (h *host) forgetQueue() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = queue{}
}

// onCluster is verdict for a job that a cluster's scheduler starts and that has no recorded end. The
// processes of the job's files are those of its node, so only the scheduler knows whether they live.
func (s *sight) onCluster(o *engine.State) certainty {
	e, q := s.entry, s.queue
	o.Pending = nil
	known := q != nil && q.Err == nil
	j, listed := slurm.Job{}, false
	if known {
		j, listed = q.Jobs[slurm.Comment(s.rec.Job.Token)]
	}
	if listed {
		o.Scheduled.ID, o.Scheduled.Partition = j.Number, j.Partition
	}
	switch {
	case listed && !e.Claimed && j.Unsatisfiable() && len(s.rec.Job.After) > 0:
		return unstarted // which of the jobs that it follows is the cause, their records show
	case listed && j.Stage() == slurm.Ended && !s.stillWriting(&j):
		return s.endedThere(o, &j)
	case known && !listed && q.Date > s.submitted() && !e.Claimed:
		return unstarted
	case known && !listed && q.Date > s.submitted():
		sure := s.lost(o, engine.ReasonHolderDied, "Slurm no longer knows the job, and its end was not recorded")
		o.Pending = nil
		return sure
	case e.Claimed:
		o.Status = s.begun()
		o.Paused = listed && j.Stage() == slurm.Suspended || s.paused()
	case e.Number == "" && !listed && s.rec.Job.Pending == nil:
		o.Status = engine.Starting // it is being submitted
	case listed && j.HasBegun():
		o.Status = engine.Starting // what its node writes is not visible here yet
	default:
		o.Status, o.Pending = engine.Queued, s.pending(&j, listed)
	}
	if q != nil && q.Err != nil {
		o.Link, o.LinkError, o.StaleSince = engine.LinkUnreachable, q.Err.Error(), lastSeen(s.rec)
	}
	return certain
}

// unsatisfied is why Slurm has cancelled a job, if it is not known which other one is the cause.
const unsatisfied = "to Slurm, a job that it depends on was not successful"

// unsatisfiable reports whether Slurm has cancelled the job because of the end of another.
func (s *sight) unsatisfiable() bool {
	if s.queue == nil {
		return false
	}
	j, listed := s.queue.Jobs[slurm.Comment(s.rec.Job.Token)]
	return listed && j.Unsatisfiable()
}

// submitted is when Slurm must have known the job, by the host's clock. A submission whose answer was
// lost may arrive after its end.
func (s *sight) submitted() int64 {
	if s.entry.Number == "" {
		return s.entry.Submitted + int64(lateSubmission.Seconds())
	}
	return s.entry.Submitted
}

// paused is whether hob has paused the job, as its last signal shows.
func (s *sight) paused() bool {
	name := s.entry.Signal.Name
	return name == "STOP" || name == "TSTP"
}

// stillWriting reports whether the record of an end may yet become visible.
func (s *sight) stillWriting(j *slurm.Job) bool {
	if !s.entry.Claimed && j.State == "CANCELLED" && !j.HasBegun() {
		return false
	}
	return j.End == 0 || s.clock.Date-j.End < int64(recordPatience.Seconds())
}

// pending is why a job waits.
func (s *sight) pending(j *slurm.Job, listed bool) *engine.Pending {
	p := &engine.Pending{Reason: "waiting for Slurm"}
	if before := s.rec.Job.Pending; !listed && before != nil {
		return before
	}
	if after := slices.Concat(s.rec.Job.After, s.rec.Job.AfterAny); len(after) > 0 && (!listed || j.Depends()) {
		p.Reason, p.After = jobqueue.After(after), after
	} else if listed && j.Reason != "" {
		p.Reason = j.Reason
	}
	if !listed {
		return p
	}
	if j.Start > 0 {
		at := s.at.Add(time.Duration(j.Start-s.clock.Date) * time.Second).Round(time.Second)
		if before := s.rec.Job.Pending; before != nil && at.Sub(before.StartsAt).Abs() <= 2*time.Second {
			at = before.StartsAt // only the latency of answers differs
		}
		p.StartsAt = at
	}
	return p
}

// endedThere is the end of a job that left no record, by the state that Slurm gives.
func (s *sight) endedThere(o *engine.State, j *slurm.Job) certainty {
	exit := engine.Exit{Status: engine.Killed, EndedBy: slurm.Name, At: s.at}
	switch state := j.State; {
	case j.Unsatisfiable(): // by the user's own options
		exit = engine.Exit{Status: engine.Failed, Reason: engine.ReasonDependency, Error: unsatisfied, At: s.at}
	case state == "CANCELLED", state == "REVOKED":
		exit.Reason = engine.ReasonKill
	case state == "TIMEOUT", state == "DEADLINE":
		exit.Reason = engine.ReasonTimeout
	case state == "OUT_OF_MEMORY":
		exit.Reason, exit.Signal = engine.ReasonOOM, "SIGKILL"
	case state == "PREEMPTED":
		exit = engine.Exit{Status: engine.Lost, Reason: engine.ReasonPreempted, Error: "Slurm ended it for another job, and its end was not recorded", At: s.at}
	case state == "NODE_FAIL", state == "BOOT_FAIL":
		exit = engine.Exit{Status: engine.Lost, Reason: engine.ReasonNodeFailed, Error: "its node failed", At: s.at}
	default:
		// Otherwise its files may never have become visible.
		if s.entry.Claimed || j.State == "COMPLETED" || j.Reason == "NonZeroExitCode" {
			exit = engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied, Error: "its end was not recorded; Slurm's state is " + j.State, At: s.at}
		} else {
			exit = engine.Exit{Status: engine.Failed, Reason: engine.ReasonSpawn, Error: "Slurm gives the reason " + j.Reason, At: s.at}
		}
	}
	if by := s.entry.EndedBy; by != nil && exit.Status == engine.Killed {
		exit.Reason, exit.EndedBy = engine.Reason(by.Reason), by.By
	}
	o.Status, o.Exit = exit.Status, exit
	return certain
}

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
// ended on its node, and if that cannot be asked, by the scheduler.
func (r *Run) stopOnCluster(ctx context.Context, grace time.Duration, by, reason string, keepDaemons bool) (report engine.StopReport, err error) {
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
		a, err := r.h.ask(ctx, slow, recipe.Drop(dir, id, r.rec.Job.Token, by, reason), askOptions{asks: true, limit: queueLimit})
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
	a, askErr := r.h.onNode(ctx, e, dir, recipe.Stop(dir, id, grace, by, reason, keepDaemons), max(0, grace)+queueLimit)
	s := recipe.ParseStop(a.Out)
	report.Escalated, report.Survivors = s.Killed == "KILL" && grace >= 0, s.Left
	if s.Stuck {
		return report, errors.New("processes of the job survived SIGKILL")
	}
	if s.Killed == "" {
		// The job's end may have ended the step before its answer. Otherwise the node does not answer.
		if e, err = r.h.entryOf(ctx, dir); err != nil {
			return report, err
		}
		if !e.Over && e.EndedBy == nil {
			a, err := r.h.ask(ctx, slow, recipe.Cancel(dir, id, by, reason), askOptions{asks: true, limit: queueLimit})
			if err == nil && wordOf(a.Out) != "ok" {
				err = fmt.Errorf("the job cannot be ended: its node: %w; Slurm: %s", cmpErr(askErr, s.Why), wordOf(a.Out))
			}
			if err != nil {
				return report, err
			}
		}
	}
	exit, err := r.awaitEnd(ctx, max(0, grace)+queueLimit)
	report.Escalated = report.Escalated || grace >= 0 && exit.Signal == "SIGKILL"
	return report, err
}

func cmpErr(err error, word string) error {
	if err != nil {
		return err
	}
	return errors.New("it answered " + word)
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
	case !e.Claimed || e.Job == nil:
		return "", engine.ErrNotStarted
	}
	a, err := r.h.onNode(ctx, e, dir, request, o.limit)
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
