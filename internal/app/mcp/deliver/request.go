package deliver

import (
	"context"
	"reflect"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
)

// request is one request of the client: which answers the client accepts, and what the answer
// delivers.
type request struct {
	tasks bool // the answer to a call may be a task
	forms bool // a task may ask the user for input with a form

	// listens: the request subscribes to notifications about tasks.
	listens bool

	job atomic.Pointer[engine.ID] // that a call is about, once it is known

	// repeatable: a client that does not receive the answer repeats the request, in this session
	// or the next one.
	repeatable bool

	// These count as delivered once the answer has been written. If it could not be written, the
	// next answer or the next session delivers the notices.
	ends    []engine.ID // jobs whose end the answer reports
	notices []notice
	discard engine.ID // job to delete then; empty: none
}

type requestKey struct{}

// requestOf returns the request that ctx belongs to, or an empty one.
func requestOf(ctx context.Context) *request {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r
	}
	return &request{}
}

// accepted returns which answers the client accepts, according to the capabilities in the request.
// Those of the session do not count, because the extension requires them in each request.
func accepted(req mcp.Request) *request {
	r := &request{}
	q, ok := req.(interface {
		ClientCapabilities() *mcp.ClientCapabilities
	})
	params := req.GetParams() // of most requests they may be a nil pointer
	if !ok || reflect.ValueOf(params).IsNil() || params.GetMeta()[mcp.MetaKeyClientCapabilities] == nil {
		return r
	}
	c := q.ClientCapabilities()
	if c == nil {
		return r
	}
	_, r.tasks = c.Extensions[TasksExtension]
	// An empty capability means forms, as in earlier versions of the protocol.
	r.forms = c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
	return r
}

// AcceptsTasks reports whether the answer to the request of ctx may be a task.
func (d *Delivery) AcceptsTasks(ctx context.Context) bool { return requestOf(ctx).tasks }

// About records which job the request of ctx is about.
func (d *Delivery) About(ctx context.Context, id engine.ID) { requestOf(ctx).job.Store(&id) }

// JobOf returns the job that the request of ctx is about, nil if it is not known yet.
func (d *Delivery) JobOf(ctx context.Context) *engine.ID { return requestOf(ctx).job.Load() }

// DiscardAfter has a job deleted once the answer to the request of ctx was written.
func (d *Delivery) DiscardAfter(ctx context.Context, id engine.ID) { requestOf(ctx).discard = id }
