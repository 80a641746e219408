package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Discard deletes finished jobs for good, past the trash, and returns those that it
// deleted. It deletes none if one has not ended. The errors are those of Clear.
func (e *Engine) Discard(ctx context.Context, ids ...ID) ([]Job, error) {
	jobs, err := e.over(ctx, "discard", ids)
	if err != nil {
		return nil, err
	}
	defer e.changed()
	deleted := make([]Job, 0, len(jobs))
	for _, j := range jobs {
		switch err := e.discard(ctx, j); {
		case err == nil:
			deleted = append(deleted, j)
		case !errors.Is(err, ErrNotFound): // else somebody else removed it just now
			return deleted, err
		}
	}
	if len(jobs) > 0 && len(deleted) == 0 {
		return nil, fault("discard", jobs[0], ErrNotFound)
	}
	return deleted, nil
}

func (e *Engine) discard(ctx context.Context, j Job) error {
	e.outputs.drop(j.ID)
	removeSocketOf(e.root.Dir(string(j.ID)))
	dir, err := e.root.SetAside(string(j.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return fault("discard", j, ErrNotFound)
	}
	if err != nil {
		return rootError(err)
	}
	if b, ok := e.backend(j.Backend).(Remover); ok {
		if err := b.Remove(ctx, Record{ID: j.ID, Dir: dir, Job: j}); err != nil {
			return fault("discard", j, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return rootError(err)
	}
	return nil
}

// EmptyTrash deletes for good what was cleared, and returns those jobs. What a host
// that cannot be reached is to delete too stays in the trash, with an error.
func (e *Engine) EmptyTrash(ctx context.Context) ([]Job, error) {
	if e.isClosed() {
		return nil, &Error{Op: "empty the trash", Err: ErrClosed}
	}
	recs, err := e.root.EmptyTrash(ctx, e.release)
	jobs := make([]Job, len(recs))
	for i, rec := range recs {
		jobs[i] = e.jobOf(rec)
	}
	return jobs, fault("empty the trash", Job{}, err)
}

// create makes the directory of a job, with what prepare puts into it, which may be
// called twice: on a full disk the trash is emptied for it.
func (e *Engine) create(ctx context.Context, m *jobdir.Meta, prepare func(dir string) error) (dir string, err error) {
	if dir, err = e.root.Create(m, m.Name, prepare); errors.Is(err, syscall.ENOSPC) && e.makeRoom(ctx) {
		dir, err = e.root.Create(m, m.Name, prepare)
	}
	if err != nil {
		return "", rootError(err)
	}
	return dir, nil
}

// makeRoom empties the trash, but for the jobs of hosts: these have their logs there,
// and no one waits for a host here. It reports whether anything was deleted.
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

// release gives up what is kept of a job elsewhere, before its directory dir is deleted.
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
