package engine

import (
	"context"
	"errors"
	"os"
	"syscall"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Discard deletes finished jobs permanently, without the trash, and returns the jobs that it
// deleted. If any job has not ended, it deletes none. The errors are those of Clear.
func (e *Engine) Discard(ctx context.Context, ids ...ID) ([]Job, error) {
	jobs, err := e.finished(ctx, "discard", ids)
	if err != nil {
		return nil, err
	}
	return e.eachRemoved("discard", jobs, func(j Job) error { return e.discard(ctx, j) })
}

func (e *Engine) discard(ctx context.Context, j Job) error {
	removeSocketOf(e.root.Dir(string(j.ID)))
	dir, err := e.root.Discard(string(j.ID))
	if err != nil {
		return removalError(err)
	}
	if b, ok := e.backend(j.Backend).(Remover); ok {
		if err := b.Remove(ctx, Record{ID: j.ID, Dir: dir, Job: j}); err != nil {
			return opError("discard", j, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return rootError(err)
	}
	return nil
}

// EmptyTrash permanently deletes cleared jobs and returns them. A job that also has to be deleted
// on an unreachable host stays in the trash and is reported in the error.
func (e *Engine) EmptyTrash(ctx context.Context) ([]Job, error) {
	if e.isClosed() {
		return nil, &Error{Op: "empty the trash", Err: ErrClosed}
	}
	recs, err := e.root.EmptyTrash(ctx, e.release)
	jobs := make([]Job, len(recs))
	for i, rec := range recs {
		jobs[i] = e.jobOf(rec)
	}
	return jobs, opError("empty the trash", Job{}, err)
}

// create creates the directory of a job, whose lock the caller has then. On a full disk it empties
// the trash and tries again.
func (e *Engine) create(ctx context.Context, m *jobdir.Meta) (dir string, lock *jobdir.FileLock, err error) {
	hold := func(dir string) (err error) {
		lock.Close() // of the first attempt
		lock, err = jobdir.Lock(dir)
		return err
	}
	if dir, err = e.root.Create(m, m.Name, hold); errors.Is(err, syscall.ENOSPC) && e.makeRoom(ctx) {
		dir, err = e.root.Create(m, m.Name, hold)
	}
	if err != nil {
		lock.Close()
		return "", nil, rootError(err)
	}
	return dir, lock, nil
}

// makeRoom empties the trash and reports whether anything was deleted. It skips jobs of hosts:
// their logs are on the host, and the caller should not wait for a host here.
func (e *Engine) makeRoom(ctx context.Context) bool {
	recs, err := e.root.EmptyTrash(ctx, func(ctx context.Context, rec *jobdir.Record, dir string) error {
		if rec.Meta.Host != "" {
			return ErrUnsupported
		}
		return e.release(ctx, rec, dir)
	})
	e.log.Info("the disk is full: the trash was emptied", "jobs", len(recs), "err", err)
	return len(recs) > 0
}

// release deletes what a backend keeps of a job elsewhere, before the job's directory dir is
// deleted.
func (e *Engine) release(ctx context.Context, rec *jobdir.Record, dir string) error {
	removeSocketOf(dir)
	if jobdir.Abandoned(dir) || expired(rec, dir) && rec.Meta.ClientMachine != e.here.machine {
		return nil
	}
	b, ok := e.backend(rec.Meta.Backend).(Remover)
	if !ok {
		return nil
	}
	return b.Remove(ctx, Record{ID: ID(rec.ID), Dir: dir, Job: jobOf(rec, dir)})
}
