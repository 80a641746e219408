package ssh

import (
	"context"
	"crypto/rand"
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

// nodeSession is a session with the node of a job on a cluster.
type nodeSession struct {
	*shell.Session
	number  string // of the job
	pending int
	idle    *time.Timer // closes it; nil while it has requests
}

// onNode carries out a request about the job in dir on its node. The session breaks when the job ends:
// the request is not repeated then, and if it had not begun, the answer is over.
func (h *host) onNode(ctx context.Context, e *recipe.Entry, dir, request string, limit time.Duration) (shell.Answer, error) {
	c, err := h.connect(ctx, true)
	if err != nil {
		return shell.Answer{}, unreachable(h.name, err)
	}
	mark := rand.Text()
	var a shell.Answer
	s, err := c.node(ctx, e.Number, e.Node)
	if err == nil {
		a, err = s.Do(ctx, recipe.Asked(dir, mark, recipe.Here(dir, request)), limit)
		received := func() {
			s.Do(h.b.life, recipe.Received(dir, mark), askLimit) //nolint:errcheck // if the node no longer exists, it does not wait either
			c.release(s)
		}
		if !h.b.async(received) {
			c.release(s)
		}
	}
	if err != nil && ctx.Err() == nil && h.overBefore(ctx, dir, mark) {
		return shell.Answer{Out: []byte("over\n")}, nil
	}
	return a, err
}

// overBefore reports whether the job in dir ended before the request with that mark began.
func (h *host) overBefore(ctx context.Context, dir, mark string) bool {
	e, err := h.entryOf(ctx, dir)
	if err != nil || !e.Over {
		return false
	}
	a, err := h.ask(ctx, quick, recipe.WasAsked(dir, mark), askOptions{asks: true})
	return err == nil && wordOf(a.Out) == "no"
}

// node returns a session with the node of the job with that number.
func (c *conn) node(ctx context.Context, number, node string) (*nodeSession, error) {
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
	if err := shell.Enter(ctx, ch, strings.Join(slurm.Enter(number, node), " "), openLimit); err != nil {
		return nil, err
	}
	s := &nodeSession{Session: shell.NewSession(ch, recipe.Prelude(), openLimit), number: number, pending: 1}
	c.nodes = append(c.nodes, s)
	return s, nil
}

// idleNode returns a session with the node of the job with that number if one is open and has no
// requests. It does not wait for one that is being opened.
func (c *conn) idleNode(number string) *nodeSession {
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
func (s *nodeSession) takeLocked() bool {
	if s.Err() != nil || s.idle != nil && !s.idle.Stop() {
		return false
	}
	s.idle = nil
	s.pending++
	return true
}

// trimNodesLocked drops sessions that have broken, and an idle one if there are as many as there may be.
func (c *conn) trimNodesLocked() {
	c.nodes = slices.DeleteFunc(c.nodes, func(s *nodeSession) bool { return s.Err() != nil })
	if len(c.nodes) < maxNodes {
		return
	}
	if i := slices.IndexFunc(c.nodes, func(s *nodeSession) bool { return s.idle != nil }); i >= 0 {
		s := c.nodes[i]
		c.nodes = slices.Delete(c.nodes, i, i+1)
		s.idle.Stop()
		s.Close()
	}
}

// release notes that a request is done.
func (c *conn) release(s *nodeSession) {
	c.nodesMu.Lock()
	defer c.nodesMu.Unlock()
	if s.pending--; s.pending > 0 || s.Err() != nil {
		return
	}
	s.idle = time.AfterFunc(nodeIdle, func() { s.Close() })
}

// closeNodes closes all sessions with nodes.
func (c *conn) closeNodes() {
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
