package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/hobjobs/hob/internal/jobdir"
)

// List returns the jobs that f selects, newest first. Finished jobs come from
// the index; only the others, and those it does not have yet, are read.
func (e *Engine) List(ctx context.Context, f Filter) ([]Job, error) {
	ids, err := e.ids(ctx)
	if err != nil {
		return nil, err
	}
	return e.list(ctx, ids, f.mightSelect, f.selects)
}

// list returns those of the jobs that are selected, newest first. Backends are asked
// only about those that might be, going by their records.
func (e *Engine) list(ctx context.Context, ids []string, might, selects func(*Job) bool) ([]Job, error) {
	jobs := make([]Job, 0, len(ids))
	var open []*jobdir.Record
	add := func(j *Job) {
		if selects(j) {
			jobs = append(jobs, *j)
		}
	}
	e.survey(ids, func(j *Job, rec *jobdir.Record) {
		if j.Status.Finished() {
			add(j)
		} else if might(j) {
			open = append(open, rec)
		}
	})
	for _, j := range e.observe(ctx, open) {
		add(&j)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newestFirst(jobs), nil
}

// ids are those of all jobs there are, in no order.
func (e *Engine) ids(ctx context.Context) ([]string, error) {
	if e.isClosed() {
		return nil, &Error{Op: "list", Err: ErrClosed}
	}
	ids, err := e.root.IDs()
	if err != nil {
		return nil, rootError(err)
	}
	return ids, ctx.Err()
}

// survey shows every job of ids to visit as its record has it, and asks nobody.
// The job is lent for the call, the record may be kept.
func (e *Engine) survey(ids []string, visit func(*Job, *jobdir.Record)) {
	index := e.root.Index()
	var j Job
	var unread []string
	for _, id := range ids {
		rec := index.Find(id)
		if rec == nil {
			unread = append(unread, id)
			continue
		}
		j = e.jobOf(rec)
		visit(&j, rec)
	}
	var fresh []*jobdir.Record
	for _, rec := range e.readAll(unread) {
		if rec.Finished() && !jobdir.Locked(e.root.Dir(rec.ID)) { // else its holder may still add to the end
			fresh = append(fresh, rec)
		}
		j = e.jobOf(rec)
		visit(&j, rec)
	}
	if err := e.root.AddToIndex(fresh...); err != nil {
		e.log.Debug("the index cannot be written", "err", err)
	}
}

// newestFirst returns the jobs in that order. It sorts their positions, since a job is large.
func newestFirst(jobs []Job) []Job {
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(jobs[b].CreatedAt.Compare(jobs[a].CreatedAt), cmp.Compare(jobs[a].ID, jobs[b].ID))
	})
	sorted := make([]Job, len(jobs))
	for i, at := range order {
		sorted[i] = jobs[at]
	}
	return sorted
}

// jobOf is what the records say, with paths as they are where the job runs, and of
// the survivors those that live.
func (e *Engine) jobOf(rec *jobdir.Record) Job {
	dir := e.root.Dir(rec.ID)
	j := jobOf(rec, dir)
	if e.cfg.sinceBoot == nil || !e.here.sameBoot(&rec.State) {
		j.StartedUp, j.Exit.SinceBoot = 0, 0
	}
	if len(j.Exit.Survivors) > 0 && j.Host == "" {
		j.Exit.Survivors = e.here.living(&rec.State, j.Exit.Survivors)
	}
	if j.Backend == "" && j.HostDir == "" { // what meta.json would tell cannot be read
		if b := e.serving(""); b != nil {
			j.Backend = b.Name()
		}
	}
	if j.HostDir != "" {
		setPaths(&j, j.HostDir)
	} else {
		e.place(&j, dir)
	}
	return j
}

// place fills in where a job on a host has its files, as its backend knows.
func (e *Engine) place(j *Job, dir string) {
	if p, ok := e.backend(j.Backend).(Placer); ok && j.Host != "" {
		setPaths(j, p.HostDir(Record{ID: j.ID, Dir: dir, Job: *j}))
	}
}

// record reads the records of one job. Of one that was damaged after its end, or
// cannot be read just now, the index has what it was, as a list does. That they
// cannot be read is no error: the job may run.
func (e *Engine) record(id ID) (*jobdir.Record, error) {
	if !jobdir.ValidID(string(id)) {
		return nil, notFound(string(id))
	}
	rec, err := jobdir.Read(e.root.Dir(string(id)))
	if rec.Problem != "" || rec.Unread != nil || errors.Is(err, jobdir.ErrNoMeta) {
		if was := e.root.Index().Find(string(id)); was != nil {
			return was, nil
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, jobdir.ErrNoMeta):
		return nil, notFound(string(id))
	case rec.Unread == nil && err != nil:
		return nil, rootError(err)
	}
	return &rec, nil
}

// readAll reads the records of jobs, some at once. What is gone meanwhile, or a
// directory in the making, is left out, but not what cannot be read just now.
func (e *Engine) readAll(ids []string) []*jobdir.Record {
	const few = 16 // are not worth a goroutine
	recs := make([]*jobdir.Record, len(ids))
	var wg sync.WaitGroup
	n := max(1, min(runtime.GOMAXPROCS(0), len(ids)/few))
	for part := range n {
		wg.Go(func() {
			for i := part; i < len(ids); i += n {
				if rec, err := jobdir.Read(e.root.Dir(ids[i])); err == nil || rec.Unread != nil {
					recs[i] = &rec
				}
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(recs, func(rec *jobdir.Record) bool { return rec == nil })
}

// read is how one job stands now.
func (e *Engine) read(ctx context.Context, id ID) (Job, error) {
	if e.isClosed() {
		return Job{}, &Error{Op: "look at", Job: id, Err: ErrClosed}
	}
	rec, err := e.record(id)
	if err != nil {
		return Job{}, err
	}
	if rec.Finished() {
		return e.jobOf(rec), nil
	}
	j, there := e.observe(ctx, []*jobdir.Record{rec})[rec.ID]
	if err := ctx.Err(); err != nil || there {
		return j, err
	}
	return Job{}, notFound(string(id))
}

// observe asks the backends how jobs without a recorded end stand, all backends
// at once. What cannot be told keeps its last known status. A job that was removed
// meanwhile is left out.
func (e *Engine) observe(ctx context.Context, recs []*jobdir.Record) map[string]Job {
	jobs := make(map[string]Job, len(recs))
	byID := make(map[ID]*jobdir.Record, len(recs))
	asked := map[string][]Record{} // by the name of the backend
	for _, rec := range recs {
		j := e.jobOf(rec)
		switch b := e.backend(j.Backend); {
		case j.Status.Finished(): // without a readable meta.json
		case rec.Unread != nil: // there may be an end
			j.Link, j.LinkError = LinkUnreachable, rec.Unread.Error()
		case j.Host == "" && !e.here.judges(rec):
			j.Link, j.StaleSince = LinkElsewhere, rec.Touched
		case b == nil && j.Host != "":
			j.Link, j.LinkError, j.StaleSince = LinkUnreachable, "this program has no backend for "+j.Backend, rec.Touched
		case b != nil:
			byID[j.ID] = rec
			asked[j.Backend] = append(asked[j.Backend], Record{ID: j.ID, Dir: e.root.Dir(rec.ID), Job: j})
		}
		jobs[rec.ID] = j
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for name, rs := range asked {
		b := e.backend(name)
		wg.Go(func() {
			seen, err := b.Observe(ctx, rs)
			if err != nil && ctx.Err() == nil {
				e.log.Warn("jobs cannot be observed", "backend", b.Name(), "err", err)
			}
			mu.Lock()
			defer mu.Unlock()
			for id, s := range seen {
				if rec := byID[id]; rec != nil {
					jobs[rec.ID] = e.settle(rec, observed(jobs[rec.ID], s))
				}
			}
		})
	}
	wg.Wait()
	for id := range jobs {
		if _, err := os.Stat(e.root.Dir(id)); errors.Is(err, fs.ErrNotExist) {
			delete(jobs, id)
		}
	}
	return jobs
}

// settle records an end that a backend found out and nobody has recorded: that
// of a job whose holder died, or that ended on a host. Whoever gets the lock does
// it; the others read it later. It returns the job as it then stands.
func (e *Engine) settle(rec *jobdir.Record, j Job) Job {
	if !j.Status.Finished() || rec.Finished() {
		return j
	}
	dir := e.root.Dir(rec.ID)
	if j.Exit.At.IsZero() {
		j.Exit.At = rec.Touched
	}
	lock, err := jobdir.Lock(dir)
	if err != nil {
		return j
	}
	defer lock.Close()
	// It may have been recorded since rec was read.
	now, err := jobdir.Read(dir)
	if err != nil {
		return j
	}
	if now.Finished() {
		return e.jobOf(&now)
	}
	st := now.State
	if st.Machine == "" {
		st.Machine, st.BootID, st.PIDNS = e.here.machine, e.here.boot, e.here.pidns
		st.Size = j.Size
	}
	st.Rest()
	st.Exit = j.Exit
	if err := jobdir.Finish(dir, &st); err != nil {
		e.log.Warn("an end cannot be recorded", "job", rec.ID, "err", err)
		return j
	}
	if err := jobdir.AppendFact(dir, jobdir.Fact{At: e.cfg.now(), Kind: string(endKind(j.Status)), Offset: j.Output}); err != nil {
		e.log.Debug("a fact cannot be recorded", "job", rec.ID, "err", err)
	}
	if st.Socket != "" {
		removeSocket(st.Socket)
	}
	return j
}

// mightSelect reports whether f may select j once it is known how j stands: what
// it cannot select need not be asked about, which takes a connection for some.
func (f *Filter) mightSelect(j *Job) bool {
	lasting := Filter{IDs: f.IDs, Host: f.Host, Here: f.Here, Labels: f.Labels}
	return lasting.selects(j)
}

// selects reports whether j is one of those that f asks for.
func (f *Filter) selects(j *Job) bool {
	finished := j.Status.Finished()
	switch {
	case len(f.Statuses) > 0 && !slices.Contains(f.Statuses, j.Status),
		len(f.IDs) > 0 && !slices.Contains(f.IDs, j.ID),
		f.Host != "" && j.Host != f.Host,
		f.Here && (j.Host != "" || j.Link == LinkElsewhere),
		!f.Since.IsZero() && j.CreatedAt.Before(f.Since) && (!finished || j.Exit.At.Before(f.Since)):
		return false
	}
	if f.Running || f.Finished || f.Failed {
		if !(f.Running && !finished || f.Finished && finished || f.Failed && j.Unsuccessful()) {
			return false
		}
	}
	for k, v := range f.Labels {
		if got, ok := j.Labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}
