package engine

import (
	"context"
	"fmt"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Forget clears what is recorded here of jobs on hosts without asking the hosts, and
// of jobs that are not for this machine to judge: for hosts, machines and containers
// that are gone for good. It does not matter whether the jobs have ended. What is on
// the host stays there, the job too if it runs. Undo brings the records back; the sweep
// deletes them without the host. The error is ErrUnsupported for a job of this machine,
// which can be asked, and for one that runs on a host in the directory that is its
// record, and ErrRunning where a holder is seen to be there: then none is forgotten.
// What it returns, and the other errors, are those of [Engine.Clear].
func (e *Engine) Forget(ctx context.Context, ids ...ID) ([]Job, error) {
	jobs := make([]Job, 0, len(ids))
	seen := map[ID]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		rec, err := e.record(id)
		if err != nil {
			return nil, err
		}
		j := e.jobOf(rec)
		switch held := !j.Status.Finished() && jobdir.Locked(e.root.Dir(rec.ID)); {
		case j.Host != "":
		case e.here.judges(rec):
			return nil, &Error{
				Op: "forget", Job: id, Err: fmt.Errorf("%w: it is a job of this machine", ErrUnsupported),
				Hint: "clear it, or remove it, which ends it first",
			}
		case held:
			return nil, &Error{Op: "forget", Job: id, Err: ErrRunning, Hint: "its holder is there: remove it in the container that runs it"}
		}
		if !j.Status.Finished() && jobdir.HasWrapper(e.root.Dir(rec.ID)) {
			return nil, &Error{
				Op: "forget", Job: id, Err: fmt.Errorf("%w: its host writes to the same directory", ErrUnsupported),
				Hint: "end it on the host, then clear it",
			}
		}
		jobs = append(jobs, j)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return e.trash("forget", jobs, jobdir.Abandon)
}
