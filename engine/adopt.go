package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Adopt creates local records for the jobs on host that have none here: jobs started from another
// machine, or whose records were lost. Afterward they are like any other job on a host. Jobs in the
// trash stay there. Adopt returns ErrUnreachable if the host does not answer and ErrUnsupported if
// no backend serves it.
func (e *Engine) Adopt(ctx context.Context, host string) error {
	f, ok := e.serving(host).(Finder)
	if !ok {
		return &Error{Op: "list", Err: fmt.Errorf("%w: no backend runs jobs on host %q", ErrUnsupported, host)}
	}
	tokens, err := e.tokens(ctx)
	if err != nil {
		return err
	}
	adopted := false
	err = f.Find(ctx, host, func(token string) bool { return tokens[token] }, func(job Found) error {
		m := jobdir.Meta{Version: jobdir.Version, Request: job.Request}
		m.Host = host
		s := State{HostDir: job.HostDir, Backgrounded: true}
		if m.Scheduler != "" { // it may not have begun; what does not wait counts as running
			s.Pending = &Pending{Reason: "its scheduler has not answered yet"}
		}
		err := e.root.Adopt(&m, &s)
		adopted = adopted || err == nil
		if errors.Is(err, fs.ErrExist) { // another program created it first
			err = nil
		}
		return err
	})
	if adopted {
		e.changed()
	}
	return err
}

// tokens returns the tokens of all recorded jobs, including those in the trash.
func (e *Engine) tokens(ctx context.Context) (map[string]bool, error) {
	ids, err := e.ids(ctx)
	if err != nil {
		return nil, err
	}
	trash, err := e.root.InTrash()
	if err != nil {
		return nil, rootError(err)
	}
	tokens := make(map[string]bool, len(ids)+len(trash))
	e.visitRecords(ids, func(j *Job, _ *jobdir.Record) { tokens[j.Token] = true })
	for _, t := range trash {
		if m, err := jobdir.ReadMeta(e.root.TrashDir(t.ID)); err == nil {
			tokens[m.Token] = true
		}
	}
	return tokens, nil
}
