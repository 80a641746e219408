package engine

import "context"

// byToken finds the job that was started with token. Only how that one stands is
// asked: the others may be on hosts that take long to answer, or never do.
func (e *Engine) byToken(ctx context.Context, token string) (j Job, ok bool, err error) {
	ids, err := e.root.IDs()
	if err != nil {
		return Job{}, false, rootError(err)
	}
	index := e.root.Index()
	var unread []string
	for _, id := range ids {
		switch rec := index.Find(id); {
		case rec == nil:
			unread = append(unread, id)
		case rec.Meta.Token == token:
			return e.jobOf(rec), true, nil
		}
	}
	for _, rec := range e.readAll(unread) {
		if rec.Meta.Token == token {
			j, err := e.read(ctx, ID(rec.ID))
			return j, err == nil, err
		}
	}
	return Job{}, false, ctx.Err()
}
