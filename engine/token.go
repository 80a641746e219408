package engine

import (
	"context"

	"github.com/hobjobs/hob/internal/jobdir"
)

// byToken finds the job that was started with token. Only how that one stands is
// asked: the others may be on hosts that take long to answer, or never do.
func (e *Engine) byToken(ctx context.Context, token string) (j Job, ok bool, err error) {
	ids, err := e.ids(ctx)
	if err != nil {
		return Job{}, false, err
	}
	var id ID
	e.survey(ids, func(j *Job, _ *jobdir.Record) {
		if j.Token == token {
			id = j.ID
		}
	})
	if id == "" {
		return Job{}, false, nil
	}
	j, err = e.read(ctx, id)
	return j, err == nil, err
}
