package client

import (
	"context"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
)

// agentPatience is how long an agent may take to say which keys it has. Signing may
// take whoever has to confirm it as long as the attempt lasts.
const agentPatience = 5 * time.Second

// keyAgent is a connection to an agent, which ends with its context: an agent may
// hang for ever, such as one that is forwarded over a connection that is no more.
type keyAgent struct {
	keys   agent.Agent
	conn   io.ReadWriteCloser
	unhook func() bool
}

// openAgent connects to an agent: a socket, or on Windows a named pipe. It is
// closed by the caller, or when ctx ends.
func openAgent(ctx context.Context, name string) (*keyAgent, error) {
	if strings.HasPrefix(name, `\\.\pipe\`) {
		conn, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		return newKeyAgent(ctx, conn), nil
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", name)
	if err != nil {
		return nil, err
	}
	return newKeyAgent(ctx, conn), nil
}

func newKeyAgent(ctx context.Context, conn io.ReadWriteCloser) *keyAgent {
	a := &keyAgent{keys: agent.NewClient(conn), conn: conn}
	a.unhook = context.AfterFunc(ctx, a.hangUp)
	return a
}

// signers are its keys. One that has not said them in time is given up for good.
func (a *keyAgent) signers() ([]ssh.Signer, error) {
	late := time.AfterFunc(agentPatience, a.hangUp)
	defer late.Stop()
	return a.keys.Signers()
}

// hangUp ends what waits for an answer.
func (a *keyAgent) hangUp() { a.conn.Close() }

func (a *keyAgent) close() {
	a.unhook()
	a.hangUp()
}

// inAgent reports whether the agent of c has the key.
func inAgent(ctx context.Context, c *hostconf.Config, key []byte) bool {
	if c.Agent == "" {
		return false
	}
	a, err := openAgent(ctx, c.Agent)
	if err != nil {
		return false
	}
	defer a.close()
	signers, err := a.signers()
	if err != nil {
		return false
	}
	for _, s := range signers {
		if string(s.PublicKey().Marshal()) == string(key) {
			return true
		}
	}
	return false
}
