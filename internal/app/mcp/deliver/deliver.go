// Package deliver decides what reaches an agent besides the answers to its calls: notices about jobs that
// ended, the tasks of calls that take long, and the questions of jobs. It records what was delivered, so
// that each end is reported once (see package mcp).
package deliver

import (
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/app/mcp/session"
	"github.com/hobjobs/hob/internal/app/mcp/tool"
)

// Server is the server that delivers.
type Server interface {
	// Open opens the engine under the client's name, once.
	Open(client *mcp.Implementation) error
	// Offer and Withdraw change the list of logs among the resources.
	Offer(j engine.Job)
	Withdraw(id engine.ID)
	// JobEnded is called when a job in the background has ended.
	JobEnded()
}

// Delivery is what has to reach the agent of one session. It implements [tool.Delivery].
type Delivery struct {
	*session.Session
	server Server
	tools  *tool.Tools

	connection atomic.Pointer[mcp.ServerSession] // nil before it is connected

	news    news
	sending deliveries
	waits   waits
}

var _ tool.Delivery = (*Delivery)(nil)

// New returns the delivery and the tools of a session. The first answer reports problems.
func New(s *session.Session, server Server, problems []string) (*Delivery, *tool.Tools) {
	d := &Delivery{
		Session: s,
		server:  server,
		news:    news{jobs: map[engine.ID]*jobNews{}},
		sending: deliveries{on: map[*mcp.RequestExtra]*request{}},
		waits:   waits{running: map[string]bool{}},
	}
	d.tools = tool.New(s, d)
	for _, p := range problems {
		d.news.notices = append(d.news.notices, notice{text: "hob's settings: " + plain.OneLine(p, 300), logged: true})
	}
	return d, d.tools
}

// Connected has messages about ends sent over the connection.
func (d *Delivery) Connected(c *mcp.ServerSession) { d.connection.Store(c) }

// Close ends the watching of jobs.
func (d *Delivery) Close() { d.news.close() }

// Offer lists the log of a job among the resources.
func (d *Delivery) Offer(j engine.Job) { d.server.Offer(j) }

// Forget drops what is known of a job that no longer exists.
func (d *Delivery) Forget(id engine.ID) {
	d.withdraw(id)
	d.news.drop(id)
	d.server.Withdraw(id)
}
