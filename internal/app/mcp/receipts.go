package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/internal/app/mcp/deliver"
)

// lastAnswers is how long the end of the input is delayed while requests are unanswered. The SDK
// sends no answers after the end, and a script that writes its requests into a pipe needs them. It
// is short, because an agent that disconnects needs none.
const lastAnswers = time.Second

// receipts is a transport that writes answers with [deliver.Delivery.Write], and waits for the last ones after
// the end of the input.
type receipts struct {
	mcp.Transport
	d *deliver.Delivery
}

func (t receipts) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &receiptConnection{
		Connection: c,
		d:          t.d,
		open:       map[jsonrpc.ID]*mcp.RequestExtra{},
		changed:    make(chan struct{}, 1),
	}, err
}

type receiptConnection struct {
	mcp.Connection
	d       *deliver.Delivery
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
			c.d.Listens(extra)
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
	err := c.d.Write(extra, write)
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
