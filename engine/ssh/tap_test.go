//go:build unix

package ssh

import (
	"bytes"
	"context"
	"sync"

	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// tapped is a transport whose channels are wrapped.
type tapped struct {
	shell.Transport
	wrap func(shell.Channel) shell.Channel
}

func (t tapped) Open(ctx context.Context) (shell.Channel, error) {
	ch, err := t.Transport.Open(ctx)
	if err != nil {
		return nil, err
	}
	return t.wrap(ch), nil
}

// tap has the channels of later connections wrapped.
func (r *rig) tap(wrap func(shell.Channel) shell.Channel) {
	dial := r.b.reach
	r.b.reach = func(ctx context.Context, host string) (shell.Transport, error) {
		tr, err := dial(ctx, host)
		if err != nil {
			return nil, err
		}
		return tapped{tr, wrap}, nil
	}
}

// patched returns tr with sessions that run functions that patch has changed.
func patched(tr shell.Transport, patch func(prelude string) string) shell.Transport {
	return tapped{tr, func(ch shell.Channel) shell.Channel { return &patchedChannel{Channel: ch, patch: patch} }}
}

type patchedChannel struct {
	shell.Channel
	patch func(string) string
	once  sync.Once
}

func (c *patchedChannel) Write(p []byte) (int, error) {
	sent := p
	if bytes.Contains(p, []byte("\n{\n")) { // what comes before does nothing
		c.once.Do(func() { sent = []byte(c.patch(string(p))) })
	}
	if _, err := c.Channel.Write(sent); err != nil {
		return 0, err
	}
	return len(p), nil
}
