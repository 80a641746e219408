package client

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
)

// agentPatience is how long an agent may take to list its keys. For signing see [signLimit].
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

// signers returns its keys. An agent that has not listed them in time is given up for good.
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
func inAgent(ctx context.Context, c *hostconf.Config, key ssh.PublicKey) bool {
	if c.Agent == "" {
		return false
	}
	a, err := openAgent(ctx, c.Agent)
	if err != nil {
		return false
	}
	defer a.close()
	signers, err := a.signers()
	return err == nil && withKey(signers, key) != nil
}

// withKey returns the signer for key; nil if there is none or key is nil.
func withKey(signers []ssh.Signer, key ssh.PublicKey) ssh.Signer {
	if key == nil {
		return nil
	}
	i := slices.IndexFunc(signers, func(s ssh.Signer) bool { return bytes.Equal(s.PublicKey().Marshal(), key.Marshal()) })
	if i < 0 {
		return nil
	}
	return signers[i]
}

// agentKey is a key of the agent, which may ask the user to confirm each use.
type agentKey struct {
	ssh.AlgorithmSigner
	limit *limit
}

// Sign implements [ssh.Signer].
func (k agentKey) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return k.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm implements [ssh.AlgorithmSigner].
func (k agentKey) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	before := k.limit.set(signLimit)
	defer k.limit.set(before)
	return k.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
}
