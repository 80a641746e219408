package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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

// receive is the middleware for all requests. It records which answers the client accepts and what
// the answer delivers, and allows a tool to answer with a task.
func (a *agent) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r := accepted(req)
		r.listens = a.sending.listens(req.GetExtra())
		aboutTasks := r.listens || strings.HasPrefix(method, "tasks/")
		if aboutTasks && !r.tasks {
			return nil, tasksNotDeclared()
		}
		res, err := next(context.WithValue(ctx, requestKey{}, r), method, req)
		a.registerDelivery(req.GetExtra(), r, err == nil && ctx.Err() == nil)
		if call, ok := res.(*mcp.CallToolResult); ok && err == nil {
			if t, ok := call.StructuredContent.(*task); ok {
				return t, nil
			}
		}
		return res, err
	}
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
	_, r.tasks = c.Extensions[tasksExtension]
	// An empty capability means forms, as in earlier versions of the protocol.
	r.forms = c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
	return r
}

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
func (a *agent) registerDelivery(extra *mcp.RequestExtra, r *request, answered bool) {
	if !answered {
		a.news.requeue(r.notices)
		return
	}
	if len(r.ends) == 0 && len(r.notices) == 0 && r.discard == "" {
		return
	}
	a.sending.add(extra, r)
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

// deliver writes an answer and records what it delivered. If the server is killed in between, the end
// of a job is neither lost nor repeated without a mark (decision 22): an answer to a repeatable request
// is recorded as delivered before it is written; any other is first recorded as begun, and the next
// session reports such an end again, marked as a possible repetition.
func (a *agent) deliver(extra *mcp.RequestExtra, write func() error) error {
	a.sending.mu.Lock()
	r := a.sending.on[extra]
	delete(a.sending.on, extra)
	a.sending.mu.Unlock()
	if r == nil {
		return write()
	}
	a.sending.recording.Lock()
	defer a.sending.recording.Unlock()
	ends := a.unreported(r)
	before := int64(reportBegun)
	if r.repeatable {
		before = reportSent
	}
	a.recordEndReport(ends, before)
	after, err := int64(reportSent), write()
	if err != nil {
		after = reportBegun
	}
	if after != before {
		a.recordEndReport(ends, after)
	}
	if err != nil {
		return err
	}
	if r.discard != "" {
		a.discard(a.life, r.discard)
	}
	return nil
}

// unreported returns the jobs whose end an answer is the first to report.
func (a *agent) unreported(r *request) []engine.ID {
	all := slices.Clone(r.ends)
	for _, n := range r.notices {
		if n.job.ID != "" {
			all = append(all, n.job.ID)
		}
	}
	return slices.DeleteFunc(all, func(id engine.ID) bool { return a.endReport(id) == reportSent })
}

// waitRecorded returns when all answers that the client may have read are recorded.
func (a *agent) waitRecorded() {
	a.sending.recording.RLock()
	defer a.sending.recording.RUnlock()
}

// lastAnswers is how long the end of the input is delayed while requests are unanswered. The SDK
// sends no answers after the end, and a script that writes its requests into a pipe needs them. It
// is short, because an agent that disconnects needs none.
const lastAnswers = time.Second

// receipts is a transport that writes answers with [agent.deliver], and waits for the last ones after
// the end of the input.
type receipts struct {
	mcp.Transport
	a *agent
}

func (t receipts) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &receiptConnection{Connection: c, a: t.a, open: map[jsonrpc.ID]*mcp.RequestExtra{}, changed: make(chan struct{}, 1)}, err
}

type receiptConnection struct {
	mcp.Connection
	a       *agent
	mu      sync.Mutex
	open    map[jsonrpc.ID]*mcp.RequestExtra // requests without an answer
	closed  bool
	changed chan struct{} // has a value if open or closed may have changed
}

func (c *receiptConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
		extra, ok := r.Extra.(*mcp.RequestExtra)
		if !ok {
			extra = &mcp.RequestExtra{}
			r.Extra = extra
		}
		c.change(func() { c.open[r.ID] = extra })
		if listensToTasks(r) {
			c.a.sending.add(extra, &request{listens: true})
		}
	}
	if errors.Is(err, io.EOF) {
		c.awaitAnswers(ctx)
	}
	return msg, err
}

// listensToTasks reports whether a request subscribes to notifications about tasks. The handlers cannot
// see that, because the SDK does not know the field and drops it.
func listensToTasks(r *jsonrpc.Request) bool {
	var params struct {
		Notifications struct {
			TaskIDs any `json:"taskIds"`
		} `json:"notifications"`
	}
	if r.Method != "subscriptions/listen" || json.Unmarshal(r.Params, &params) != nil {
		return false
	}
	ids, isList := params.Notifications.TaskIDs.([]any)
	return len(ids) > 0 || params.Notifications.TaskIDs != nil && !isList
}

func (c *receiptConnection) Write(ctx context.Context, msg jsonrpc.Message) error {
	write := func() error { return c.Connection.Write(ctx, msg) }
	r, ok := msg.(*jsonrpc.Response)
	if !ok {
		return write()
	}
	c.mu.Lock()
	extra := c.open[r.ID]
	c.mu.Unlock()
	err := c.a.deliver(extra, write)
	c.change(func() { delete(c.open, r.ID) })
	return err
}

func (c *receiptConnection) Close() error {
	c.change(func() { c.closed = true })
	return c.Connection.Close()
}

func (c *receiptConnection) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

func (c *receiptConnection) owes() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0 && !c.closed
}

func (c *receiptConnection) awaitAnswers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastAnswers)
	defer cancel()
	for c.owes() && ctx.Err() == nil {
		select {
		case <-c.changed:
		case <-ctx.Done():
		}
	}
}
