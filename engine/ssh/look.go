package ssh

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
)

// observe returns the state of jobs of this host, as well as it can be determined without a long
// wait. A look that takes longer continues in the background: its result is recorded, and is
// available next time.
func (h *host) observe(ctx context.Context, rs []engine.Record) map[engine.ID]engine.State {
	waiting, cancel := forHost(ctx)
	defer cancel()
	soon, cancel := context.WithTimeout(waiting, h.patience())
	defer cancel()
	seen, err := h.lookOn(soon, rs)
	if waiting.Err() != nil {
		err = waitError(ctx, waiting, h.name)
	}
	states := make(map[engine.ID]engine.State, len(rs))
	for _, r := range rs {
		s, ok := seen[r.ID]
		if !ok {
			s = h.stale(r, err)
		}
		states[r.ID] = s
	}
	return states
}

// observeIfConnected is observe, but makes no connection. Without one the states are the last known
// ones, and the link is unreachable if the last attempt to connect failed, in this program or in the
// one that recorded it in the state directory.
func (h *host) observeIfConnected(ctx context.Context, rs []engine.Record) map[engine.ID]engine.State {
	h.mu.Lock()
	connected, tried := h.conn != nil, h.dialing != nil || h.err != nil
	h.mu.Unlock()
	if connected {
		return h.observe(ctx, rs)
	}
	waiting, cancel := forHost(ctx)
	defer cancel()
	err := waitError(ctx, waiting, h.name)
	if err == nil {
		err = context.DeadlineExceeded // it is being tried
	}
	states := make(map[engine.ID]engine.State, len(rs))
	for _, r := range rs {
		if tried {
			states[r.ID] = h.stale(r, err)
		} else {
			states[r.ID] = h.asRecorded(r)
		}
	}
	return states
}

// asRecorded returns the state in the job's record.
func (h *host) asRecorded(r engine.Record) engine.State {
	r.Job.StartedUp = h.b.startedUp(r)
	o := judge.LastKnown(r)
	o.Link, o.StaleSince = r.Job.Link, lastSeen(r)
	root := filepath.Dir(filepath.Dir(r.Dir))
	if o.LinkError = statedir.HostError(root, h.name); o.LinkError != "" {
		o.Link = engine.LinkUnreachable
	}
	return o
}

// patience is how long a look waits for this host.
func (h *host) patience() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case local(h.name): // the sh of this machine
		return max(h.b.patience, askLimit)
	case h.conn == nil:
		return h.b.patience
	}
	if _, onCluster := slurm.Login(h.name); onCluster { // a look at its jobs waits for its scheduler, too
		return max(h.b.patience, promptly+queuePatience)
	}
	return max(h.b.patience, promptly)
}

// lookOn looks for as long as ctx lives. After that the look continues in the background. The states have the last
// lines of the jobs if these could be read in time, too.
func (h *host) lookOn(ctx context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	if interactive(ctx, false) { // questions end with the call that they are asked for
		h.usesAll(rs, 1)
		defer h.usesAll(rs, -1)
		seen, err := h.look(ctx, rs)
		return h.withLines(ctx, rs, seen), err
	}
	if h.looks.Add(1) > maxLooks { // enough answers are outstanding
		h.looks.Add(-1)
		return nil, context.DeadlineExceeded
	}
	type found struct {
		seen map[engine.ID]engine.State
		err  error
	}
	listed, done := make(chan found, 1), make(chan found, 1)
	if !h.b.async(func() {
		defer h.looks.Add(-1)
		life, cancel := context.WithTimeout(h.b.life, lookLimit)
		defer cancel()
		h.usesAll(rs, 1)
		defer h.usesAll(rs, -1)
		seen, err := h.look(life, rs)
		listed <- found{seen, err}
		done <- found{h.withLines(life, rs, seen), err}
	}) {
		h.looks.Add(-1)
		return nil, engine.ErrClosed
	}
	select {
	case f := <-done:
		return f.seen, f.err
	case <-ctx.Done():
	}
	select {
	case f := <-listed:
		return f.seen, f.err
	default:
		return nil, ctx.Err()
	}
}

// stale is the last known state of a job whose host has not answered; err is the reason.
func (h *host) stale(r engine.Record, err error) engine.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.staleLocked(r, err)
}

func (h *host) staleLocked(r engine.Record, err error) engine.State {
	r.Job.StartedUp = h.b.startedUp(r)
	o := judge.LastKnown(r)
	if h.conn != nil && errors.Is(err, context.DeadlineExceeded) {
		o.Link = engine.LinkOK // only slow; if there is no answer at all, the connection is closed
		o.StaleSince = lastSeen(r)
		return o
	}
	if o.Link, o.StaleSince = engine.LinkUnreachable, h.seen; o.StaleSince.IsZero() {
		o.StaleSince = cmp.Or(lastSeen(r), h.since, time.Now())
	}
	switch {
	case h.err != nil && h.conn == nil:
		o.LinkError = h.err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		o.LinkError = hostname.Prefix(h.name) + "connecting"
	case err != nil:
		o.LinkError = err.Error()
	}
	return o
}

// lastSeen is when the record of a job on a host was last confirmed.
func lastSeen(r engine.Record) time.Time {
	if fi, err := os.Stat(filepath.Join(r.Dir, jobdir.StateFile)); err == nil {
		return fi.ModTime()
	}
	return r.Job.CreatedAt
}

// unreachableSince returns why the host could not be reached, if an attempt failed after t and the host
// has not been reached since.
func (h *host) unreachableSince(t time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.downLocked() || h.failed.Before(t) {
		return nil
	}
	return h.err
}

// look requests the state of jobs from the host, in one round trip, and records it.
func (h *host) look(ctx context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	return h.lookAfter(ctx, rs, h.b.eager, recipe.FewProofs)
}

func (h *host) lookAfter(ctx context.Context, rs []engine.Record, most time.Duration, proofs int) (map[engine.ID]engine.State, error) {
	c, err := h.connectAfter(ctx, false, most)
	if err != nil {
		return nil, err
	}
	seen := make(map[engine.ID]engine.State, len(rs))
	for base, rs := range h.b.byBase(rs, c.Host.Base) {
		if err := h.lookIn(ctx, base, rs, proofs, seen); err != nil {
			return seen, err
		}
	}
	return seen, nil
}

// lookIn looks at the jobs rs in base. The error is that of one kind of jobs, of which the other may have been seen.
func (h *host) lookIn(ctx context.Context, base string, rs []engine.Record, proofs int, seen map[engine.ID]engine.State) error {
	held, others := splitRecords(rs, isHeld)
	more, err := h.lookScripted(ctx, base, others, proofs, seen)
	if heldErr := h.lookHeld(ctx, base, append(held, more...), seen); err == nil {
		err = heldErr
	}
	return err
}

// lookScripted looks at the jobs rs in base, whose records have no holder. It returns those that have one, which
// it has not looked at.
func (h *host) lookScripted(
	ctx context.Context, base string, rs []engine.Record, proofs int, seen map[engine.ID]engine.State,
) (held []engine.Record, err error) {
	if len(rs) == 0 {
		return nil, nil
	}
	var q *slurm.Queue
	if slices.ContainsFunc(rs, judge.Scheduled) {
		q = h.askQueue(ctx, base) // before the listing: the files then have every end that the queue reflects
	}
	known := h.knownOf(rs)
	var l recipe.Listing
	var at time.Time
	for {
		a, err := h.ask(ctx, quick, recipe.ListAgain(base, ids(h.b, rs), known, proofs), askOptions{})
		if err != nil {
			return nil, err
		}
		l, at = recipe.ParseListAgain(a.Out, known), time.Now()
		if len(l.Doubtful) == 0 {
			break
		}
		for _, id := range l.Doubtful { // something happened to them
			delete(known, id)
		}
	}
	held, rs = splitRecords(rs, func(r *engine.Record) bool {
		e := l.Jobs[remoteID(h.b.HostDir(*r))]
		return e != nil && e.Held
	})
	rs = h.record(ctx, base, rs, l, q, at, false, seen)
	// The first listing may not have looked at the wrapper, so it takes two more.
	for _, confirms := range []bool{false, true} {
		if len(rs) == 0 {
			break
		}
		a, err := h.ask(ctx, quick, recipe.ListClosely(base, ids(h.b, rs)), askOptions{})
		if err != nil {
			return held, err
		}
		rs = h.record(ctx, base, rs, recipe.ParseList(a.Out), q, time.Now(), confirms, seen)
	}
	return held, nil
}

// splitRecords returns the records for which has is true, and the others.
func splitRecords(rs []engine.Record, has func(*engine.Record) bool) (those, others []engine.Record) {
	for i := range rs {
		if has(&rs[i]) {
			those = append(those, rs[i])
		} else {
			others = append(others, rs[i])
		}
	}
	return those, others
}

// record records the states of the jobs rs according to a listing. It returns those that look lost
// but are not proved to be; see [judge.Look].
func (h *host) record(
	ctx context.Context, base string, rs []engine.Record, l recipe.Listing, q *slurm.Queue, at time.Time, confirms bool, seen map[engine.ID]engine.State,
) (again []engine.Record) {
	ends := h.readEnds(ctx, base, rs, l)
	for _, r := range rs {
		e := l.Jobs[remoteID(h.b.HostDir(r))]
		if e == nil { // it is missing in the answer
			seen[r.ID] = judge.LastKnown(r)
			continue
		}
		known := r
		known.Job.StartedUp = h.b.startedUp(r)
		found := judge.Look{
			Record:   known,
			Entry:    e,
			Clock:    l.Clock,
			At:       at,
			Confirms: confirms,
			Queue:    q,
		}
		o, sure := found.State()
		if o.Link == engine.LinkUnreachable {
			if o.StaleSince = found.LastAnswer(); o.StaleSince.IsZero() {
				o.StaleSince = lastSeen(r)
			}
		}
		switch sure {
		case judge.Doubtful:
			again = append(again, r)
			continue
		case judge.Unstarted:
			h.unstarted(ctx, base, &found, &o)
		case judge.Certain:
			h.summarize(r.ID, &o, ends[r.ID])
			h.settle(r, l, base, o, at)
		case judge.Elsewhere: // that machine writes the record
			if rec, err := jobdir.Read(r.Dir); err == nil {
				o.StaleSince = rec.Touched
			}
		}
		h.addInput(r.ID, &o)
		h.addLine(r.ID, &o)
		seen[r.ID] = o
	}
	return again
}

func (h *host) settle(r engine.Record, l recipe.Listing, base string, o engine.State, at time.Time) {
	id := remoteID(h.b.HostDir(r))
	e := l.Jobs[id]
	if e == nil {
		return
	}
	h.found(r.ID, e, at) // before the end is recorded: a reader that sees it reads all output
	h.b.remember(r, o, e.BootOf(), path.Join(base, id), false)
	h.mu.Lock()
	defer h.mu.Unlock()
	ours := e.Token == r.Job.Token && !judge.Scheduled(r)
	if delete(h.known, r.ID); ours && e.Lasting() {
		h.known[r.ID] = e
	}
}

// knownOf returns the last entries of those of the jobs that were running then, by the names of their
// directories. The entries must not be modified.
func (h *host) knownOf(rs []engine.Record) map[string]*recipe.Entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := make(map[string]*recipe.Entry, len(rs))
	for _, r := range rs {
		if e := h.known[r.ID]; e != nil {
			known[remoteID(h.b.HostDir(r))] = e
		}
	}
	return known
}

// forget drops the last entry of a job, so that the next look requests it in full.
func (h *host) forget(id engine.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.known, id)
}

// logFacts is what was last found of the logs of a job that is watched or read, and of its input.
type logFacts struct {
	watchers, readers int
	entry             *recipe.Entry // nil: nothing was found yet
	at                time.Time
	input             inputFacts
	line              lineFacts
}

// uses counts the watchers of a job and the readers of its logs.
func (h *host) uses(id engine.ID, watchers, readers int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.usesLocked(id, watchers, readers)
}

func (h *host) usesLocked(id engine.ID, watchers, readers int) {
	f := h.logs[id]
	f.watchers += watchers
	f.readers += readers
	if h.logs[id] = f; f.watchers+f.readers == 0 {
		delete(h.logs, id)
	}
}

// usesAll counts a reader of the logs of several jobs, so that what a look finds of them is kept as long.
func (h *host) usesAll(rs []engine.Record, readers int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range rs {
		h.usesLocked(r.ID, 0, readers)
	}
}

// found notes what a look at a job found.
func (h *host) found(id engine.ID, e *recipe.Entry, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, used := h.logs[id]
	if !used {
		return
	}
	if order := cmp.Compare(stageOf(e), stageOf(f.entry)); cmp.Or(order, at.Compare(f.at)) > 0 {
		f.entry, f.at = e, at
		h.logs[id] = f
	}
}

// logsOf returns what was last found of the logs of a job. While the host cannot be
// reached, it has no watchers.
func (h *host) logsOf(id engine.ID) logFacts {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.logs[id]
	if h.conn == nil {
		f.watchers = 0
	}
	return f
}

// unstarted is for a job that was requested but was not on the host, according to l. While its starter
// holds the lock it is starting; after that the host is made to refuse the start.
func (h *host) unstarted(ctx context.Context, base string, l *judge.Look, o *engine.State) {
	r := l.Record
	o.Status = engine.Starting
	if jobdir.Locked(r.Dir) || judge.Scheduled(r) && h.submittedSince(ctx, base, r, l.Entry) {
		return
	}
	a, err := h.ask(ctx, quick, recipe.Abandon(base, remoteID(h.b.HostDir(r)), r.Job.Token), askOptions{})
	if err != nil || strings.TrimSpace(string(a.Out)) == "started" {
		return
	}
	blocked, err := h.blocked(ctx, r.Dir, r.Job.After)
	if err != nil {
		return // the next look
	}
	o.Status, o.Pending = engine.Failed, nil
	o.Exit = engine.Exit{
		Status: engine.Failed,
		Reason: engine.ReasonSpawn,
		Error:  "the connection broke before it was started",
		At:     time.Now(),
	}
	switch {
	case blocked != "":
		o.Exit.Reason, o.Exit.Error = engine.ReasonDependency, blocked
	case l.Unsatisfiable(): // a process of another job may have run out of memory, and that job exited with 0
		o.Exit.Reason, o.Exit.Error = engine.ReasonDependency, judge.Unsatisfied
	case judge.Scheduled(r):
		o.Exit.Error = "Slurm does not have the job, and it had not begun"
	}
	h.b.remember(r, *o, "", "", false)
}

// submittedSince reports whether a job was submitted to a cluster after e was read, or may have been.
// Elsewhere, a job that was started meanwhile has claimed its directory, and so cannot be refused any
// more; a job on a cluster claims it only when it leaves the queue. Call it once the starter has ended.
func (h *host) submittedSince(ctx context.Context, base string, r engine.Record, e *recipe.Entry) bool {
	id := remoteID(h.b.HostDir(r))
	a, err := h.ask(ctx, quick, recipe.List(base, []string{id}), askOptions{})
	if err != nil {
		return true
	}
	now := recipe.ParseList(a.Out).Jobs[id]
	return now == nil || now.Number != e.Number || now.Submitted != e.Submitted
}
