package engine

import (
	"context"
	"fmt"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Forget clears the local records of jobs on hosts without asking the hosts, and the records of
// jobs that this machine cannot determine: for hosts, machines and containers that are permanently
// gone. The jobs need not have ended. Files on the host, and a job running there, are left alone.
// Undo restores the records; the sweep deletes them without asking the host. Forget returns
// ErrUnsupported for a job of this machine and for a job that runs on a host in the directory that
// is its record, and ErrRunning if a holder is detected; in these cases no job is forgotten. Its
// result and its other errors are those of [Engine.Clear].
func (e *Engine) Forget(ctx context.Context, ids ...ID) ([]Job, error) {
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
				Op: "forget", Job: id, Err: fmt.Errorf("%w: it is a job of this machine", ErrUnsupported),
				Hint: "clear it, or remove it, which stops it first",
			}
		case held:
			return nil, &Error{Op: "forget", Job: id, Err: ErrRunning, Hint: "its holder is running: remove it in the container that runs it"}
		}
		if !j.Status.Finished() && jobdir.HasWrapper(e.root.Dir(rec.ID)) {
			return nil, &Error{
				Op: "forget", Job: id, Err: fmt.Errorf("%w: its host writes to the same directory", ErrUnsupported),
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
