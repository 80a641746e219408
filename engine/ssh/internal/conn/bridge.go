package conn

import (
	"context"
	"sync"

	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// maxBridges bounds the sessions of a connection that run one program each, in addition to those for
// requests: together fewer than any server allows that does not allow only one.
const maxBridges = 4

// Bridge starts command on the host and returns its standard input and output. The error is ErrNoSlot if the
// server allows no further session.
func (c *Conn) Bridge(ctx context.Context, command string) (shell.Channel, error) {
	if c.bridges.Add(1) > maxBridges {
		c.bridges.Add(-1)
		return nil, shell.ErrNoSlot
	}
	b := &bridge{c: c}
	ch, err := c.Open(ctx)
	if err == nil {
		b.Channel = ch
		err = shell.Enter(ctx, ch, command, OpenLimit)
	}
	if err != nil {
		c.bridges.Add(-1)
		return nil, err
	}
	return b, nil
}

// bridge is a channel that gives its place back when it is closed.
type bridge struct {
	shell.Channel
	c    *Conn
	once sync.Once
}

func (b *bridge) Close() error {
	b.once.Do(func() { b.c.bridges.Add(-1) })
	return b.Channel.Close()
}
