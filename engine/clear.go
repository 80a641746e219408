package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"syscall"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Clear moves finished jobs to the trash and returns those that it moved: what
// somebody else clears at the same time is theirs. It moves none if one has not
// ended, which is ErrRunning, or ErrElsewhere if that is not for this machine to
// say. ErrNotFound means that none of them is there any more, ErrStateRoot that the
// rest could not be moved. On a disk without room the trash is emptied first.
func (e *Engine) Clear(ctx context.Context, ids ...ID) ([]Job, error) {
	jobs, err := e.over(ctx, "clear", ids)
	if err != nil {
		return nil, err
	}
	if jobdir.Full(e.root.Jobs()) {
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

// over are the jobs of ids, each once, if all of them have ended.
func (e *Engine) over(ctx context.Context, op string, ids []ID) ([]Job, error) {
	jobs := make([]Job, 0, len(ids))
	seen := map[ID]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		j, err := e.read(ctx, id)
		if err != nil {
			return nil, err
		}
		if !j.Status.Finished() {
			err := ErrRunning
			if j.Link == LinkElsewhere {
				err = ErrElsewhere
			}
			return nil, fault(op, j, err)
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// trash moves jobs to the trash and returns those that it moved: what somebody else
// moves at the same time is theirs. prepare is called with each directory before.
func (e *Engine) trash(op string, jobs []Job, prepare func(dir string) error) ([]Job, error) {
	defer e.changed()
	at, moved := e.cfg.now(), make([]Job, 0, len(jobs))
	for _, j := range jobs {
		e.outputs.drop(j.ID)
		err := prepare(e.root.Dir(string(j.ID)))
		if err == nil {
			err = e.root.Trash(at, string(j.ID))
		}
		switch {
		case err == nil:
			moved = append(moved, j)
		case !errors.Is(err, fs.ErrNotExist): // else somebody else moved it just now
			return moved, rootError(err)
		}
	}
	if len(jobs) > 0 && len(moved) == 0 {
		return nil, fault(op, jobs[0], ErrNotFound)
	}
	return moved, nil
}

// Undo brings cleared jobs back, all or none of them; without ids those of the last
// clear. A name or the beginning of an id will do. The errors are ErrNotFound for
// what is not in the trash (any more), and *[AmbiguousError].
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
			return nil, &Error{Op: "undo", Err: fmt.Errorf("%w: nothing was cleared that could be brought back", ErrNotFound)}
		}
		for _, id := range last {
			ids = append(ids, ID(id))
		}
	}
	var jobs []Job
	for _, id := range ids {
		err := e.root.Restore(string(id))
		if errors.Is(err, fs.ErrNotExist) {
			return jobs, &Error{Op: "bring back", Job: id, Err: ErrNotFound, Hint: "it was not cleared, or the trash has been emptied since"}
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

// inTrash finds the cleared jobs that refs mean.
func (e *Engine) inTrash(refs []ID) ([]ID, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	trash, err := e.root.InTrash()
	if err != nil {
		return nil, rootError(err)
	}
	var jobs []Job // what is in the trash, once a reference is no id
	find := func(ref ID) (ID, error) {
		if slices.ContainsFunc(trash, func(t jobdir.Trashed) bool { return t.ID == string(ref) }) {
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
			err = &Error{Op: "bring back", Job: ref, Err: ErrNotFound, Hint: "it was not cleared, or the trash has been emptied since"}
		}
		return j.ID, err
	}
	var ids []ID
	for _, ref := range refs {
		id, err := find(ref)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Remove stops the jobs that run, or were lost while they did, side by side, and then
// clears them together, so that one [Engine.Undo] brings them all back. It returns the jobs
// as they were in the end. One that cannot be stopped stays, and the error says why.
func (e *Engine) Remove(ctx context.Context, ids ...ID) ([]Job, error) {
	errs := make([]error, len(ids), len(ids)+1)
	var work sync.WaitGroup
	for i, id := range ids {
		work.Go(func() { errs[i] = e.stopForRemoval(ctx, id) })
	}
	work.Wait()
	var over []ID
	for i, id := range ids {
		if errs[i] == nil {
			over = append(over, id)
		}
	}
	jobs, err := e.Clear(ctx, over...)
	return jobs, errors.Join(append(errs, err)...)
}

// stopForRemoval stops a job that runs or has left processes behind.
func (e *Engine) stopForRemoval(ctx context.Context, id ID) error {
	j, err := e.read(ctx, id)
	if err != nil || j.Status.Finished() && (j.Status != Lost || len(j.Exit.Survivors) == 0) {
		return err
	}
	if _, err := e.Stop(ctx, id, StopOptions{}); !errors.Is(err, ErrNotRunning) {
		return err
	}
	return nil
}
