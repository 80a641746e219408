package deliver

import (
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
)

// deliveries has the requests whose answers deliver something and have not been written yet, and those
// that subscribe to notifications about tasks. The SDK passes the Extra of a request from the transport
// to the handlers, so it identifies the request in both.
type deliveries struct {
	mu sync.Mutex
	on map[*mcp.RequestExtra]*request

	// recording is held from the writing of an answer until its delivery is recorded.
	recording sync.RWMutex
}

// registerDelivery records what the answer to a request will deliver. If there is no answer, the next
// one gets its notices.
func (d *Delivery) registerDelivery(extra *mcp.RequestExtra, r *request, answered bool) {
	if !answered {
		d.news.requeue(r.notices)
		return
	}
	if len(r.ends) == 0 && len(r.notices) == 0 && r.discard == "" {
		return
	}
	d.sending.add(extra, r)
}

func (d *deliveries) add(extra *mcp.RequestExtra, r *request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.on[extra] = r
}

// listens reports whether a request that has not been answered subscribes to notifications about tasks.
func (d *deliveries) listens(extra *mcp.RequestExtra) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.on[extra]
	return r != nil && r.listens
}

// Write writes an answer and records what it delivered. If the server is killed in between, the end
// of a job is neither lost nor repeated without a mark (decision 22): an answer to a repeatable request
// is recorded as delivered before it is written; any other is first recorded as begun, and the next
// session reports such an end again, marked as a possible repetition.
func (d *Delivery) Write(extra *mcp.RequestExtra, write func() error) error {
	d.sending.mu.Lock()
	r := d.sending.on[extra]
	delete(d.sending.on, extra)
	d.sending.mu.Unlock()
	if r == nil {
		return write()
	}
	d.sending.recording.Lock()
	defer d.sending.recording.Unlock()
	ends := d.unreported(r)
	before := int64(reportBegun)
	if r.repeatable {
		before = reportSent
	}
	d.recordEndReport(ends, before)
	after, err := int64(reportSent), write()
	if err != nil {
		after = reportBegun
	}
	if after != before {
		d.recordEndReport(ends, after)
	}
	if err != nil {
		return err
	}
	if r.discard != "" {
		d.tools.Discard(d.Life, r.discard)
	}
	return nil
}

// unreported returns the jobs whose end an answer is the first to report.
func (d *Delivery) unreported(r *request) []engine.ID {
	all := slices.Clone(r.ends)
	for _, n := range r.notices {
		if n.job.ID != "" {
			all = append(all, n.job.ID)
		}
	}
	return slices.DeleteFunc(all, func(id engine.ID) bool { return d.endReport(id) == reportSent })
}

// WaitRecorded returns when all answers that the client may have read are recorded.
func (d *Delivery) WaitRecorded() {
	d.sending.recording.RLock()
	defer d.sending.recording.RUnlock()
}

// Listens records that a request subscribes to notifications about tasks.
func (d *Delivery) Listens(extra *mcp.RequestExtra) { d.sending.add(extra, &request{listens: true}) }
