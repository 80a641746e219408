package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"syscall"

	"github.com/hobjobs/hob/internal/diskspace"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
)

// RemoveOptions are options of [Engine.Remove]. The zero value is for jobs that have ended.
type RemoveOptions struct {
	// Stop ends jobs that have not ended, in parallel, and what others have left running. A job that
	// cannot be stopped is kept and reported in the error.
	Stop bool
	// Forever deletes the jobs without the trash.
	Forever bool
	// Forget removes the records of jobs on hosts without asking the hosts, and of jobs that this
	// machine cannot determine: for hosts, machines and containers that are permanently gone. The jobs
	// need not have ended. Files on the host, and a job running there, are left alone. The error is
	// ErrUnsupported for a job of this machine and for one that runs on a host in the directory that is
	// its record, and ErrRunning if a holder is detected; no job is removed then.
	Forget bool
}

// Remove moves jobs to the trash, all together, so that one [Engine.Undo] restores them, and returns
// the jobs that it moved, as they are now; a job that another program removes at the same time is not
// among them. On a full disk it empties the trash first.
//
// If any job has not ended, it removes none and returns ErrRunning, or ErrElsewhere if this machine
// cannot determine it. ErrRunning also means that a job has left processes that still run: its record
// shows them. Remove returns ErrNotFound if none of the jobs exists any more, and ErrStateDir if some
// could not be moved.
func (e *Engine) Remove(ctx context.Context, o RemoveOptions, ids ...ID) ([]Job, error) {
	switch {
	case o.Forget && (o.Stop || o.Forever):
		return nil, invalid("remove", "Forget with Stop or Forever", "a record is forgotten without asking its host")
	case o.Forget:
		return e.forget(ctx, ids)
	case o.Stop:
		return e.stopAndRemove(ctx, o, ids)
	case o.Forever:
		return e.discardAll(ctx, ids)
	}
	return e.clear(ctx, ids)
}

// clear moves finished jobs to the trash.
func (e *Engine) clear(ctx context.Context, ids []ID) ([]Job, error) {
	jobs, err := e.finished(ctx, "clear", ids)
	if err != nil {
		return nil, err
	}
	if diskspace.Full(e.root.Jobs()) {
		e.makeRoom(ctx)
	}
	prepare := func(dir string) error {
		removeSocketOf(dir)
		return nil
	}
	moved, err := e.trash("clear", jobs, prepare)
	if len(moved) == 0 && errors.Is(err, syscall.ENOSPC) && e.makeRoom(ctx) {
		moved, err = e.trash("clear", jobs, prepare)
	}
	return moved, err
}

// unique returns ids without duplicates, in the same order.
func unique(ids []ID) []ID {
	seen := make(map[ID]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id ID) bool {
		again := seen[id]
		seen[id] = true
		return again
	})
}

// leftError is the error for a job that has ended and whose processes have not.
type leftError struct{ left []Process }

func (e *leftError) Error() string {
	text := fmt.Sprintf("it left a process that is still running: %d %s", e.left[0].PID, e.left[0].Command)
	if more := len(e.left) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

func (e *leftError) Unwrap() error { return ErrRunning }

// finished returns the jobs of ids without duplicates, or an error if one has not ended, or has left
// processes.
func (e *Engine) finished(ctx context.Context, op string, ids []ID) ([]Job, error) {
	jobs := make([]Job, 0, len(ids))
	for _, id := range unique(ids) {
		j, err := e.read(ctx, id)
		if err != nil {
			return nil, err
		}
		if !j.Status.Finished() {
			err := ErrRunning
			if j.Link == LinkElsewhere {
				err = ErrElsewhere
			}
			return nil, opError(op, j, err)
		}
		if j.LeftRunning() {
			return nil, opError(op, j, &leftError{j.Exit.Survivors})
		}
		if j.Unrecorded != nil { // its holder will write to the directory
			return nil, opError(op, j, fmt.Errorf("%w: %s", ErrUnrecorded, j.Unrecorded.Why))
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// trash moves jobs to the trash. prepare is called with each directory beforehand.
func (e *Engine) trash(op string, jobs []Job, prepare func(dir string) error) ([]Job, error) {
	at := e.cfg.now()
	return e.eachRemoved(op, jobs, func(j Job) error {
		err := prepare(e.root.Dir(string(j.ID)))
		if err == nil {
			err = e.root.Trash(at, string(j.ID))
		}
		return removalError(err)
	})
}

// removalError returns the error of moving the directory of a job: ErrNotFound if another program has
// just moved it.
func removalError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return ErrNotFound
	}
	return rootError(err)
}

// eachRemoved calls remove with each of jobs and returns those that it removed, without those that
// another program removed at the same time.
func (e *Engine) eachRemoved(op string, jobs []Job, remove func(Job) error) ([]Job, error) {
	defer e.changed()
	removed := make([]Job, 0, len(jobs))
	for _, j := range jobs {
		switch err := remove(j); {
		case err == nil:
			removed = append(removed, j)
		case !errors.Is(err, ErrNotFound):
			return removed, err
		}
	}
	if len(jobs) > 0 && len(removed) == 0 {
		return nil, opError(op, jobs[0], ErrNotFound)
	}
	return removed, nil
}

// Undo restores cleared jobs, either all of them or none; without ids, those of the last clear. A
// name or a unique prefix of an id is accepted. It returns ErrNotFound for a job that is not in the
// trash, and *[AmbiguousError].
func (e *Engine) Undo(ctx context.Context, ids ...ID) ([]Job, error) {
	if e.isClosed() {
		return nil, &Error{Op: "undo", Err: ErrClosed}
	}
	ids, err := e.inTrash(ids)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		last, err := e.root.LastCleared()
		if err != nil {
			return nil, rootError(err)
		}
		if len(last) == 0 {
			return nil, &Error{Op: "undo", Err: fmt.Errorf("%w: there is no clear to undo", ErrNotFound)}
		}
		for _, id := range last {
			ids = append(ids, ID(id))
		}
	}
	var jobs []Job
	for _, id := range ids {
		err := e.root.Restore(string(id))
		if errors.Is(err, fs.ErrNotExist) {
			return jobs, &Error{
				Op:   "bring back",
				Job:  id,
				Err:  ErrNotFound,
				Hint: "it was not cleared, or the trash has been emptied since",
			}
		}
		if err != nil {
			return jobs, rootError(err)
		}
		j, err := e.read(ctx, id)
		if err != nil {
			return jobs, err
		}
		jobs = append(jobs, j)
	}
	e.changed()
	return jobs, nil
}

// inTrash returns the ids of the cleared jobs that refs refer to.
func (e *Engine) inTrash(refs []ID) ([]ID, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	trash, err := e.root.InTrash()
	if err != nil {
		return nil, rootError(err)
	}
	var jobs []Job // the jobs in the trash, read when a reference is not an id
	find := func(ref ID) (ID, error) {
		if slices.ContainsFunc(trash, func(t statedir.Trashed) bool { return t.ID == string(ref) }) {
			return ref, nil
		}
		if jobs == nil {
			for _, t := range trash {
				if rec, err := jobdir.Read(e.root.TrashDir(t.ID)); err == nil {
					jobs = append(jobs, e.jobOf(&rec))
				}
			}
		}
		j, err := pick(jobs, string(ref), Read)
		if errors.Is(err, ErrNotFound) {
			err = &Error{
				Op:   "bring back",
				Job:  ref,
				Err:  ErrNotFound,
				Hint: "it was not cleared, or the trash has been emptied since",
			}
		}
		return j.ID, err
	}
	var ids []ID
	for _, ref := range refs {
		id, err := find(ref)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return unique(ids), nil
}

// stopAndRemove stops the jobs that run or have survivors, and then removes all that are over.
func (e *Engine) stopAndRemove(ctx context.Context, o RemoveOptions, ids []ID) ([]Job, error) {
	found, errs := make([]Job, len(ids)), make([]error, len(ids), len(ids)+1)
	var work sync.WaitGroup
	for i, id := range ids {
		work.Go(func() { found[i], errs[i] = e.read(ctx, id) })
	}
	work.Wait()
	var stop []Job
	var at []int // the index in ids of each of them
	for i, j := range found {
		if errs[i] == nil && !j.LeftNothing() {
			stop, at = append(stop, j), append(at, i)
		}
	}
	e.StopAll(ctx, stop, StopOptions{}, func(i int, _ StopReport, err error) {
		if !errors.Is(err, ErrNotRunning) {
			errs[at[i]] = err
		}
	})
	var over []ID
	for i, id := range ids {
		if errs[i] == nil {
			over = append(over, id)
		}
	}
	o.Stop = false
	jobs, err := e.Remove(ctx, o, over...)
	return jobs, errors.Join(append(errs, err)...)
}

// forget removes records as [RemoveOptions].Forget describes. The sweep deletes them without asking
// the host.
func (e *Engine) forget(ctx context.Context, ids []ID) ([]Job, error) {
	jobs := make([]Job, 0, len(ids))
	for _, id := range unique(ids) {
		rec, err := e.record(id)
		if err != nil {
			return nil, err
		}
		j := e.jobOf(rec)
		switch held := !j.Status.Finished() && jobdir.Locked(e.root.Dir(rec.ID)); {
		case j.Host != "":
		case e.here.canJudge(rec):
			return nil, &Error{
				Op:   "forget",
				Job:  id,
				Err:  fmt.Errorf("%w: it is a job of this machine", ErrUnsupported),
				Hint: "clear it, or remove it, which stops it first",
			}
		case held:
			return nil, &Error{
				Op:   "forget",
				Job:  id,
				Err:  ErrRunning,
				Hint: "its holder is running: remove it in the container that runs it",
			}
		}
		if !j.Status.Finished() && jobdir.HasWrapper(e.root.Dir(rec.ID)) {
			return nil, &Error{
				Op:   "forget",
				Job:  id,
				Err:  fmt.Errorf("%w: its host writes to the same directory", ErrUnsupported),
				Hint: "stop it on the host, then clear it",
			}
		}
		jobs = append(jobs, j)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return e.trash("forget", jobs, jobdir.Abandon)
}
