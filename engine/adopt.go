package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Adopt makes records of the jobs on host that there are none of here: those that were
// started from another machine, or whose records were lost. From then on they are jobs as
// any other on a host. What lies in the trash is left there. The error is ErrUnreachable
// for a host that cannot be asked, ErrUnsupported where no backend serves it.
func (e *Engine) Adopt(ctx context.Context, host string) error {
	f, ok := e.serving(host).(Finder)
	if !ok {
		return &Error{Op: "list", Err: fmt.Errorf("%w: nothing here runs jobs on host %q", ErrUnsupported, host)}
	}
	tokens, err := e.tokens(ctx)
	if err != nil {
		return err
	}
	adopted := false
	err = f.Find(ctx, host, func(token string) bool { return tokens[token] }, func(job Found) error {
		m := jobdir.Meta{Version: jobdir.Version, Request: job.Request}
		m.Host = host
		err := e.root.Adopt(&m, &State{HostDir: job.HostDir, Backgrounded: true})
		adopted = adopted || err == nil
		if errors.Is(err, fs.ErrExist) { // another program has just done it
			err = nil
		}
		return err
	})
	if adopted {
		e.changed()
	}
	return err
}

// tokens are those of all jobs that there are records of, in the trash too.
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
	e.survey(ids, func(j *Job, _ *jobdir.Record) { tokens[j.Token] = true })
	for _, t := range trash {
		if m, err := jobdir.ReadMeta(e.root.TrashDir(t.ID)); err == nil {
			tokens[m.Token] = true
		}
	}
	return tokens, nil
}
