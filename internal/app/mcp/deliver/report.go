package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/session"
	"github.com/hobjobs/hob/internal/notes"
)

// Answering marks a call about a job as being in flight until done is called. Its answer
// reports the end of the job.
func (d *Delivery) Answering(id engine.ID) (done func()) {
	d.news.mu.Lock()
	defer d.news.mu.Unlock()
	k := d.news.of(id)
	k.answering++
	return func() {
		d.news.mu.Lock()
		k.answering--
		d.news.mu.Unlock()
		d.logEnds()
	}
}

// withdraw removes the notices about a job whose end is reported by an answer.
func (d *Delivery) withdraw(id engine.ID) {
	d.news.mu.Lock()
	defer d.news.mu.Unlock()
	d.news.notices = slices.DeleteFunc(d.news.notices, func(n notice) bool { return n.job.ID == id })
	if k := d.news.jobs[id]; k != nil && k.watch != nil {
		k.watch.known = true
	}
}

// Report makes the answer to a request the one that reports the end of a job.
func (d *Delivery) Report(ctx context.Context, id engine.ID) {
	d.withdraw(id)
	r := requestOf(ctx)
	r.ends = append(r.ends, id)
}

// taskFetched records that the client gets the task of a job, so it will request the end too.
func (d *Delivery) taskFetched(id engine.ID) {
	d.news.mu.Lock()
	defer d.news.mu.Unlock()
	d.news.of(id).fetched = time.Now()
}

// How far the end of a job has been reported to an agent of this scope, in this session or
// another one. It is a note about the job; without one it was not reported.
const (
	reportSent  = 1
	reportBegun = 2 // a server was killed while it sent the report, which may have arrived
)

func (d *Delivery) endReport(id engine.ID) int64 {
	return d.Notes.Number(string(id), d.Scope.EndReader())
}

func (d *Delivery) recordEndReport(ids []engine.ID, how int64) {
	for _, id := range ids {
		if err := d.Notes.SetNumber(string(id), d.Scope.EndReader(), how); err != nil {
			d.Log.Debug("the report of an end was not recorded", "job", id, "err", err)
		}
	}
}

// RecordEnd records that an agent was given the end of a job in another way, so that no notice follows.
func RecordEnd(eng *engine.Engine, scope session.Scope, id engine.ID) error {
	return notes.Of(eng.StateDir()).SetNumber(string(id), scope.EndReader(), reportSent)
}
