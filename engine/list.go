package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
)

// List returns the jobs that f selects, newest first. Finished jobs come from the index; only jobs
// that are not in it are read.
func (e *Engine) List(ctx context.Context, f Filter) ([]Job, error) {
	ids, err := e.ids(ctx)
	if err != nil {
		return nil, err
	}
	return e.list(ctx, ids, !f.Unverified, f.mightSelect, f.Selects)
}

// list returns the selected jobs, newest first. Backends observe only jobs that might be selected
// according to their records.
func (e *Engine) list(ctx context.Context, ids []string, verify bool, might, selects func(*Job) bool) ([]Job, error) {
	jobs := make([]Job, 0, len(ids))
	var open []*jobdir.Record
	add := func(j *Job) {
		if selects(j) {
			jobs = append(jobs, *j)
		}
	}
	e.visitRecords(ids, func(j *Job, rec *jobdir.Record) {
		if j.Status.Finished() {
			add(j)
		} else if might(j) {
			open = append(open, rec)
		}
	})
	for _, j := range e.observe(ctx, open, verify) {
		add(&j)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newestFirst(jobs), nil
}

// ids returns the ids of all jobs, in no particular order.
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

// visitRecords calls visit with every job of ids as recorded, without asking backends. The job is
// valid only during the call; the record may be kept.
func (e *Engine) visitRecords(ids []string, visit func(*Job, *jobdir.Record)) {
	index := e.root.Index()
	var j Job
	var fresh []*jobdir.Record
	for _, id := range ids {
		rec := index.Find(id)
		if rec == nil {
			read, err := jobdir.Read(e.root.Dir(id))
			if err != nil && read.ReadErr == nil {
				continue // it was removed meanwhile, or is not complete yet
			}
			rec = withRecordedEnd(e.root.Dir(id), &read, e.log)
			if rec.Finished() && !jobdir.Locked(e.root.Dir(id)) { // otherwise its holder may still update the end
				fresh = append(fresh, rec)
			}
		}
		j = e.jobOf(rec)
		visit(&j, rec)
	}
	if err := e.root.AddToIndex(fresh...); err != nil {
		e.log.Debug("cannot write the index", "err", err)
	}
}

// newestFirst returns the jobs sorted by age, newest first. It sorts their positions, since a job
// is large.
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

// jobOf returns the job as recorded, with paths as they are where the job runs, and only the
// survivors that still live.
func (e *Engine) jobOf(rec *jobdir.Record) Job {
	dir := e.root.Dir(rec.ID)
	j := jobOf(rec, dir)
	j.Seen = j.Unsuccessful() && jobdir.Seen(dir)
	if e.cfg.sinceBoot == nil || !e.here.sameBoot(&rec.State) {
		j.StartedUp, j.Exit.SinceBoot = 0, 0
	}
	if j.Host == "" {
		j.Exit.Survivors = e.here.livingSurvivors(&rec.State, j.Exit.Survivors)
	}
	if j.Backend == "" && j.HostDir == "" { // meta.json cannot be read
		if b := e.serving(""); b != nil {
			j.Backend = b.Name()
		}
	}
	if j.HostDir != "" {
		setPaths(&j, j.HostDir)
	} else {
		e.setHostPaths(&j, dir)
	}
	return j
}

// setHostPaths sets the paths of a job on a host, as its backend reports them.
func (e *Engine) setHostPaths(j *Job, dir string) {
	if p, ok := e.backend(j.Backend).(Placer); ok && j.Host != "" {
		setPaths(j, p.HostDir(Record{
			ID:  j.ID,
			Dir: dir,
			Job: *j,
		}))
	}
}

// record reads the records of one job. If they were damaged after the end or cannot be read now, it
// uses the index, as a list does. Unreadable records are not an error: the job may be running.
func (e *Engine) record(id ID) (*jobdir.Record, error) {
	if !jobdir.ValidID(string(id)) {
		return nil, notFound(string(id))
	}
	rec, err := jobdir.Read(e.root.Dir(string(id)))
	switch {
	case rec.Problem != "", rec.ReadErr != nil, errors.Is(err, jobdir.ErrNoMeta):
		if was := e.root.Index().Find(string(id)); was != nil {
			return was, nil
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, jobdir.ErrNoMeta):
		return nil, notFound(string(id))
	case rec.ReadErr == nil && err != nil:
		return nil, rootError(err)
	}
	return withRecordedEnd(e.root.Dir(rec.ID), &rec, e.log), nil
}

// read returns the current state of one job. It does not ask a holder that looks as usual: the caller does,
// watches the job, or reads it again soon.
func (e *Engine) read(ctx context.Context, id ID) (Job, error) { return e.look(ctx, id, false) }

// look returns the current state of one job. With verify, it finds out whether a running job's holder hangs.
func (e *Engine) look(ctx context.Context, id ID, verify bool) (Job, error) {
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
	j, there := e.observe(ctx, []*jobdir.Record{rec}, verify)[rec.ID]
	if err := ctx.Err(); err != nil || there {
		return j, err
	}
	return Job{}, notFound(string(id))
}

// observe asks all backends concurrently for the state of jobs without a recorded end. A job whose
// state cannot be determined keeps its last known status. A job that was removed meanwhile is
// skipped. verify is as in [Record].
func (e *Engine) observe(ctx context.Context, recs []*jobdir.Record, verify bool) map[string]Job {
	jobs := make(map[string]Job, len(recs))
	byID := make(map[ID]*jobdir.Record, len(recs))
	asked := map[string][]Record{} // by backend name
	for _, rec := range recs {
		j := e.jobOf(rec)
		switch b := e.backend(j.Backend); {
		case j.Status.Finished(): // meta.json is not readable
		case rec.ReadErr != nil: // the end may be in the part that cannot be read
			j.Link, j.LinkError = LinkUnreachable, rec.ReadErr.Error()
		case !e.canJudge(rec):
			j.Link, j.StaleSince = LinkElsewhere, rec.Touched
		case b == nil && j.Host != "":
			j.Link, j.LinkError, j.StaleSince = LinkUnreachable, "this program has no backend for "+j.Backend, rec.Touched
		case b != nil:
			byID[j.ID] = rec
			asked[j.Backend] = append(asked[j.Backend], Record{
				ID:     j.ID,
				Dir:    e.root.Dir(rec.ID),
				Job:    j,
				Verify: verify,
			})
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
				e.log.Warn("cannot observe jobs", "backend", b.Name(), "err", err)
			}
			mu.Lock()
			defer mu.Unlock()
			for id, s := range seen {
				if rec := byID[id]; rec != nil {
					jobs[rec.ID] = e.recordEnd(rec, observed(jobs[rec.ID], s))
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

// recordEnd records an end that a backend detected and that is not recorded yet: of a job whose
// holder died, or that ended on a host. The client that gets the lock records it; the others read
// it later. It returns the job's state afterward.
func (e *Engine) recordEnd(rec *jobdir.Record, j Job) Job {
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
	// Another client may have recorded it since rec was read.
	now, err := jobdir.Read(dir)
	if err != nil {
		return j
	}
	switch {
	case now.Derived: // its wrapper has ended since, and no client has recorded that
		now.State.Program = holder.FinalReportsIn(dir, now.Meta.Streams())
		j = e.jobOf(&now)
	case now.Finished():
		return e.jobOf(&now)
	}
	j.Exit.Summary = cmp.Or(j.Exit.Summary, holder.SummaryIn(dir, now.Meta.Streams(), &j.Exit))
	st := now.State
	if st.Machine == "" {
		st.Machine, st.BootID, st.PIDNS = e.here.machine, e.here.boot, e.here.pidns
		st.Size = j.Size
	}
	st.Rest()
	st.Exit = j.Exit
	if err := jobdir.Finish(dir, &st); err != nil {
		e.log.Warn("cannot record an end", "job", rec.ID, "err", err)
		return j
	}
	end := jobdir.Fact{
		At:     e.cfg.now(),
		Kind:   string(endKind(j.Status)),
		Offset: j.Output,
	}
	if err := jobdir.AppendFact(dir, end); err != nil {
		e.log.Debug("cannot record a fact", "job", rec.ID, "err", err)
	}
	if st.Socket != "" {
		removeSocket(st.Socket)
	}
	return j
}

// withRecordedEnd records the end of the job in dir that only the files of its wrapper show, with the summary of its
// output, and returns the records with that end. There is such an end if a client on another machine started the
// job and this machine reads it for the first time. If the end cannot be written, only the returned records
// have it. Records of other jobs are returned unchanged.
func withRecordedEnd(dir string, rec *jobdir.Record, log *slog.Logger) *jobdir.Record {
	switch {
	case !rec.Derived, rec.ReadErr != nil, rec.Problem != "":
		return rec
	}
	rec.State.Exit.Summary = holder.SummaryIn(dir, rec.Meta.Streams(), &rec.State.Exit)
	rec.State.Program = holder.FinalReportsIn(dir, rec.Meta.Streams())
	lock, err := jobdir.Lock(dir)
	if err != nil {
		return rec // another client records it
	}
	defer lock.Close()
	now, err := jobdir.Read(dir)
	switch {
	case err != nil:
		return rec
	case !now.Derived: // another client has recorded it
		return &now
	}
	st := now.State
	st.Exit, st.Program = rec.State.Exit, rec.State.Program
	st.Rest()
	if err := jobdir.Finish(dir, &st); err != nil {
		log.Debug("cannot record an end", "job", rec.ID, "err", err)
	}
	return rec
}

// mightSelect reports whether f could select j once its state is known. Other jobs need not be
// observed, which can require a connection.
func (f *Filter) mightSelect(j *Job) bool {
	lasting := Filter{
		IDs:       f.IDs,
		Host:      f.Host,
		Here:      f.Here,
		Labels:    f.Labels,
		CreatedBy: f.CreatedBy,
		Same:      f.Same,
	}
	return lasting.Selects(j)
}

// lastChange returns when the job was created or, if that is known, ended.
func lastChange(j *Job) time.Time {
	if j.Status.Finished() && j.Exit.At.After(j.CreatedAt) {
		return j.Exit.At
	}
	return j.CreatedAt
}

// Selects reports whether j matches f.
func (f *Filter) Selects(j *Job) bool {
	switch {
	case !listed(f.Statuses, j.Status),
		!listed(f.IDs, j.ID),
		cmp.Or(f.Host, j.Host) != j.Host,
		cmp.Or(f.CreatedBy, j.CreatedBy) != j.CreatedBy,
		f.Same != nil && !f.Same.sameAs(j),
		f.Here && !j.here(),
		lastChange(j).Before(f.Since),
		!f.selectsStatus(j):
		return false
	}
	for k, v := range f.Labels {
		if got, ok := j.Labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// listed reports whether a list has v. An empty list has everything.
func listed[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }

// selectsStatus reports whether the job has one of the statuses that f names with Running, Finished and
// Failed. If it names none, every job has.
func (f *Filter) selectsStatus(j *Job) bool {
	finished := j.Status.Finished()
	switch {
	case f.Running && !finished,
		f.Finished && finished,
		f.Failed && j.Unsuccessful():
		return true
	case f.Running, f.Finished, f.Failed:
		return false
	}
	return true
}

// sameAs reports whether j runs what s does, in the same place. If the working directory was deleted, no
// job does.
func (s *Spec) sameAs(j *Job) bool {
	asked := Job{Request: Request{Command: s.Command, Script: s.Script}}
	if j.Host != s.Host || j.CommandLine() != asked.CommandLine() {
		return false
	}
	if s.Host != "" {
		return j.Dir == s.Dir // it is recorded as given
	}
	dir, err := filepath.Abs(s.Dir)
	return err == nil && j.Dir == dir && j.here()
}
