// Package conn is a connection to a host with its sessions: those for each class of requests, and those
// with the nodes of a cluster. It opens them when they are needed and shares them where a server allows
// no more. When to connect, and what a failure means for jobs, is left to the caller.
package conn

import (
	"sync"
	"sync/atomic"

	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// Conn is one connection and its sessions.
type Conn struct {
	shell.Transport
	Host    recipe.Host // known once the hello request is answered
	cluster bool        // sessions know requests about jobs on a cluster
	Safe    sync.Map    // directories for jobs, other than that of Host, that only the user controls

	// Each class of requests opens one session at a time. The first session of all is opened before any
	// other: a server that allows only one then refuses the others, which share it.
	opening [Classes]sync.Mutex
	first   sync.Mutex // locked after opening
	mu      sync.Mutex // guards open and closed
	open    [Classes][]*pooled
	closed  bool

	bridges atomic.Int32

	nodesMu sync.Mutex // guards nodes
	nodes   []*Node

	programs atomic.Pointer[recipe.Programs] // nil: as Host has them
	// The first start on this connection may install a program, and warn about those that are unfit.
	Install, Warn sync.Once
}

// Programs returns the programs hob-holder on the host, as far as this connection knows.
func (c *Conn) Programs() recipe.Programs {
	if p := c.programs.Load(); p != nil {
		return *p
	}
	return c.Host.Programs
}

// SetPrograms replaces what [Conn.Programs] returns.
func (c *Conn) SetPrograms(p recipe.Programs) { c.programs.Store(&p) }

// New returns a connection over tr. With cluster its sessions know the requests about jobs on a cluster.
func New(tr shell.Transport, cluster bool) *Conn { return &Conn{Transport: tr, cluster: cluster} }

// Gone reports whether the connection has ended.
func (c *Conn) Gone() bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}

// Shut closes the connection and everything of it.
func (c *Conn) Shut() {
	c.Transport.Close()
	c.closeSessions()
	c.closeNodes()
}
