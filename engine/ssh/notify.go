package ssh

import (
	"context"
	"fmt"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/jobdir"
)

// hostNotify is the command for notifications in the settings of a host, and the connection over which they were
// read: each connection reads them once.
type hostNotify struct {
	of      *conn.Conn
	command string
	events  []string
}

// NotifyCommand returns the command for notifications in the settings on host, empty if there is none; see
// [WithNotify]. It may prompt.
func (b *Backend) NotifyCommand(ctx context.Context, host string) (string, error) {
	h := b.host(host)
	c, err := h.connect(ctx, true)
	if err != nil {
		return "", unreachable(host, err)
	}
	n, err := h.notify(ctx, c)
	return n.command, err
}

// notify returns the command for notifications of jobs on the host.
func (h *host) notify(ctx context.Context, c *conn.Conn) (hostNotify, error) {
	h.mu.Lock()
	n := h.notifies
	h.mu.Unlock()
	if n.of == c || h.b.readNotify == nil {
		return n, nil
	}
	a, err := h.ask(ctx, quick, recipe.Settings(), askOptions{asks: true})
	if err != nil {
		return hostNotify{}, unreachable(h.name, err)
	}
	n = hostNotify{of: c}
	if a.Code != 0 {
		h.b.warn(h.name, "the settings there are not used: "+wordOf(a.Out))
	} else if n.command, n.events, err = h.b.readNotify(a.Out); err != nil {
		h.b.warn(h.name, fmt.Sprintf("the settings there: %v", err))
	}
	h.mu.Lock()
	h.notifies = n
	h.mu.Unlock()
	return n, nil
}

// NotifyFailure implements [engine.NotifyReader]. It prompts for nothing.
func (r *heldRun) NotifyFailure(ctx context.Context) (*engine.NotifyFailure, error) {
	dir, err := r.r.dir(ctx, false)
	if err != nil {
		return nil, err
	}
	a, err := r.r.h.ask(ctx, quick, recipe.NotifyFile(dir), askOptions{})
	return jobdir.DecodeNotifyFailure(a.Out), err
}
