package conn

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
)

const (
	// maxNodes bounds the sessions on nodes, because servers limit those of a connection.
	maxNodes = 3
	// nodeIdle is how long a session without requests is kept: each is a step of its job.
	nodeIdle = 15 * time.Second
)

// Node is a session with the node of a job on a cluster.
type Node struct {
	*shell.Session
	number  string // of the job
	pending int
	idle    *time.Timer // closes it; nil while it has requests
}

// OnNode returns a session with the node of the job with that number.
func (c *Conn) OnNode(ctx context.Context, number, node string) (*Node, error) {
	c.nodesMu.Lock()
	defer c.nodesMu.Unlock()
	for _, s := range c.nodes {
		if s.number == number && s.takeLocked() {
			return s, nil
		}
	}
	c.trimNodesLocked()
	ch, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	if err := shell.Enter(ctx, ch, strings.Join(slurm.Enter(number, node), " "), OpenLimit); err != nil {
		return nil, err
	}
	s := &Node{Session: shell.NewSession(ch, recipe.Prelude(), recipe.SlurmLimit), number: number, pending: 1}
	c.nodes = append(c.nodes, s)
	return s, nil
}

// IdleNode returns a session with the node of the job with that number if one is open and has no
// requests. It does not wait for one that is being opened.
func (c *Conn) IdleNode(number string) *Node {
	if !c.nodesMu.TryLock() {
		return nil
	}
	defer c.nodesMu.Unlock()
	for _, s := range c.nodes {
		if s.number == number && s.idle != nil && s.takeLocked() {
			return s
		}
	}
	return nil
}

// takeLocked counts a request. It reports false for a session that has ended or is being closed.
func (s *Node) takeLocked() bool {
	if s.Err() != nil || s.idle != nil && !s.idle.Stop() {
		return false
	}
	s.idle = nil
	s.pending++
	return true
}

// trimNodesLocked drops sessions that have broken, and an idle one if there are as many as there may be.
func (c *Conn) trimNodesLocked() {
	c.nodes = slices.DeleteFunc(c.nodes, func(s *Node) bool { return s.Err() != nil })
	if len(c.nodes) < maxNodes {
		return
	}
	if i := slices.IndexFunc(c.nodes, func(s *Node) bool { return s.idle != nil }); i >= 0 {
		s := c.nodes[i]
		c.nodes = slices.Delete(c.nodes, i, i+1)
		s.idle.Stop()
		s.Close()
	}
}

// Release notes that a request is done.
func (c *Conn) Release(s *Node) {
	c.nodesMu.Lock()
	defer c.nodesMu.Unlock()
	if s.pending--; s.pending > 0 || s.Err() != nil {
		return
	}
	s.idle = time.AfterFunc(nodeIdle, func() { s.Close() })
}

// closeNodes closes all sessions with nodes.
func (c *Conn) closeNodes() {
	c.nodesMu.Lock()
	defer c.nodesMu.Unlock()
	for _, s := range c.nodes {
		if s.idle != nil {
			s.idle.Stop()
		}
		s.Close()
	}
	c.nodes = nil
}
